import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Envelope, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/api-keys";
const later = (ms: number) => new Date(NOW.getTime() + ms);

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const SETTINGS = { name: "ERP", scopes: ["read:market"], tier: "pro" };

async function create(person: TestPerson, changed: object = {}) {
  const answer = await person.call(PATH, { json: { ...SETTINGS, ...changed } });
  expect(answer.status).toBe(201);
  const data = answer.body.data as { id: string; key: string };
  learnKeys(data.key);
  const { key, ...shown } = data;
  return { ...answer, key, shown, path: `${PATH}/${data.id}` };
}

const refusal = ({ status, body }: { status: number; body: Envelope }) => [status, body.error];

describe("/v1/api-keys", () => {
  it("creates a key, and shows its secret only once", async () => {
    const ada = await signUp(gateway);
    const { headers, key, shown } = await create(ada, { expires_at: "2027-01-01T05:30:00+05:30" });
    expect(shown).toEqual({
      id: expect.any(String),
      name: "ERP",
      display: `${key.slice(0, 13)}…${key.slice(-4)}`,
      scopes: ["read:market"],
      tier: "pro",
      status: "active",
      created_at: NOW.toISOString(),
      created_by: { id: ada.user.id, name: ada.user.name },
      expires_at: "2027-01-01T00:00:00.000Z",
      revoked_at: null,
      last_used_at: null,
      replaced_by: null,
      version: 1,
      budget: { limit: 1_000, used: 0, remaining: 1_000, reset_at: later(3_600_000).toISOString() },
    });
    expect([headers.get("etag"), headers.get("cache-control")]).toEqual([
      expect.stringMatching(/^"1-/),
      "private, no-store",
    ]);
    const location = headers.get("location") ?? "";
    expect(location).toBe(`${PATH}/${shown.id}`);
    const read = await ada.call(location);
    expect([read.status, read.headers.get("etag"), read.body.data]).toEqual([
      200,
      expect.stringMatching(/^"1-/),
      shown,
    ]);
    expect((await ada.call(`/api${PATH}`)).body.data).toEqual({ items: [shown], next_cursor: null });
    expect((await ada.call(`${PATH}?status=revoked,expired`)).body.data).toEqual({
      items: [],
      next_cursor: null,
    });
    expect((await gateway.rest("/market", key)).status).toBe(200);
  });

  it("changes a key if If-Match has its version, and revokes it idempotently", async () => {
    const ada = await signUp(gateway);
    const { path, key, shown } = await create(ada);
    const patch = (json: object, version: string) =>
      ada.call(path, { method: "PATCH", json, headers: { "If-Match": version } });
    const changed = await patch({ name: "BI", tier: "free", expires_at: later(60_000).toISOString() }, '"1"');
    expect([changed.status, changed.headers.get("etag"), changed.body.data]).toEqual([
      200,
      expect.stringMatching(/^"2-/),
      {
        ...shown,
        name: "BI",
        tier: "free",
        status: "expiring",
        version: 2,
        expires_at: later(60_000).toISOString(),
        budget: { limit: 100, used: 0, remaining: 100, reset_at: later(3_600_000).toISOString() },
      },
    ]);
    const message = 'VERSION_MISMATCH: If-Match is "1", and the current version is "2". Read it again.';
    expect(refusal(await patch({ name: "Late" }, '"1"'))).toEqual([
      409,
      { code: "CONFLICT", message, details: [{ path: "version", message }] },
    ]);
    expect(refusal(await patch({ name: "Odd" }, "2"))).toEqual([
      400,
      {
        code: "BAD_REQUEST",
        message: 'If-Match: expected a version in quotes, such as "3", got 2 without quotes',
      },
    ]);
    expect(await patch({ expires_at: null }, "*")).toMatchObject({
      status: 200,
      body: { data: { expires_at: null } },
    });
    const revoke = () => ada.call(path, { method: "DELETE", headers: { "If-Match": '"3"' } });
    const revoked = await revoke();
    expect(revoked).toMatchObject({ status: 200, body: { data: { status: "revoked", version: 4 } } });
    const after = await fetch(`${gateway.url}/api/v1/ext/v1/market`, { headers: { "X-API-Key": key } });
    expect(after.status).toBe(401);
    expect((await revoke()).body.data).toEqual(revoked.body.data);
  });

  it("rotates a key once: adds its replacement and lets the old key expire", async () => {
    const ada = await signUp(gateway);
    const { path, shown } = await create(ada);
    const rotated = await ada.call(`${path}/rotate`, { json: { overlap_hours: 24 } });
    const { key, ...fresh } = rotated.body.data as { id: string; key: string };
    learnKeys(key);
    expect([rotated.status, rotated.headers.get("location")]).toEqual([201, `${PATH}/${fresh.id}`]);
    expect(fresh).toEqual({ ...shown, id: fresh.id, display: `${key.slice(0, 13)}…${key.slice(-4)}` });
    expect((await ada.call(path)).body.data).toMatchObject({
      status: "expiring",
      replaced_by: fresh.id,
      version: 2,
    });
    expect((await ada.call(`${path}/rotate`, { json: {} })).status).toBe(409);
  });

  it("reports problems under the REST names of the fields", async () => {
    const ada = await signUp(gateway);
    const past = `must be in the future (got ${NOW.toISOString()})`;
    expect(refusal(await ada.call(PATH, { json: { ...SETTINGS, name: " ", expires_at: NOW } }))).toEqual([
      422,
      {
        code: "VALIDATION_FAILED",
        message: `name must not be blank. expires_at ${past}.`,
        details: [
          { path: "name", message: "name must not be blank." },
          { path: "expires_at", message: `expires_at ${past}.` },
        ],
      },
    ]);
    const { path } = await create(ada);
    expect(refusal(await ada.call(`${path}/rotate`, { json: { overlap_hours: 2 } }))).toMatchObject([
      422,
      { details: [{ path: "overlap_hours" }] },
    ]);
    for (const [json, field] of [
      [{ ...SETTINGS, tier: "gold" }, "tier"],
      [{ ...SETTINGS, scopes: ["read:audit"] }, "scopes[0]"],
      [{ ...SETTINGS, expires_at: "tomorrow" }, "expires_at"],
    ] as const) {
      expect(refusal(await ada.call(PATH, { json }))).toMatchObject([422, { details: [{ path: field }] }]);
    }
    expect((await ada.call(`${PATH}?state=active`)).status).toBe(400);
    expect((await ada.call(`${PATH}?status=alive`)).status).toBe(400);
  });

  it("answers 404 for an unknown key and another organization's", async () => {
    const [ada, eve] = [await signUp(gateway), await signUp(gateway)];
    const { path } = await create(ada);
    for (const place of [path, `${PATH}/${randomUUID()}`, `${PATH}/x`]) {
      const answers = [
        await eve.call(place),
        await eve.call(place, { method: "PATCH", json: { name: "Mine" } }),
        await eve.call(place, { method: "DELETE" }),
        await eve.call(`${place}/rotate`, { json: {} }),
      ];
      expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
        Array(4).fill([404, "NOT_FOUND"]),
      );
    }
  });
});
