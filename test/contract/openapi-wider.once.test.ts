import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Accounts } from "../../src/access/accounts/accounts.js";
import { generateToken } from "../../src/access/token.js";
import { createSignInLink } from "../../src/actions/sign-in-links.js";
import { ERROR_STATUS } from "../../src/errors.js";
import { createSite } from "../../src/http/site.js";
import type { Endpoint } from "../../src/rest/endpoint.js";
import { describeApi } from "../../src/rest/openapi.js";
import { createV1 } from "../../src/rest/v1/index.js";
import { learnKeys, learnPassword } from "../support/heard.js";
import { type JsonSchema, judge, resolveReferences } from "../support/openapi.js";
import { addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, type Gateway, makeKey, NOW, startGateway } from "../support/server.js";

interface Described {
  readonly headers: Record<string, { required: boolean }>;
  readonly content: Record<string, { schema: JsonSchema; example?: unknown; examples?: object }>;
}
interface Operation {
  readonly tags: string[];
  readonly security: Record<string, string[]>[];
  readonly parameters?: { name: string; in: string }[];
  readonly requestBody?: { required: boolean };
  readonly responses: Record<string, Described>;
}
type Paths = Record<string, Record<string, Operation>>;

let gateway: Gateway;
let paths: Paths;
const rows = createV1({} as Accounts).endpoints;
const nameOf = ({ method, path }: Pick<Endpoint, "method" | "path">) => `${method} ${path}`;
const operationOf = (row: string): Operation => {
  const [method = "", path = ""] = row.split(" ");
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${row} is not described`);
  return operation;
};

beforeAll(async () => {
  gateway = await startGateway({ env: { REGISTRATION: "open" } });
  const served = (await gateway.call<{ paths: Paths }>("/openapi.json")).body;
  paths = resolveReferences(served.paths, served) as Paths;
});
afterAll(() => gateway.stop());

/** Headers of the contract that are described where they come, in lower case. */
const DESCRIBED =
  /^(x-request-id|x-?ratelimit.*|ratelimit.*|retry-after|www-authenticate|allow|location|etag|set-cookie)$/;
/** The rows and statuses that were answered so far. */
const seen = new Set<string>();

/** Throws unless an answer is one that its row describes: the status, the headers and the body. */
function expectDescribed(row: string, { status, headers, body }: Answer<unknown>): void {
  const { responses } = operationOf(row);
  const described = responses[status] ?? (status < 400 ? undefined : responses["default"]);
  expect([row, status, described !== undefined, body]).toEqual([row, status, true, body]);
  seen.add(`${row} ${status}`);
  const [[type, { schema }] = ["", { schema: {} }]] = Object.entries(described?.content ?? {});
  const values = type === "application/x-ndjson" ? linesOf(String(body)) : [body];
  for (const value of values)
    expect([row, status, value, judge(schema, value)]).toEqual([row, status, value, null]);
  const named = Object.entries(described?.headers ?? {});
  const came = [...headers.keys()];
  const lacking = named.filter(([name, { required }]) => required && !came.includes(name.toLowerCase()));
  const known = named.map(([name]) => name.toLowerCase());
  const unknown = came.filter((name) => DESCRIBED.test(name) && !known.includes(name));
  expect([row, status, lacking.map(([name]) => name), unknown]).toEqual([row, status, [], []]);
}
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

type Caller = Pick<TestPerson, "call"> | Pick<Gateway, "call">;
interface Request {
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
  /** The values of the path's parameters, in their order. */
  readonly ids?: readonly string[];
  readonly query?: string;
}

/** Calls a row; its answer has this status, and is as described. Returns `data`. */
async function ask<Data = { id: string }>(
  caller: Caller,
  row: string,
  status: number,
  { json, headers = {}, ids = [], query = "" }: Request = {},
): Promise<Data> {
  const [method = "", template = ""] = row.split(" ");
  const left = [...ids];
  const path = template.replaceAll(/\{\w+\}/g, () => left.shift() ?? randomUUID());
  const answer = await caller.call<Envelope>(`/api/v1${path}${query}`, {
    method,
    headers: { ...(json !== undefined && { "Content-Type": "application/json" }), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  learnKeys(`${JSON.stringify(answer.body)} ${answer.headers.get("set-cookie")}`);
  expect([row, answer.status, answer.body]).toEqual([row, status, answer.body]);
  expectDescribed(row, answer);
  return answer.body.data as Data;
}

const newPassword = () => {
  const password = randomUUID();
  learnPassword(password);
  return password;
};
const newEmail = () => `${randomUUID()}@example.org`;
const OTHER_SITE = { "Sec-Fetch-Site": "cross-site" };

describe("/openapi.json about the wider API", () => {
  it("says by its own examples what each endpoint answers, and sorts them by what they are about", () => {
    for (const row of rows.map(nameOf)) {
      const { responses, tags } = operationOf(row);
      for (const [status, { content }] of Object.entries(responses)) {
        const [[type, { schema, example, examples }] = ["", { schema: {} }]] = Object.entries(content);
        const shown = examples ? Object.values(examples).map(({ value }) => value) : [example];
        for (const value of shown)
          expect([row, status, type, judge(schema, value)]).toEqual([row, status, type, null]);
        const codes = shown
          .map((value) => (value as Envelope).error?.code)
          .filter((code) => code !== undefined);
        const statuses = codes.map((code) => String(ERROR_STATUS[code as keyof typeof ERROR_STATUS]));
        if (status !== "default")
          expect([row, new Set(statuses)]).toEqual([row, new Set(codes.length > 0 ? [status] : [])]);
      }
      expect([row, tags]).toEqual([row, [expect.stringMatching(/^(Data|People|API keys|Audit)$/)]]);
    }
  });

  it("names the credentials that each endpoint takes", () => {
    const needed = rows.map((row) => [nameOf(row), operationOf(nameOf(row)).security.flatMap(Object.keys)]);
    const open = ["register", "login", "link", "refresh", "logout"].map((name) => `POST /auth/${name}`);
    const forKeys = ["GET /emission-factors", "POST /calc/ghg"];
    expect(needed).toEqual(
      rows.map(nameOf).map((name) => {
        const session = open.includes(name) ? [] : ["session", "sessionCookie"];
        return [name, forKeys.includes(name) ? ["apiKey", ...session] : session];
      }),
    );
  });

  it("lets keys read what their scopes open, and has 200 beside 201 where something may be there already", () => {
    const [row] = rows.filter(({ path }) => path === "/audit/log");
    const group = { prefixes: ["/api/v1"], keysOnly: false };
    const made = {
      ...(row as Endpoint),
      method: "POST",
      scope: "read:credits",
      creates: "sometimes",
    } as Endpoint;
    const described = describeApi([{ ...group, endpoints: [made] }]).paths["/audit/log"]?.["post"];
    expect(described?.security.flatMap(Object.keys)).toEqual(["apiKey", "session", "sessionCookie"]);
    expect(Object.keys(described?.responses ?? {})).toEqual(
      expect.arrayContaining(["200", "201", "401", "403", "409", "429", "500", "default"]),
    );
  });
});

describe("what the wider API answers is what /openapi.json says", () => {
  it("signing in and out", async () => {
    const [email, password] = [newEmail(), newPassword()];
    const founder = { email, password, name: "Ada", organization: { name: `Works ${randomUUID()}` } };
    const register = "POST /auth/register";
    const { session } = await ask<{ session: { access_token: string; refresh_token: string } }>(
      gateway,
      register,
      201,
      {
        json: founder,
      },
    );
    await ask(gateway, register, 201, {
      json: {
        ...founder,
        email: newEmail(),
        organization: { name: `Works ${randomUUID()}` },
        transport: "cookie",
      },
    });
    await ask(gateway, register, 403, { json: founder, headers: OTHER_SITE });
    await ask(gateway, register, 404, {
      json: { invitation: generateToken("invitation"), password, name: "Ada" },
    });
    await ask(gateway, register, 409, { json: founder });
    await ask(gateway, register, 422, { json: { ...founder, email: 1, extra: 1 } });

    const login = "POST /auth/login";
    await ask(gateway, login, 200, { json: { email, password } });
    await ask(gateway, login, 200, { json: { email, password, transport: "cookie" } });
    await ask(gateway, login, 403, { json: { email, password }, headers: OTHER_SITE });
    await ask(gateway, login, 422, { json: { email } });
    for (let failures = 0; failures < 5; failures += 1)
      await ask(gateway, login, 401, { json: { email: "nobody@example.org", password } });
    await ask(gateway, login, 429, { json: { email: "nobody@example.org", password } });

    const link = "POST /auth/link";
    const { database } = gateway;
    const site = createSite("https://carbon.example.com", () => 0);
    const made = await createSignInLink({ database, pepper: undefined, site, now: NOW }, email);
    learnKeys(made.link);
    const token = made.link.split("#sign-in=")[1];
    await ask(gateway, link, 200, { json: { token } });
    await ask(gateway, link, 401, { json: { token } });
    await ask(gateway, link, 403, { json: { token }, headers: OTHER_SITE });
    await ask(gateway, link, 422, { json: {} });

    const refresh = "POST /auth/refresh";
    const renewed = await ask<{ session: { access_token: string } }>(gateway, refresh, 200, {
      json: { refresh_token: session.refresh_token },
    });
    await ask(gateway, refresh, 401, { json: { refresh_token: session.refresh_token } });
    await ask(gateway, refresh, 422, { json: {} });

    const headers = { Authorization: `Bearer ${renewed.session.access_token}` };
    const logout = "POST /auth/logout";
    await ask(gateway, logout, 422, { headers, json: { all: 1 } });
    await ask(gateway, logout, 200, { headers });
    await ask(gateway, logout, 200, { headers });
    const cookie = { Cookie: `__Host-cgw_session=${generateToken("session")}` };
    await ask(gateway, logout, 403, { headers: { ...cookie, ...OTHER_SITE } });
  });

  it("a person's own session", async () => {
    const password = newPassword();
    const person = await signUp(gateway, { password, kind: "browser" });
    const others = { json: { password }, headers: OTHER_SITE };
    await ask(person, "POST /auth/reauthenticate", 403, others);
    await ask(person, "POST /auth/reauthenticate", 401, { json: { password: "wrong" } });
    await ask(person, "POST /auth/reauthenticate", 422, { json: {} });
    await ask(person, "POST /auth/reauthenticate", 200, { json: { password } });

    const again = await signIn(gateway, person.user, person.organization);
    const { slug } = person.organization;
    await ask(again, "POST /auth/password", 422, { json: { current: password, new: "short" } });
    await ask(again, "POST /auth/organization", 404, { json: { slug: "nowhere" } });
    await ask(again, "POST /auth/organization", 200, { json: { slug } });
    await ask(again, "GET /auth/me", 200);
    await ask(again, "POST /auth/me", 200);
    await ask(again, "GET /auth/sessions", 200);
    await ask(again, "GET /auth/sessions", 400, { query: "?limit=0" });
    await ask(again, "DELETE /auth/sessions/{id}", 404);
    await ask(again, "POST /auth/password", 200, { json: { current: password, new: newPassword() } });
    const last = await signIn(gateway, person.user, person.organization);
    await ask(last, "DELETE /auth/sessions/{id}", 200, { ids: [last.session.id] });
    await ask(last, "GET /auth/me", 401);
  });

  it("members and invitations", async () => {
    const owner = await signUp(gateway);
    const { slug } = owner.organization;
    const [viewer, guest] = [await addMember(gateway, slug, "viewer"), await signUp(gateway)];
    const invite = "POST /invitations";
    const { id } = await ask(owner, invite, 201, { json: { email: newEmail(), role: "editor" } });
    await ask(viewer, invite, 403, { json: { email: newEmail(), role: "editor" } });
    await ask(owner, invite, 409, { json: { email: viewer.user.email, role: "editor" } });
    await ask(owner, invite, 422, { json: { email: "nothing", role: "king" } });
    await ask(owner, "GET /invitations", 200);
    await ask(owner, "DELETE /invitations/{id}", 200, { ids: [id] });
    await ask(owner, "DELETE /invitations/{id}", 404, { ids: [id] });
    const { link } = await ask<{ link: string }>(owner, invite, 201, {
      json: { email: guest.user.email, role: "viewer" },
    });
    const accept = "POST /invitations/accept";
    await ask(guest, accept, 200, { json: { invitation: link.split("#invitation=")[1] } });
    await ask(guest, accept, 404, { json: { invitation: "x" } });
    await ask(guest, accept, 422, { json: { invitation: 1 } });

    await ask(owner, "GET /members", 200, { query: "?limit=1" });
    const [own, other] = [{ ids: [owner.user.id] }, { ids: [guest.user.id] }];
    const change = "PATCH /members/{user_id}";
    await ask(owner, change, 200, { ...other, json: { role: "admin" } });
    await ask(owner, change, 404, { json: { role: "admin" } });
    await ask(owner, change, 409, { ...own, json: { role: "admin" } });
    await ask(owner, change, 422, { ...other, json: { role: "king" } });
    await ask(viewer, change, 403, { ...other, json: { role: "viewer" } });
    const remove = "DELETE /members/{user_id}";
    await ask(owner, remove, 404);
    await ask(owner, remove, 409, own);
    await ask(viewer, remove, 403, other);
    await ask(owner, remove, 200, other);
  });

  it("API keys, and the audit trail of it all", async () => {
    const owner = await signUp(gateway);
    const { database } = gateway;
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    await database.prisma.organization.update({
      where: { id: owner.organization.id },
      data: { plan: "enterprise" },
    });
    const json = { name: "ERP", scopes: ["read:credits"], tier: "pro" };
    const { id } = await ask(owner, "POST /api-keys", 201, { json });
    await ask(viewer, "POST /api-keys", 403, { json });
    await ask(owner, "POST /api-keys", 409, { json });
    await ask(owner, "POST /api-keys", 422, { json: { ...json, tier: "gold", scopes: [] } });
    await ask(owner, "GET /api-keys", 200, { query: "?status=active,expiring" });
    await ask(owner, "GET /api-keys/{id}", 200, { ids: [id] });
    await ask(owner, "GET /api-keys/{id}", 404);
    const change = "PATCH /api-keys/{id}";
    await ask(owner, change, 200, { ids: [id], json: { name: "CRM" }, headers: { "If-Match": '"1"' } });
    await ask(owner, change, 409, { ids: [id], json: { name: "SAP" }, headers: { "If-Match": '"1"' } });
    await ask(owner, change, 400, { ids: [id], json: { name: "SAP" }, headers: { "If-Match": "1" } });
    await ask(owner, change, 404, { json: { name: "SAP" } });
    await ask(owner, change, 422, { ids: [id], json: { name: 1 } });
    const rotate = "POST /api-keys/{id}/rotate";
    await ask(owner, rotate, 201, { ids: [id], json: { overlap_hours: 24 } });
    await ask(owner, rotate, 409, { ids: [id], json: {} });
    await ask(owner, rotate, 422, { ids: [id], json: { overlap_hours: 2 } });
    await ask(owner, "DELETE /api-keys/{id}", 200, { ids: [id] });
    gateway.setNow(new Date(NOW.getTime() + 12 * 60_000));
    await ask(owner, "POST /api-keys", 403, { json: { ...json, name: "Late" } });
    gateway.setNow(NOW);

    await ask(owner, "GET /emission-factors", 200, { query: "?search=diesel" });
    const items = [{ amount: 1, unit: "kg", gas: "CO2" }];
    await ask(owner, "POST /calc/ghg", 200, { json: { items } });
    await ask(owner, "GET /audit/log", 200, { query: "?limit=2" });
    await ask(owner, "GET /audit/log", 400, { query: "?page=2" });
    await ask(owner, "GET /audit/log/verify", 200);
    await ask(owner, "GET /audit/log/export", 200);
    await ask(viewer, "GET /audit/log/export", 403);
    const { key } = await makeKey(database, owner.organization.slug);
    for (const row of ["GET /audit/log", "GET /audit/log/export", "GET /members"])
      await ask(gateway, row, 401, { headers: { "X-API-Key": key } });
  });

  it("in each way in which an endpoint succeeds", () => {
    const described = rows
      .map(nameOf)
      .flatMap((row) =>
        Object.keys(operationOf(row).responses).flatMap((status) =>
          status.startsWith("2") ? [`${row} ${status}`] : [],
        ),
      );
    expect(described.filter((each) => !seen.has(each))).toEqual([]);
  });

  /** The endpoints that a session is needed for. */
  const withSession = rows.map(nameOf).filter((row) => !/register|login|link|refresh|logout/.test(row));

  it("without a session, after too many requests, and where the gateway fails", async () => {
    for (const row of withSession) await ask(gateway, row, 401);
    const broken = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "1" } });
    try {
      const person = await signUp(broken);
      await person.call("/api/v1/auth/me");
      const counted = withSession.filter((row) => operationOf(row).responses["200"]?.headers["RateLimit"]);
      for (const row of counted) await ask(person, row, 429);
      await broken.database.transaction(({ script }) => script("ALTER TABLE sessions RENAME TO gone"));
      const headers = { Authorization: `Bearer ${generateToken("session")}` };
      for (const row of withSession) await ask(broken, row, 500, { headers });
    } finally {
      await broken.stop();
    }
  });
});
