import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateToken } from "../../src/access/secrets/token.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { addBatch, addPrice, addRecord, addRetirement, addTenantData } from "../support/fixtures.js";
import { type PersonRequest, signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { describeOwnApi } from "../support/served.js";
import {
  type Envelope,
  type Gateway,
  makeKey,
  makeOrganization,
  NOW,
  startGateway,
} from "../support/server.js";

// Answers that operations of the wider API share. The client compares each with /openapi.json.

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly responses: object;
  readonly needsSession: boolean;
  readonly hasBody: boolean;
  readonly isRepeatable: boolean;
}

const { paths } = await describeOwnApi();
const operations = Object.entries(paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { responses, security, parameters = [], requestBody }]): Operation => {
        const types = Object.keys((requestBody as { content?: object } | undefined)?.content ?? {});
        return {
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          responses,
          needsSession: security.length > 0,
          hasBody: types.includes("application/json"),
          isRepeatable: parameters.some(({ name }) => name === "Idempotency-Key"),
        };
      },
    ),
  ) // A stream never ends.
  .filter(
    ({ path }) => !path.startsWith("/ext/") && !path.startsWith("/auth/sso/") && path !== "/events/stream",
  );
const has = (status: string) => (operation: Operation) => status in operation.responses;

type Caller = Pick<TestPerson, "call"> | Pick<Gateway, "call">;

/** Calls operations with random ids, and lists those whose status is not the expected one. */
async function listOthers(
  caller: Caller,
  status: number,
  called: readonly Operation[],
  { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<string[]> {
  const others: string[] = [];
  for (const { name, method, path, hasBody } of called) {
    const answer = await caller.call(`/v1${path.replaceAll(/\{\w+\}/g, () => randomUUID())}`, {
      method,
      headers: { ...(hasBody && { "Content-Type": "application/json" }), ...headers },
      ...(hasBody && { body: body ?? "{}" }),
    });
    if (answer.status !== status) others.push(`${name} ${answer.status}`);
  }
  return others;
}

/** Operations whose requests count, so that a successful answer says how many are left. */
const isCounted = ({ responses }: Operation) => /"RateLimit"/.test(JSON.stringify(responses));

/** Returns the header with a key that a user has sent with another request. */
async function reusedKey({ user, organization }: TestPerson): Promise<Record<string, string>> {
  const key = randomUUID();
  const digest = (text: string) => createHash("sha256").update(text).digest();
  await gateway.database.prisma.idempotencyKey.create({
    data: {
      organizationId: organization.id,
      caller: `user:${user.id}`,
      keyHash: digest(key),
      fingerprint: digest("another request"),
    },
  });
  return { "Idempotency-Key": key };
}

const withSession = operations.filter(({ needsSession }) => needsSession);
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999999" } });
});
afterAll(() => gateway.stop());

describe("an operation of the wider API", () => {
  it("answers 401 without a session, except those of visitors", async () => {
    expect(await listOthers(gateway, 401, withSession)).toEqual([]);
  });

  it("answers 403 to a page of another site", async () => {
    const { call } = await signUp(gateway, { kind: "browser" });
    const changing = operations.filter(({ method }) => method !== "GET").filter(has("403"));
    expect(
      await listOthers({ call }, 403, changing, { headers: { "Sec-Fetch-Site": "cross-site" } }),
    ).toEqual([]);
  });

  it("answers 422 to an invalid body, or to an Idempotency-Key of another request", async () => {
    const person = await signUp(gateway, { factorAt: NOW });
    const headers = await reusedKey(person);
    // Super admins belong to no organization, so they have no keys.
    const repeatable = operations.filter(
      ({ isRepeatable, path }) => isRepeatable && !path.startsWith("/admin/"),
    );
    expect(await listOthers(person, 422, repeatable, { headers })).toEqual([
      "PUT /compliance/frameworks/{code} 404",
      "POST /inventory/{year}/issues 404",
      "PUT /inventory/{year}/lines/{line} 404",
      "DELETE /inventory/{year}/lines/{line} 404",
      "POST /{module}/import 415",
    ]);
    const withBody = operations
      .filter(({ hasBody, path }) => hasBody && !path.startsWith("/admin/"))
      .filter(has("422"));
    expect(await listOthers(person, 422, withBody, { body: '{"unknown":[]}' })).toEqual([
      "PUT /compliance/frameworks/{code} 404",
      "POST /inventory/{year}/issues 404",
      "PUT /inventory/{year}/lines/{line} 404",
      "POST /auth/password-reset 409",
    ]);
  });

  it("answers 429 after too many requests, and 500 while the gateway fails", async () => {
    const broken = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "1" } });
    try {
      const person = await signUp(broken);
      await person.call("/v1/auth/me");
      expect(await listOthers(person, 429, withSession.filter(isCounted))).toEqual([]);
      await broken.database.transaction(({ script }) => script("ALTER TABLE sessions RENAME TO gone"));
      const headers = { Authorization: `Bearer ${generateToken("session")}` };
      expect(await listOthers(broken, 500, withSession, { headers })).toEqual([]);
    } finally {
      await broken.stop();
    }
  });
});

describe("GET of the wider API", () => {
  const read = withSession.filter(({ method }) => method === "GET");

  it("answers 200 for an organization with data, and 304 to a client that has the current version", async () => {
    await addTenantData(gateway.database, { name: "ALPHA", digits: 4_242_424, framework: "CDP" });
    const owner = await signUp(gateway, { organization: "alpha", factorAt: NOW });
    const root = await signUpSuperAdmin(gateway);
    const refused: string[] = [];
    for (const { name, path, responses } of read) {
      const caller = path.startsWith("/admin/") ? root : owner;
      const [list, parameter] = /^(.*?)\/\{(\w+)\}/.exec(path)?.slice(1) ?? [];
      const items = list
        ? (
            (await caller.call<Envelope>(`/v1${list}`)).body.data as {
              items?: Record<string, string>[];
            } | null
          )?.items
        : [];
      const id = parameter === "year" ? "2025" : (items?.[0]?.[parameter ?? ""] ?? randomUUID());
      const at = `/v1${path.replace(/\{\w+\}/, encodeURIComponent(id)).replaceAll(/\{\w+\}/g, "1")}`;
      const { status, headers } = await caller.call(at);
      if (status !== 200) refused.push(`${name} ${status}`);
      const etag = headers.get("etag");
      if (status !== 200 || !etag || !("304" in responses)) continue;
      const again = await caller.call(at, { headers: { "If-None-Match": etag } });
      if (again.status !== 304) refused.push(`${name} with its ETag ${again.status}`);
    }
    // The others need a query, six months of data, an existing object that no list has, or a user's choice.
    expect(refused).toEqual([
      "GET /conversations/{id} 404",
      "GET /emissions/summary 400",
      "GET /market/anomalies 400",
      "GET /emissions/forecast 422",
      "GET /credits/forecast 422",
      "GET /market/forecast 400",
      "GET /emissions/predictions 422",
      "GET /credits/predictions 422",
      "GET /market/predictions 400",
      "GET /inventory/base-year 404",
      "GET /inventory/claims/{id} 404",
      "GET /inventory/{year}/issues/{issue} 404",
      "GET /api-keys/{id} 404",
      "GET /markets/prices/{id} 404",
      "GET /verification/requests/{id}/inventory 404",
      "GET /{module}/forecast 404",
      "GET /{module}/predictions 404",
      "GET /{module}/anomalies 404",
    ]);
  });
});

describe("an operation that needs more than its path", () => {
  it("answers as described", async () => {
    const owner = await signUp(gateway, { factorAt: NOW });
    const { slug } = owner.organization;
    const batch = await addBatch(gateway.database, slug);
    for (const month of ["05", "06", "07", "08", "09", "10"]) {
      await addRecord(gateway.database, slug, { recordedOn: `2026-${month}-10` });
      await addRetirement(gateway.database, batch, { retiredOn: `2026-${month}-10`, quantity: 1 });
      await addPrice(gateway.database, slug, { asOf: `2026-${month}-10` });
    }
    const statusOf = async (path: string, request: PersonRequest = {}) =>
      (await owner.call(`/v1${path}`, request)).status;
    for (const [module, query] of [
      ["emissions", ""],
      ["credits", ""],
      ["market", "credit_type=EUA&exchange=EEX"],
    ] as const) {
      for (const name of ["forecast", "predictions", "anomalies"])
        expect([module, name, await statusOf(`/${module}/${name}?${query}`)]).toEqual([module, name, 200]);
    }
    await addPrice(gateway.database, slug, { exchange: "ICE", asOf: "2026-10-10" });
    for (const name of ["forecast", "predictions"])
      expect(await statusOf(`/market/${name}?credit_type=EUA&exchange=ICE`)).toBe(422);
    expect(await statusOf("/emissions/summary?from=2026-10-01&to=2026-10-31")).toBe(200);
    expect(
      await statusOf("/inventory/2025/lines/process", { method: "DELETE", headers: await reusedKey(owner) }),
    ).toBe(422);
    const lines = [{ cn_code: "72083600", country: "IN", mass_t: 1 }];
    expect(await statusOf("/calc/cbam", { json: { year: 2026, lines } })).toBe(200);
  });

  it("answers 500 while the gateway fails, to a key", async () => {
    const broken = await startGateway();
    try {
      const { key } = await makeKey(broken.database, await makeOrganization(broken.database));
      await broken.database.transaction(({ script }) =>
        script(`ALTER TABLE emission_days RENAME TO a; ALTER TABLE compliance_statuses RENAME TO b;
                ALTER TABLE credit_batches RENAME TO c; ALTER TABLE benchmarks RENAME TO d; ALTER TABLE market_prices RENAME TO e`),
      );
      for (const { path } of endpoints)
        expect([path, (await broken.rest(path, key)).status]).toEqual([path, 500]);
    } finally {
      await broken.stop();
    }
  });
});
