import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { requireActorContext } from "../../src/actions/actor-context.js";
import { write } from "../../src/data/database/transaction.js";
import type { Resolvers } from "../../src/generated/resolvers.js";
import { readAuditTrail } from "../support/audit.js";
import { HEADER } from "../support/importing.js";
import {
  addMember,
  type PersonRequest,
  signUp,
  signUpSuperAdmin,
  type TestPerson,
} from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { makeKey } from "../support/server.js";
import { addServiceAccount } from "../support/service-accounts.js";
import { useGateway } from "../support/use.js";

const RENAMES = "UPDATE organizations SET name = $2 WHERE id = $1::uuid";

/** A mutation that writes twice, and one that fails after its write. */
const extension = {
  typeDefs:
    "\nextend type Mutation { writeTwice(name: String!): String! writeAndFail(name: String!): String! }",
  resolvers: [
    {
      Mutation: Object.fromEntries(
        ["writeTwice", "writeAndFail"].map((field) => [
          field,
          async (
            _: unknown,
            { name }: { name: string },
            context: Parameters<typeof requireActorContext>[0],
          ) => {
            const { resources, writer } = requireActorContext(context);
            const rename = (to: string) =>
              write(resources.database, writer, (sql) => sql.execute(RENAMES, [writer.organizationId, to]));
            await rename(`${name} 1`);
            if (field === "writeAndFail") throw new Error("a failure after the change");
            await rename(`${name} 2`);
            return name;
          },
        ]),
      ),
    } as unknown as Resolvers,
  ],
};

let ada: TestPerson;
const gateway = useGateway({ extension });
beforeAll(async () => {
  ada = await signUp(gateway);
});

const RECORD = { recorded_on: "2026-01-31", scope: "scope_2", co2e_tonnes: 1 };

/** Sends a request with an idempotency key, and returns the response with its body as text. */
async function send(
  person: Pick<TestPerson, "call">,
  path: string,
  key: string,
  request: PersonRequest = {},
) {
  const headers = { "Idempotency-Key": key, ...(request.headers as Record<string, string> | undefined) };
  const { call } = person;
  const answer = await call<unknown>(path, { ...request, headers });
  const { status, body } = answer;
  const of = (name: string) => answer.headers.get(name);
  return {
    status,
    // A JSON round trip restores the text, as it keeps the order of members and every number here is short.
    body: typeof body === "string" ? body : JSON.stringify(body),
    location: of("location"),
    etag: of("etag"),
    replayed: of("idempotency-replayed"),
    requestId: of("x-request-id"),
    retryAfter: of("retry-after"),
    left: Number(of("x-ratelimit-remaining")),
    code: (body as { error?: { code: string } | null }).error?.code,
  };
}
type Sent = Awaited<ReturnType<typeof send>>;

const shown = ({ status, body, location, etag }: Sent) => ({ status, body, location, etag });
const detailsOf = ({ body }: Sent) => JSON.parse(body).error.details;
const claimsOf = ({ organization: { id } }: TestPerson) =>
  gateway.database.prisma.idempotencyKey.findMany({ where: { organizationId: id } });
const trailOf = async ({ organization: { id } }: TestPerson) =>
  (await readAuditTrail(gateway.database, id)).length;

const created = async (person = ada) => {
  const { body } = await person.call("/v1/emissions/records", { json: RECORD });
  return `/v1/emissions/records/${(body.data as { id: string }).id}`;
};

describe("a change that is sent again with its Idempotency-Key", () => {
  const CHANGES: [string, () => Promise<[path: string, request: PersonRequest]>][] = [
    ["POST", async () => ["/v1/emissions/records", { json: RECORD }]],
    ["POST with an empty body", async () => ["/v1/notifications/read", { json: {} }]],
    ["PATCH", async () => [await created(), { method: "PATCH", json: { note: "Größe 1" } }]],
    ["PUT", async () => ["/v1/compliance/frameworks/CDP", { method: "PUT", json: { status: "compliant" } }]],
    ["DELETE", async () => [await created(), { method: "DELETE", json: { reason: "twice" } }]],
  ];

  it.each(CHANGES)(
    "gets the same bytes at either prefix, and changes nothing again: %s",
    async (_name, prepare) => {
      const [path, request] = await prepare();
      const key = randomUUID();
      const first = await send(ada, path, key, request);
      expect([first.status < 300, first.replayed]).toEqual([true, null]);
      const before = await trailOf(ada);
      const again = await send(ada, `/api${path}`, `"${key}"`, request);
      expect(shown(again)).toEqual(shown(first));
      expect(again.replayed).toBe("true");
      expect(JSON.parse(again.body).meta.request_id).toBe(first.requestId);
      expect(again.requestId).not.toBe(first.requestId);
      expect(again.left).toBe(first.left - 1);
      expect(await trailOf(ada)).toBe(before);
    },
  );

  it("is refused without running if any part of the request differs", async () => {
    const key = randomUUID();
    const path = "/v1/emissions/records";
    await send(ada, path, key, { json: RECORD });
    const before = await trailOf(ada);
    const others: [path: string, request: PersonRequest][] = [
      [path, { json: { ...RECORD, note: "x" } }],
      [path, { json: RECORD, headers: { "Content-Type": "application/json; charset=utf-8" } }],
      [await created(), { method: "PATCH", json: RECORD }],
    ];
    for (const [to, request] of others) {
      expect(await send(ada, to, key, request)).toMatchObject({
        status: 422,
        code: "IDEMPOTENCY_KEY_REUSED",
        replayed: null,
      });
    }
    // One entry is about the record that the last request tries to change.
    expect(await trailOf(ada)).toBe(before + 1);
  });

  it("runs if the first request was refused", async () => {
    const key = randomUUID();
    const wrong = await send(ada, "/v1/emissions/records", key, { json: { ...RECORD, scope: "scope_9" } });
    const stale = { method: "PATCH", json: { note: "x" }, headers: { "If-Match": '"7"' } };
    const conflict = await send(ada, await created(), key, stale);
    expect([wrong.status, conflict.status]).toEqual([422, 409]);
    const right = await send(ada, "/v1/emissions/records", key, { json: RECORD });
    expect([right.status, right.replayed]).toEqual([201, null]);
  });

  it("gets the same error as without a key if its resource does not exist", async () => {
    type Operations = Record<string, { parameters?: { name?: string }[]; requestBody?: object }>;
    const { body } = await gateway.call<{ paths: Record<string, Operations> }>("/openapi.json");
    const requests = Object.entries(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
        const isRepeatable = parameters.some(({ name }) => name === "Idempotency-Key");
        if (!isRepeatable || !path.includes("{")) return [];
        const to = `/v1${path.replaceAll(/\{\w+\}/g, () => randomUUID())}`;
        return [[to, { ...(requestBody && { json: {} }), method: method.toUpperCase() }] as const];
      }),
    );
    const eve = await signUp(gateway);
    const answers: unknown[] = [];
    const expected: unknown[] = [];
    for (const [path, request] of requests) {
      const { status, code } = await send(eve, path, randomUUID(), request);
      answers.push([request.method, path, status, code]);
      const without = await eve.call(path, request);
      expected.push([request.method, path, without.status, without.body.error?.code]);
    }
    expect(answers).toEqual(expected);
    expect(answers).toContainEqual(["DELETE", expect.stringContaining("/conversations/"), 404, "NOT_FOUND"]);
    expect(await claimsOf(eve)).toEqual([]);
  });

  it("is a new request for another member and in another organization", async () => {
    const key = randomUUID();
    const bob = await addMember(gateway, ada.organization.slug, "editor");
    const eve = await signUp(gateway);
    for (const person of [ada, bob, eve]) {
      const { status, replayed } = await send(person, "/v1/emissions/records", key, { json: RECORD });
      expect([status, replayed]).toEqual([201, null]);
    }
  });

  it("belongs to the service account that sent it, and never stores a new token", async () => {
    const eve = await signUp(gateway);
    const erp = await addServiceAccount(gateway, eve, { role: "editor", name: "ERP" });
    const first = await send(erp, "/v1/emissions/records", "k", { json: RECORD });
    const again = await send(erp, "/v1/emissions/records", "k", { json: RECORD });
    expect([first.status, shown(again), again.replayed]).toEqual([201, shown(first), "true"]);
    expect((await claimsOf(eve)).map(({ caller }) => caller)).toEqual([`service_account:${erp.id}`]);
    const own = await send(eve, "/v1/emissions/records", "k", { json: RECORD });
    expect([own.status, own.replayed]).toEqual([201, null]);
    const request = { json: { name: "BI", role: "viewer" } };
    const made = await send(eve, "/v1/service-accounts", "new", request);
    learnKeys(made.body);
    expect([made.status, (await send(eve, "/v1/service-accounts", "new", request)).code]).toEqual([
      201,
      "IDEMPOTENCY_ANSWER_LOST",
    ]);
  });

  it("is a new request 24 hours later", async () => {
    const eve = await signUp(gateway);
    const key = randomUUID();
    await send(eve, "/v1/emissions/records", key, { json: RECORD });
    const age = (hours: number) =>
      gateway.database.transaction((sql) =>
        sql.query(
          "UPDATE idempotency_keys SET created_at = now() - make_interval(hours => $2) WHERE organization_id = $1::uuid",
          [eve.organization.id, hours],
        ),
      );
    await age(23);
    expect((await send(eve, "/v1/emissions/records", key, { json: RECORD })).replayed).toBe("true");
    await age(24);
    const other = { json: { ...RECORD, note: "new" } };
    const first = await send(eve, "/v1/emissions/records", key, other);
    expect([first.status, first.replayed]).toEqual([201, null]);
    expect(shown(await send(eve, "/v1/emissions/records", key, other))).toEqual(shown(first));
  });

  it("is refused once the caller has lost the scope", async () => {
    const bob = await addMember(gateway, ada.organization.slug, "editor");
    const keys = [randomUUID(), randomUUID()] as const;
    const query = 'mutation { createFacility(input: { code: "SCOPE", name: "S" }) { facility { code } } }';
    await send(bob, "/v1/emissions/records", keys[0], { json: RECORD });
    await send(bob, "/graphql", keys[1], { json: { query } });
    await gateway.database.prisma.membership.updateMany({
      where: { userId: bob.user.id },
      data: { role: "viewer" },
    });
    expect(await send(bob, "/v1/emissions/records", keys[0], { json: RECORD })).toMatchObject({
      status: 403,
      replayed: null,
    });
    const again = await send(bob, "/graphql", keys[1], { json: { query } });
    expect([again.status, JSON.parse(again.body).errors[0].extensions.code]).toEqual([403, "FORBIDDEN"]);
  });
});

describe("a response that cannot be replayed", () => {
  it("becomes a 409 with the key's location if it shows a secret", async () => {
    const key = randomUUID();
    const request = { json: { name: "Once", scopes: ["read:market"], tier: "free" } };
    const first = await send(ada, "/v1/api-keys", key, request);
    learnKeys(first.body);
    expect(first.status).toBe(201);
    const again = await send(ada, "/v1/api-keys", key, request);
    expect(again).toMatchObject({ status: 409, code: "IDEMPOTENCY_ANSWER_LOST" });
    expect(detailsOf(again)).toEqual([{ path: "location", message: first.location }]);
    const [claim] = (await claimsOf(ada)).filter(({ location }) => location === first.location);
    expect(claim).toMatchObject({ status: 201, body: null });
  });

  it("becomes a 409 with the path if the process died before storing it", async () => {
    const eve = await signUp(gateway);
    const key = randomUUID();
    await send(eve, "/v1/emissions/records", key, { json: RECORD });
    const forget = (createdAt: Date) =>
      gateway.database.prisma.idempotencyKey.updateMany({
        where: { organizationId: eve.organization.id },
        data: { status: null, contentType: null, body: null, location: "/v1/emissions/records", createdAt },
      });
    const before = await trailOf(eve);
    // After only 5 seconds, the process may still be about to store the response.
    await forget(new Date(Date.now() - 5_000));
    const early = await send(eve, "/v1/emissions/records", key, { json: RECORD });
    expect(early).toMatchObject({ status: 409, code: "IDEMPOTENCY_IN_PROGRESS", retryAfter: "1" });
    await forget(new Date(Date.now() - 60_000));
    const again = await send(eve, "/v1/emissions/records", key, { json: RECORD });
    expect(again).toMatchObject({ status: 409, code: "IDEMPOTENCY_ANSWER_LOST", retryAfter: null });
    expect(detailsOf(again)).toEqual([{ path: "location", message: "/v1/emissions/records" }]);
    expect(await trailOf(eve)).toBe(before);
  });

  it("becomes a 409 if the request fails after its write", async () => {
    const eve = await signUp(gateway);
    const json = { query: 'mutation { writeAndFail(name: "Eve") }' };
    for (const key of ["k", "k"]) {
      const { status, body } = await send(eve, "/graphql", key, { json });
      const { errors } = JSON.parse(body);
      expect([status, errors[0].extensions.code]).toEqual([409, "IDEMPOTENCY_ANSWER_LOST"]);
    }
    const { name } = await gateway.database.prisma.organization.findUniqueOrThrow({
      where: { id: eve.organization.id },
    });
    expect(name).toBe("Eve 1");
  });
});

describe("a mutation over GraphQL with an Idempotency-Key", () => {
  const FACILITY =
    "mutation Add($code: String!) { createFacility(input: { code: $code, name: $code }) { facility { id code } } }";

  it("gets the same bytes, or is refused with other variables", async () => {
    const key = randomUUID();
    const json = { query: FACILITY, variables: { code: "G1" } };
    const first = await send(ada, "/graphql", key, { json });
    const before = await trailOf(ada);
    const again = await send(ada, "/graphql", key, { json });
    expect([first.status, first.replayed, again.replayed]).toEqual([200, null, "true"]);
    expect(again.body).toBe(first.body);
    const other = await send(ada, "/graphql", key, { json: { query: FACILITY, variables: { code: "G2" } } });
    expect([other.status, JSON.parse(other.body).errors[0].extensions.code]).toEqual([
      422,
      "IDEMPOTENCY_KEY_REUSED",
    ]);
    expect(await trailOf(ada)).toBe(before);
  });

  it("runs if the first request was refused", async () => {
    const key = randomUUID();
    const taken = { query: FACILITY, variables: { code: "" } };
    expect(JSON.parse((await send(ada, "/graphql", key, { json: taken })).body).errors).toHaveLength(1);
    const free = { query: FACILITY, variables: { code: "G3" } };
    expect(JSON.parse((await send(ada, "/graphql", key, { json: free })).body).errors).toBeUndefined();
  });

  it("claims the key in the first of its transactions only", async () => {
    const eve = await signUp(gateway);
    const json = { query: 'mutation { writeTwice(name: "Eve") }' };
    const first = await send(eve, "/graphql", "k", { json });
    expect(JSON.parse(first.body).data).toEqual({ writeTwice: "Eve" });
    expect(await claimsOf(eve)).toHaveLength(1);
    const again = await send(eve, "/graphql", "k", { json });
    expect([again.body, again.replayed]).toEqual([first.body, "true"]);
  });

  it.each([
    [
      'mutation { a: renameViewer(input: { name: "A" }) { __typename } b: renameViewer(input: { name: "B" }) { __typename } }',
      2,
    ],
    [
      'mutation { ...Two } fragment Two on Mutation { a: renameViewer(input: { name: "A" }) { __typename } ... on Mutation { b: renameViewer(input: { name: "B" }) { __typename } } }',
      2,
    ],
  ])("is refused with several root fields: %s", async (query, count) => {
    const { status, body } = await send(ada, "/graphql", randomUUID(), { json: { query } });
    expect([status, JSON.parse(body).errors]).toEqual([
      400,
      [
        {
          message: `Idempotency-Key: expected exactly one root field of Mutation, got ${count}`,
          extensions: { code: "BAD_REQUEST" },
        },
      ],
    ]);
  });
});

describe("an import with an Idempotency-Key", () => {
  const FILE = `${HEADER}\n2026-03-01,scope_1,12.5,,,,\n`;
  const csv = (body: string): PersonRequest => ({
    method: "POST",
    body,
    headers: { "Content-Type": "text/csv" },
  });
  const form = (text: string): PersonRequest => {
    const body = new FormData();
    body.append("file", new Blob([text], { type: "text/csv" }), "records.csv");
    return { method: "POST", body };
  };
  const recordsOf = ({ organization: { id } }: TestPerson) =>
    gateway.database.prisma.emissionRecord.count({ where: { organizationId: id } });

  it.each([
    ["a body", csv],
    ["a form, whose boundary differs", form],
  ])("adds the rows of %s once, and refuses another file", async (_name, requestOf) => {
    const eve = await signUp(gateway);
    const dry = await send(eve, "/v1/emissions/import?dry_run=true", "k", requestOf(FILE));
    const first = await send(eve, "/v1/emissions/import", "k", requestOf(FILE));
    const again = await send(eve, "/v1/emissions/import", "k", requestOf(FILE));
    expect([dry.status, first.status, first.replayed]).toEqual([200, 200, null]);
    expect(shown(again)).toEqual(shown(first));
    expect(again.replayed).toBe("true");
    const other = await send(
      eve,
      "/v1/emissions/import",
      "k",
      requestOf(`${FILE}2026-03-02,scope_1,1,,,,\n`),
    );
    expect([other.status, other.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    expect(await recordsOf(eve)).toBe(1);
  });

  it("is refused with different options after a second question mark", async () => {
    const eve = await signUp(gateway);
    const answers = [];
    for (const file of ["a?1", "a?2"])
      answers.push(await send(eve, `/v1/emissions/import?file=${file}`, "k", csv(FILE)));
    expect(answers.map(({ code }) => code)).toEqual([undefined, "IDEMPOTENCY_KEY_REUSED"]);
  });
});

describe("an Idempotency-Key", () => {
  it.each([
    ["empty quotes", '""', "2 characters"],
    ["256 characters", "k".repeat(256), "256 characters"],
    ["an unclosed quote", '"k', "2 characters"],
    ["characters beyond ASCII", "kü", "2 characters"],
  ])("is refused with %s", async (_name, key, got) => {
    const { status, code, body } = await send(ada, "/v1/emissions/records", key, { json: RECORD });
    expect([status, code]).toEqual([400, "BAD_REQUEST"]);
    expect(body).toContain(`expected one key of 1 to 255 printable ASCII characters, got ${got}`);
  });

  it("is refused by session endpoints, and for a super admin without an organization", async () => {
    const root = await signUpSuperAdmin(gateway);
    const announcement = { severity: "info", title: "T", body: "B", starts_at: "2026-11-20T10:00:00Z" };
    for (const [person, path, request] of [
      [ada, "/v1/auth/login", { json: { email: "a@example.org", password: "x" } }],
      [ada, "/v1/auth/logout", { json: {} }],
      [ada, `/v1/auth/sessions/${randomUUID()}`, { method: "DELETE" }],
      [root, "/v1/admin/announcements", { json: announcement }],
    ] as const) {
      const { status, body } = await send(person, path, "k", request);
      expect([path, status, JSON.parse(body).error.message]).toEqual([
        path,
        400,
        expect.stringMatching(/^Idempotency-Key must not be sent /),
      ]);
    }
  });

  it("has no effect on reads or under /ext/v1", async () => {
    const eve = await signUp(gateway);
    const { key } = await makeKey(gateway.database, eve.organization.slug);
    const malformed = '"';
    const calc = { json: { year: 2027, lines: [] } };
    expect((await send(eve, "/v1/emissions/records", malformed)).status).toBe(200);
    expect((await send(eve, "/v1/auth/me", malformed, { method: "POST" })).status).toBe(200);
    expect((await send(eve, "/v1/calc/cbam", malformed, calc)).body).not.toContain("Idempotency-Key");
    expect(
      (await send(eve, "/graphql", malformed, { json: { query: "{ organization { slug } }" } })).status,
    ).toBe(200);
    const ext = await gateway.rest("/emissions", key, { headers: { "Idempotency-Key": malformed } });
    expect(ext.status).toBe(200);
    expect(await claimsOf(eve)).toEqual([]);
  });
});
