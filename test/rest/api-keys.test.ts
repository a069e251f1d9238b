import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../support/answers.js";
import { signUp, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/api-keys";
const later = (ms: number) => new Date(NOW.getTime() + ms);

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const SETTINGS = { name: "ERP", scopes: ["read:market"], tier: "pro" };

/** Creates a key; returns its secret, what else the answer shows, and its URL. */
async function create(person: TestPerson, changed: object = {}) {
  const made = await person.call<Body>(PATH, { json: { ...SETTINGS, ...changed } });
  const { key, ...shown } = await answer(made, 201);
  learnKeys(key);
  return { headers: made.headers, key, shown, path: `${PATH}/${shown.id}` };
}

describe("/v1/api-keys", () => {
  it("creates a key, and shows its secret only once", async () => {
    const ada = await signUp(gateway);
    const { headers, key, shown, path } = await create(ada, { expires_at: "2027-01-01T05:30:00+05:30" });
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
    const named = ["location", "etag", "cache-control"].map((name) => headers.get(name));
    expect(named).toEqual([path, expect.stringMatching(/^"1-/), "private, no-store"]);
    await answer(ada.call(path), 200, shown);
    await answer(ada.call(`/api${PATH}`), 200, { items: [shown], next_cursor: null });
    await answer(ada.call(`${PATH}?status=revoked,expired`), 200, { items: [], next_cursor: null });
    expect((await gateway.rest("/market", key)).status).toBe(200);
  });

  it("changes a key, and revokes it idempotently", async () => {
    const ada = await signUp(gateway);
    const { path, key, shown } = await create(ada);
    const patch = (json: object, version = "*") =>
      ada.call<Body>(path, { method: "PATCH", json, headers: { "If-Match": version } });
    const expires_at = later(60_000).toISOString();
    const budget = { limit: 100, used: 0, remaining: 100, reset_at: later(3_600_000).toISOString() };
    const changed = { name: "BI", tier: "free", expires_at };
    await answer(patch(changed), 200, { ...shown, ...changed, status: "expiring", version: 2, budget });
    const unquoted = 'If-Match: expected a version in quotes, such as "3", got 2 without quotes';
    await refused(patch({ name: "Odd" }, "2"), 400, unquoted);
    expect((await answer(patch({ expires_at: null }), 200)).expires_at).toBeNull();
    const revoke = () => ada.call<Body>(path, { method: "DELETE", headers: { "If-Match": '"3"' } });
    const revoked = await answer(revoke(), 200, expect.objectContaining({ status: "revoked", version: 4 }));
    const after = await fetch(`${gateway.url}/api/v1/ext/v1/market`, { headers: { "X-API-Key": key } });
    expect(after.status).toBe(401);
    await answer(revoke(), 200, revoked);
  });

  it("rotates a key once: adds its replacement and lets the old key expire", async () => {
    const ada = await signUp(gateway);
    const { path, shown } = await create(ada);
    const rotated = await ada.call(`${path}/rotate`, { json: { overlap_hours: 24 } });
    const { key, ...fresh } = await answer(rotated, 201);
    learnKeys(key);
    expect(rotated.headers.get("location")).toBe(`${PATH}/${fresh.id}`);
    expect(fresh).toEqual({ ...shown, id: fresh.id, display: `${key.slice(0, 13)}…${key.slice(-4)}` });
    const replaced = { status: "expiring", replaced_by: fresh.id, version: 2 };
    await answer(ada.call(path), 200, expect.objectContaining(replaced));
    await refused(ada.call(`${path}/rotate`, { json: {} }), 409);
  });

  it("reports problems under the REST names of the fields", async () => {
    const ada = await signUp(gateway);
    const past = `must be in the future (got ${NOW.toISOString()})`;
    await refused(ada.call(PATH, { json: { ...SETTINGS, name: " ", expires_at: NOW } }), 422, {
      name: "name must not be blank.",
      expires_at: `expires_at ${past}.`,
    });
    const { path } = await create(ada);
    await refused(ada.call(`${path}/rotate`, { json: { overlap_hours: 2 } }), 422, ["overlap_hours"]);
    for (const [json, field] of [
      [{ ...SETTINGS, tier: "gold" }, "tier"],
      [{ ...SETTINGS, scopes: ["read:audit"] }, "scopes[0]"],
      [{ ...SETTINGS, expires_at: "tomorrow" }, "expires_at"],
    ] as const)
      await refused(ada.call(PATH, { json }), 422, [field]);
    for (const query of ["state=active", "status=alive"]) await refused(ada.call(`${PATH}?${query}`), 400);
  });
});
