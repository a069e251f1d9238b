import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../src/actions/keys/create-key.js";
import { readHistory } from "../../src/actions/keys/key-history.js";
import type { KeyChanges } from "../../src/data/keys/write-keys.js";
import { MAX_KEYS } from "../../src/domain/keys/key-limits.js";
import { readAuditTrail } from "../support/audit.js";
import { signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const later = (ms: number) => new Date(NOW.getTime() + ms);

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.setNow(NOW));

const FIELDS =
  "id name display scopes tier status createdAt createdBy { id name } expiresAt revokedAt lastUsedAt replacedById version";

const CREATE = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { apiKey { ${FIELDS} } key } }`;
const ROTATE = `mutation ($input: RotateApiKeyInput!) {
  rotateApiKey(input: $input) { apiKey { ${FIELDS} } key } }`;
const UPDATE = `mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { apiKey { ${FIELDS} } } }`;
const REVOKE = `mutation ($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { apiKey { ${FIELDS} } } }`;

const SETTINGS = { name: "ERP", scopes: ["read:market"], tier: "PRO" };

/** Runs a mutation, expects success, and returns its result. */
async function done(person: TestPerson, mutation: string, input: object) {
  const { body } = await person.graphql(mutation, { input });
  expect(body.errors).toBeUndefined();
  const [result] = Object.values(body.data) as [{ key?: string }];
  learnKeys(result.key ?? "");
  return result as never;
}
const create = (person: TestPerson, changed: object = {}): Promise<{ apiKey: { id: string }; key: string }> =>
  done(person, CREATE, { ...SETTINGS, ...changed });

/** Runs an operation that should be refused; returns the error's code, details and message. */
async function refused(person: TestPerson, operation: string, input: object) {
  const { body } = await person.graphql(operation, { input });
  const [error] = body.errors ?? [];
  return { code: error?.extensions.code, details: error?.extensions.details, message: error?.message };
}
const refusedWith = (code: string, path?: string, message?: string) => ({
  code,
  details: path === undefined ? undefined : [{ path, message: expect.stringContaining(message ?? "") }],
  message: expect.any(String),
});

const status = async (key: string) => (await gateway.rest("/market", key)).status;

describe("API keys in the graph", () => {
  it("work as soon as they are created, and are listed without their secret", async () => {
    const ada = await signUp(gateway);
    const { apiKey, key } = await create(ada, { expiresAt: later(90 * DAY) });
    expect(apiKey).toEqual({
      id: expect.any(String),
      name: "ERP",
      display: `${key.slice(0, 13)}…${key.slice(-4)}`,
      scopes: ["read:market"],
      tier: "PRO",
      status: "ACTIVE",
      createdAt: NOW.toISOString(),
      createdBy: { id: ada.user.id, name: ada.user.name },
      expiresAt: later(90 * DAY).toISOString(),
      revokedAt: null,
      lastUsedAt: null,
      replacedById: null,
      version: 1,
    });
    expect([await status(key), (await gateway.rest("/credits", key)).status]).toEqual([200, 401]);
    const list = () =>
      ada.graphql(`{ apiKeys { nodes { ${FIELDS} } totalCount } apiKey(id: "${apiKey.id}") { id } }`);
    // The last use is written after the answer.
    await expect
      .poll(async () => (await list()).body.data)
      .toEqual({
        apiKeys: { nodes: [{ ...apiKey, lastUsedAt: expect.any(String) }], totalCount: 1 },
        apiKey: { id: apiKey.id },
      });
    expect(JSON.stringify((await list()).body)).not.toContain(key.slice(13, -4));
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "api_key.created",
      actor: { type: "user", id: ada.user.id },
      target: { id: apiKey.id },
      changes: { hash: "***", name: "ERP", tier: "pro" },
    });
  });

  it.each([
    ["markup", '<b onclick="x">&amp;</b>'],
    ["right-to-left marks", "a\u202egnp.\u200f"],
    ["emoji", "👩‍🚀".repeat(10)],
    ["80 characters", "🏭".repeat(80)],
  ])("keep a name with %s unchanged", async (_, name) => {
    const ada = await signUp(gateway);
    expect((await create(ada, { name })).apiKey).toMatchObject({ name });
  });

  it.each([
    ["a blank name", { name: " " }, "name", "must not be blank"],
    ["a name of 81 characters", { name: "🏭".repeat(81) }, "name", "at most 80 characters (got 81)"],
    ["no scope", { scopes: [] }, "scopes", "got none"],
    ["a scope that keys cannot have", { scopes: ["read:audit"] }, "scopes", "got read:audit"],
    ["an expiry in the past", { expiresAt: NOW }, "expiresAt", "must be in the future"],
    [
      "an expiry in UTC's year 10000",
      { expiresAt: "9999-12-31T23:59:59-14:00" },
      "expiresAt",
      "before the year",
    ],
  ])("cannot be created or changed with %s", async (_, changed, path, message) => {
    const ada = await signUp(gateway);
    const expected = refusedWith("VALIDATION_FAILED", `input.${path}`, message);
    expect(await refused(ada, CREATE, { ...SETTINGS, ...changed })).toEqual(expected);
    const { apiKey } = await create(ada);
    expect(await refused(ada, UPDATE, { id: apiKey.id, ...changed })).toEqual(expected);
  });

  it("are found by a part of their name", async () => {
    const ada = await signUp(gateway);
    for (const name of ["Warehouse", "ERP of Pune", "Portal"]) await done(ada, CREATE, { ...SETTINGS, name });
    const { body } = await ada.graphql(
      `{ apiKeys(search: "erp", first: 1) { totalCount nodes { name } } none: apiKeys(search: "100%") { totalCount } }`,
    );
    expect(body.data).toEqual({
      apiKeys: { totalCount: 1, nodes: [{ name: "ERP of Pune" }] },
      none: { totalCount: 0 },
    });
  });

  it("cannot have a tier above the organization's plan", async () => {
    const ada = await signUp(gateway);
    const { apiKey } = await create(ada);
    const { id } = ada.organization;
    await gateway.database.prisma.organization.update({ where: { id }, data: { plan: "free" } });
    await gateway.database.waitForAnnouncements();
    const { body } = await ada.graphql("{ organization { plan } }");
    expect(body.data).toEqual({ organization: { plan: "FREE" } });
    const above = refusedWith(
      "VALIDATION_FAILED",
      "input.tier",
      "must be at most the organization's plan, free (got pro)",
    );
    expect(await refused(ada, CREATE, { ...SETTINGS, name: "Other" })).toEqual(above);
    expect(await refused(ada, UPDATE, { id: apiKey.id, tier: "PRO" })).toEqual(above);
    expect(await refused(ada, ROTATE, { id: apiKey.id, overlapHours: 0 })).toEqual(
      refusedWith("CONFLICT", "key", "above the organization's plan"),
    );
    expect(await done(ada, UPDATE, { id: apiKey.id, tier: "FREE" })).toMatchObject({
      apiKey: { tier: "FREE" },
    });
  });

  it("have unique names within an organization while they are active", async () => {
    const ada = await signUp(gateway);
    const first = await create(ada);
    const taken = refusedWith("CONFLICT", "input.name", 'already has a key named "ERP"');
    expect(await refused(ada, CREATE, { ...SETTINGS, name: " ERP " })).toEqual(taken);
    const other = await create(ada, { name: "BI" });
    expect(await refused(ada, UPDATE, { id: other.apiKey.id, name: "ERP" })).toEqual(taken);
    expect(
      await done(ada, UPDATE, { id: first.apiKey.id, name: "ERP", scopes: ["read:market"] }),
    ).toMatchObject({
      apiKey: {
        name: "ERP",
      },
    });
    // The old key of a rotation keeps its name.
    const { apiKey } = (await done(ada, ROTATE, { id: first.apiKey.id, overlapHours: 24 })) as typeof first;
    expect(apiKey).toMatchObject({ name: "ERP" });
    expect(await refused(ada, CREATE, SETTINGS)).toEqual(taken);
    await done(ada, REVOKE, { id: apiKey.id });
    await create(ada);
    // Another organization can use the name.
    await create(await signUp(gateway));
  });

  it("cannot exceed 20 active per organization, even when created concurrently", async () => {
    const ada = await signUp(gateway);
    const names = Array.from({ length: MAX_KEYS + 3 }, (_, index) => `Key ${index}`);
    const answers = await Promise.all(
      names.map((name) => ada.graphql(CREATE, { input: { ...SETTINGS, name } })),
    );
    const made = answers.flatMap(({ body }) => body.data.createApiKey ?? []);
    learnKeys(made.map(({ key }) => key).join(" "));
    const codes = answers.flatMap(({ body }) => body.errors?.map(({ extensions }) => extensions.code) ?? []);
    expect([made.length, codes]).toEqual([MAX_KEYS, ["CONFLICT", "CONFLICT", "CONFLICT"]]);
    const [{ apiKey }] = made;
    const full = refusedWith("CONFLICT", "key", "already has 20 active keys");
    expect(await refused(ada, ROTATE, { id: apiKey.id, overlapHours: 1 })).toEqual(full);
    await done(ada, ROTATE, { id: apiKey.id, overlapHours: 0 });
    await done(ada, REVOKE, { id: made[1].apiKey.id });
    await create(ada);
  });

  it("need a recent password to create, rotate or widen, but not to narrow or revoke", async () => {
    const ada = await signUp(gateway);
    const { apiKey } = await create(ada, { tier: "PRO", expiresAt: later(DAY) });
    const { id } = apiKey;
    gateway.setNow(later(11 * 60_000));
    const again = refusedWith("REAUTHENTICATION_REQUIRED");
    expect(await refused(ada, CREATE, { ...SETTINGS, name: "Other" })).toEqual(again);
    expect(await refused(ada, ROTATE, { id, overlapHours: 0 })).toEqual(again);
    const widened = [
      { tier: "ENTERPRISE" },
      { scopes: ["read:market", "read:credits"] },
      { expiresAt: later(DAY + 1) },
      { expiresAt: null },
    ];
    for (const changes of widened) expect(await refused(ada, UPDATE, { id, ...changes })).toEqual(again);
    const narrowed = [
      { tier: "FREE" },
      { scopes: ["read:market"] },
      { expiresAt: later(HOUR) },
      { name: "Less" },
    ];
    for (const changes of narrowed) await done(ada, UPDATE, { id, ...changes });
    expect(await done(ada, REVOKE, { id })).toMatchObject({ apiKey: { status: "REVOKED", version: 5 } });
  });

  it("stop working as soon as they are revoked, and may be revoked again", async () => {
    const ada = await signUp(gateway);
    const { apiKey, key } = await create(ada);
    expect(await status(key)).toBe(200);
    const revoked = await done(ada, REVOKE, { id: apiKey.id, expectedVersion: 1 });
    // `fetch` does not wait for the database's announcement.
    const { status: after } = await fetch(`${gateway.url}/api/v1/ext/v1/market`, {
      headers: { "X-API-Key": key },
    });
    expect(after).toBe(401);
    expect(revoked).toMatchObject({
      apiKey: { status: "REVOKED", revokedAt: NOW.toISOString(), version: 2 },
    });
    gateway.setNow(later(60_000));
    expect(await done(ada, REVOKE, { id: apiKey.id, expectedVersion: 1 })).toEqual(revoked);
    expect(await refused(ada, UPDATE, { id: apiKey.id, expiresAt: later(DAY) })).toEqual(
      refusedWith("CONFLICT", "key", "permanently revoked"),
    );
  });

  it("are replaced once if two people rotate them concurrently", async () => {
    const ada = await signUp(gateway);
    const { apiKey, key } = await create(ada);
    const both = await Promise.all(
      [1, 24].map((overlapHours) => ada.graphql(ROTATE, { input: { id: apiKey.id, overlapHours } })),
    );
    const made = both.flatMap(({ body }) => body.data.rotateApiKey ?? []);
    learnKeys(made.map((one) => one.key).join(" "));
    const codes = both.flatMap(({ body }) => body.errors?.map(({ extensions }) => extensions.code) ?? []);
    expect([made.length, codes]).toEqual([1, ["CONFLICT"]]);
    const [fresh] = made;
    expect(await status(key)).toBe(200);
    expect(await status(fresh.key)).toBe(200);
    const { body } = await ada.graphql(`{ apiKey(id: "${apiKey.id}") { status replacedById version } }`);
    expect(body.data.apiKey).toEqual({ status: "EXPIRING", replacedById: fresh.apiKey.id, version: 2 });
  });

  it("accept only the documented overlaps in a rotation, which never extends their life", async () => {
    const ada = await signUp(gateway);
    const { apiKey, key } = await create(ada, { expiresAt: later(2 * HOUR) });
    expect(await refused(ada, ROTATE, { id: apiKey.id, overlapHours: 2 })).toEqual(
      refusedWith("VALIDATION_FAILED", "input.overlapHours", "must be 0, 1, 24 or 168 (got 2)"),
    );
    const fresh = (await done(ada, ROTATE, { id: apiKey.id, overlapHours: 168 })) as {
      apiKey: { id: string };
    };
    expect(fresh.apiKey).toMatchObject({ expiresAt: later(2 * HOUR).toISOString(), version: 1 });
    expect(await refused(ada, UPDATE, { id: apiKey.id, expiresAt: null })).toEqual(
      refusedWith("CONFLICT", "key", "was replaced by"),
    );
    gateway.setNow(later(2 * HOUR));
    expect(await status(key)).toBe(401);
    const renewed = await signUp(gateway, { organization: ada.organization.slug, now: later(2 * HOUR) });
    for (const id of [apiKey.id, fresh.apiKey.id])
      expect(await refused(renewed, ROTATE, { id, overlapHours: 0 })).toEqual(
        refusedWith("CONFLICT", "key", "expired"),
      );
  });

  it("can be filtered by status and paged", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    const at = (now: Date) => ({ database: gateway.database, pepper: undefined, now });
    const add = async (name: string, expiresAt: Date | null, changes: KeyChanges = {}) => {
      const request = {
        organization: slug,
        name,
        tier: "free" as const,
        scopes: ["read:market"] as const,
        expiresAt,
      };
      const made = await createKey(at(new Date(0)), { ...request, ...changes });
      learnKeys(made.key);
      return made.id;
    };
    await add("Active", later(7 * DAY + 1));
    await add("Expiring", later(7 * DAY));
    await add("Expired", NOW);
    await done(ada, REVOKE, { id: await add("Revoked", null) });
    const list = async (args: string) => {
      const { body } = await ada.graphql(
        `{ apiKeys${args} { nodes { name status createdBy { id } } pageInfo { hasNextPage endCursor } totalCount } }`,
      );
      return body.data.apiKeys;
    };
    const all = await list("");
    expect(all.nodes.map((key: { status: string }) => key.status).toSorted()).toEqual([
      "ACTIVE",
      "EXPIRED",
      "EXPIRING",
      "REVOKED",
    ]);
    expect(all.nodes[0].createdBy).toBeNull();
    const living = await list("(statuses: [ACTIVE, EXPIRING], first: 1)");
    expect([living.totalCount, living.nodes.length, living.pageInfo.hasNextPage]).toEqual([2, 1, true]);
    const rest = await list(
      `(statuses: [EXPIRING, ACTIVE], first: 1, after: "${living.pageInfo.endCursor}")`,
    );
    expect([...living.nodes, ...rest.nodes].map(({ name }) => name).toSorted()).toEqual([
      "Active",
      "Expiring",
    ]);
  });

  it("show their remaining budget without spending it", async () => {
    const ada = await signUp(gateway);
    const { apiKey, key } = await create(ada, { tier: "FREE" });
    const ask = async () =>
      (
        await ada.graphql(
          `{ apiKey(id: "${apiKey.id}") { budget { tier policy limit used remaining resetAt } } }`,
        )
      ).body.data.apiKey.budget;
    expect(await ask()).toEqual({
      tier: "FREE",
      policy: "free",
      limit: 100,
      used: 0,
      remaining: 100,
      resetAt: later(HOUR).toISOString(),
    });
    for (let sent = 0; sent < 3; sent += 1) await status(key);
    expect(await ask()).toMatchObject({ used: 3, remaining: 97 });
    expect(await ask()).toMatchObject({ used: 3, remaining: 97 });
  });

  it("have a history that names who changed them", async () => {
    const ada = await signUp(gateway);
    const { apiKey } = await create(ada);
    await done(ada, ROTATE, { id: apiKey.id, overlapHours: 0 });
    const history = await readHistory(
      { database: gateway.database },
      { organization: ada.organization.slug },
    );
    const by = `user ${ada.user.id}`;
    expect(history.map(({ kind, command }) => [kind, command])).toEqual([
      ["created", by],
      ["created", by],
      ["rotated", by],
    ]);
  });

  it("count their requests by hour, summed over all processes", async () => {
    const ada = await signUp(gateway);
    const { apiKey, key } = await create(ada);
    const { database } = gateway;
    for (const count of [2, 3]) {
      const other = await startGateway({ database });
      for (let sent = 0; sent < count; sent += 1) await other.rest("/market", key);
      // Refused: it lacks the scope.
      await other.rest("/credits", key);
      other.setNow(later(HOUR));
      await other.rest("/market", key);
      await other.stop();
    }
    gateway.setNow(later(2 * HOUR));
    const recent = await signUp(gateway, { organization: ada.organization.slug, now: later(2 * HOUR) });
    const { body } = await recent.graphql(
      `{ apiKey(id: "${apiKey.id}") { usage { hour requests refused errors } } }`,
    );
    expect(body.data.apiKey.usage).toEqual([
      { hour: NOW.toISOString(), requests: 5, refused: 2, errors: 0 },
      { hour: later(HOUR).toISOString(), requests: 2, refused: 0, errors: 0 },
    ]);
    expect(
      (await refused(recent, `{ apiKey(id: "${apiKey.id}") { usage(days: 91) { hour } } }`, {})).code,
    ).toBe("BAD_USER_INPUT");
  });
});
