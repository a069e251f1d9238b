import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { ROLE_SCOPES } from "../../src/domain/people/roles.js";
import { answer, type Body, refused } from "../support/answers.js";
import { addMember, signUp } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Answer, type Envelope, makeKey, NOW } from "../support/server.js";
import { addServiceAccount, withBearer } from "../support/service-accounts.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/service-accounts";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const later = (ms: number) => new Date(NOW.getTime() + ms);

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

/** Returns the data of an answer with a new token. */
async function issued(call: Promise<Answer<Body>>, status: number): Promise<Body> {
  const data = await answer(call, status);
  learnKeys(data.token);
  return data;
}

describe("/v1/service-accounts", () => {
  it("creates an account, and shows its token only once", async () => {
    const ada = await signUp(gateway);
    const expires = later(30 * DAY_MS).toISOString();
    const json = { name: " ERP ", role: "editor", scopes: ["write:emissions", "read:emissions"] };
    const { service_account: account, token } = await issued(
      ada.call(PATH, { json: { ...json, expires_at: expires } }),
      201,
    );
    expect(token).toMatch(/^cgw_svc_[0-9A-Za-z]{38}$/);
    const display = `${token.slice(0, 12)}…${token.slice(-4)}`;
    const shown = { id: expect.any(String), display, expires_at: expires };
    expect(account).toEqual({
      id: expect.any(String),
      name: "ERP",
      role: "editor",
      scopes: ["read:emissions", "write:emissions"],
      status: "active",
      tokens: [{ ...shown, created_at: NOW.toISOString(), last_used_at: null }],
      created_by: { id: ada.user.id, name: ada.user.name },
      created_at: NOW.toISOString(),
      version: 1,
    });
    await answer(ada.call(`${PATH}/${account.id}`), 200, account);
    await answer(ada.call(`${PATH}?status=active`), 200, { items: [account], next_cursor: null });

    const me = await withBearer(gateway, token).call("/v1/auth/me");
    expect(me.headers.get("ratelimit-policy")).toBe('"service";q=10000;w=3600');
    await answer(me, 200, {
      service_account: { id: account.id, name: "ERP" },
      organization: ada.organization,
      role: "editor",
      scopes: ["read:emissions", "write:emissions"],
      token: shown,
    });
  });

  it("defaults to all scopes of the role except manage:*, and refuses others", async () => {
    const ada = await signUp(gateway);
    for (const role of ["viewer", "editor", "admin"] as const) {
      const { call } = await addServiceAccount(gateway, ada, { role });
      expect((await call("/v1/auth/me")).body.data).toMatchObject({
        role,
        scopes: ROLE_SCOPES[role].filter((scope) => !scope.startsWith("manage:")),
      });
    }
    for (const [json, path] of [
      [{ role: "viewer", scopes: ["write:emissions"] }, "scopes"],
      [{ role: "editor", scopes: ["manage:keys"] }, "scopes"],
      [{ role: "admin", scopes: ["manage:organization"] }, "scopes[0]"],
      [{ role: "admin", scopes: [] }, "scopes"],
      [{ role: "owner" }, "role"],
      [{ role: "viewer", expires_at: NOW.toISOString() }, "expires_at"],
    ] as const)
      await refused(ada.call(PATH, { json: { name: "Odd", ...json } }), 422, [path]);
  });

  it("drops the scopes of an account that a lower role lacks", async () => {
    const ada = await signUp(gateway);
    const scopes = ["read:market", "write:market"];
    const account = await addServiceAccount(gateway, ada, { scopes: [...scopes, "manage:keys"] });
    const patch = (json: object) => ada.call<Body>(`${PATH}/${account.id}`, { method: "PATCH", json });
    const changed = { name: "BI", role: "editor", scopes, version: 2 };
    await answer(patch({ name: "BI", role: "editor" }), 200, expect.objectContaining(changed));
    expect((await answer(account.call("/v1/auth/me"), 200)).scopes).toEqual(scopes);
    await refused(patch({ role: "viewer", scopes: ["write:market"] }), 422);
  });

  it("rotates a token; the old one works for the overlap, and no third is created", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada, { expires_at: later(2 * DAY_MS).toISOString() });
    const rotate = (overlap_hours: number) =>
      ada.call(`${PATH}/${account.id}/rotate`, { json: { overlap_hours } });
    await refused(rotate(2), 422);
    gateway.setNow(later(MINUTE_MS));
    const { service_account: shown, token } = await issued(rotate(1), 200);
    const expiries = shown.tokens.map(({ expires_at }: Body) => Date.parse(expires_at) - NOW.getTime());
    expect([shown.version, expiries]).toEqual([2, [MINUTE_MS + HOUR_MS, MINUTE_MS + 2 * DAY_MS]]);
    await refused(rotate(0), 409);
    const second = withBearer(gateway, token);
    for (const { call } of [account, second]) await answer(call("/v1/auth/me"), 200);
    gateway.setNow(later(MINUTE_MS + HOUR_MS));
    await refused(account.call("/v1/auth/me"), 401, undefined, "UNAUTHENTICATED");
    await answer(second.call("/v1/auth/me"), 200);
  });

  it("revokes an account and its tokens permanently", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada);
    const path = `${PATH}/${account.id}`;
    await answer(account.call("/v1/emissions/records"), 200);
    const gone = expect.objectContaining({ status: "revoked", tokens: [], version: 2 });
    const revoked = await answer(ada.call(path, { method: "DELETE" }), 200, gone);
    await answer(ada.call(path, { method: "DELETE" }), 200, revoked);
    const late = await account.call("/v1/emissions/records");
    await refused(late, 401, undefined, "UNAUTHENTICATED");
    expect(late.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
    await refused(ada.call(`${path}/rotate`, { json: {} }), 409);
    await refused(ada.call(path, { method: "PATCH", json: { name: "Back" } }), 409);
    const { items } = await answer(ada.call(`${PATH}?status=revoked`), 200);
    expect(items).toMatchObject([{ id: account.id }]);
  });

  it("needs a password within 10 minutes for any change that grants more", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada, { role: "editor", scopes: ["read:market"] });
    gateway.setNow(later(11 * MINUTE_MS));
    const patch = (json: object) => ada.call(`${PATH}/${account.id}`, { method: "PATCH", json });
    for (const call of [
      ada.call(PATH, { json: { name: "Late", role: "viewer" } }),
      ada.call(`${PATH}/${account.id}/rotate`, { json: {} }),
      patch({ role: "admin" }),
      patch({ scopes: ["read:market", "read:credits"] }),
    ])
      await refused(call, 403, undefined, "REAUTHENTICATION_REQUIRED");
    await answer(patch({ name: "BI", role: "viewer" }), 200);
    await answer(ada.call(`${PATH}/${account.id}`, { method: "DELETE" }), 200);
  });

  it("allows 20 accounts that are not revoked", async () => {
    const ada = await signUp(gateway);
    const accounts = await Promise.all(Array.from({ length: 20 }, () => addServiceAccount(gateway, ada)));
    const more = () => ada.call(PATH, { json: { name: "More", role: "viewer" } });
    await refused(more(), 409);
    await answer(ada.call(`${PATH}/${accounts[0]?.id}`, { method: "DELETE" }), 200);
    await answer(more(), 201);
  });
});

describe("a service account's token", () => {
  it("is refused in the wrong place, together with a key, or if invalid", async () => {
    const ada = await signUp(gateway);
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    const { token } = await addServiceAccount(gateway, ada);
    const bearer = { Authorization: `Bearer ${token}` };
    const reasons = async (path: string, headers: Record<string, string> = {}) => {
      const { status, headers: sent, body } = await gateway.call<Envelope>(path, { headers });
      return [status, body.error?.code, sent.get("www-authenticate")];
    };
    const misplaced = [401, "INVALID_KEY", 'ApiKey error="misplaced"'];
    expect(await reasons("/v1/facilities", { "X-API-Key": token })).toEqual(misplaced);
    expect(await reasons("/ext/v1/emissions", { "X-API-Key": token })).toEqual(misplaced);
    expect(await reasons(`/v1/facilities?token=${token}`)).toEqual(misplaced);
    expect(await reasons(`/ext/v1/emissions?token=${token}`)).toEqual(misplaced);
    expect(await reasons("/v1/facilities", { ...bearer, "X-API-Key": key })).toEqual([
      400,
      "BAD_REQUEST",
      null,
    ]);
    expect(await reasons("/ext/v1/emissions", bearer)).toEqual([
      401,
      "INVALID_KEY",
      'ApiKey error="missing"',
    ]);
    expect(await reasons("/ext/v1/emissions", { ...bearer, "X-API-Key": key })).toEqual([
      200,
      undefined,
      null,
    ]);
    const last = token.endsWith("a") ? "b" : "a";
    for (const bad of [token.slice(0, -1) + last, token.slice(0, 20), `${token}a`, "cgw_svc_"]) {
      const [status, code, header] = await reasons("/v1/facilities", { Authorization: `Bearer ${bad}` });
      expect([status, code, header]).toEqual([
        401,
        "UNAUTHENTICATED",
        expect.stringMatching(/^Bearer error="invalid_token"/),
      ]);
    }
  });

  it("writes within its scopes, as itself in records and audit trail", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada, { role: "editor", name: "ERP" });
    const json = { recorded_on: "2026-11-01", scope: "scope_1", co2e_tonnes: "1.5", reference: "a" };
    const record = await answer(account.call("/v1/emissions/records", { json }), 201);
    expect(record.created_by).toBe(account.id);
    const { items } = await answer(ada.call("/v1/audit/log"), 200);
    expect(items[0]).toMatchObject({
      action: "emission_record.created",
      actor: { type: "service_account", id: account.id, name: "ERP" },
    });
    expect(items.slice(0, 3).map(({ action }: Body) => action)).toEqual([
      "emission_record.created",
      "service_account_token.created",
      "service_account.created",
    ]);
    expect(JSON.stringify(items)).not.toContain(account.token);
    // One more entry, by a command.
    await makeKey(gateway.database, ada.organization.slug);
    const verified = { ok: true, entries: items.length + 1 };
    expect(await answer(ada.call("/v1/audit/log/verify"), 200)).toMatchObject(verified);
  });

  it("is stored in no table", async () => {
    const { token } = await addServiceAccount(gateway, await signUp(gateway));
    const { select } = gateway.database;
    const tables = await select<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()",
      [],
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["service_account_tokens", "audit_entries", "notifications"]),
    );
    for (const { name } of tables) {
      const rows = `SELECT FROM ${name} AS t WHERE position($1 IN to_jsonb(t)::text) > 0`;
      expect([name, await select(rows, [token.slice(8, -6)])]).toEqual([name, []]);
    }
  });

  it("is refused where only people may act, regardless of scopes", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada, { scopes: [...ROLE_SCOPES.admin] });
    const id = randomUUID();
    for (const [path, init] of [
      ["/v1/auth/login", { json: { email: "ada@example.org", password: "x" } }],
      ["/v1/auth/refresh", { json: { refresh_token: "x" } }],
      ["/v1/auth/logout", { json: {} }],
      ["/v1/auth/reauthenticate", { json: { password: "x" } }],
      ["/v1/auth/organization", { json: { slug: "x" } }],
      [`/v1/verification/requests/${id}/decide`, { json: { opinion: "unmodified", statement: "x" } }],
      [`/v1/members/${ada.user.id}`, { method: "PATCH", json: { role: "admin" } }],
      [`/v1/members/${ada.user.id}`, { method: "DELETE" }],
      ["/v1/invitations", { json: { email: "new@example.org", role: "owner" } }],
    ] as const)
      await refused(account.call(path, init), 403);
    const { body } = await account.graphql(
      "{ viewer { role } caller { viewer { role } serviceAccount { role } } }",
    );
    expect(body.data).toEqual({ viewer: null, caller: { viewer: null, serviceAccount: { role: "ADMIN" } } });
  });

  it("manages keys for up to 90 days, and members, if granted explicitly", async () => {
    const ada = await signUp(gateway);
    const editor = await addMember(gateway, ada.organization.slug, "editor");
    const account = await addServiceAccount(gateway, ada, {
      name: "HR",
      scopes: ["manage:keys", "manage:members", "read:market"],
    });
    const key = (expires_at: string | undefined, scope = "read:market") =>
      account.call("/v1/api-keys", { json: { name: "ERP", tier: "pro", scopes: [scope], expires_at } });
    await refused(key(later(DAY_MS).toISOString(), "read:credits"), 422);
    await refused(key(undefined), 422);
    await refused(key(later(91 * DAY_MS).toISOString()), 422);
    const created = await answer(key(later(90 * DAY_MS).toISOString()), 201);
    learnKeys(created.key);
    expect(created.created_by).toEqual({ id: account.id, name: "HR" });
    const forever = { method: "PATCH", json: { expires_at: null } };
    await refused(account.call(`/v1/api-keys/${created.id}`, forever), 422);

    await answer(account.call("/v1/members"), 200);
    const demote = { method: "PATCH", json: { role: "viewer" } };
    const path = `/v1/members/${editor.user.id}`;
    // It lacks scopes of the role.
    await refused(account.call(path, demote), 403);
    const scopes = ["manage:members", ...ROLE_SCOPES.viewer];
    const manager = await addServiceAccount(gateway, ada, { name: "HR", scopes });
    expect((await answer(manager.call(path, demote), 200)).role).toBe("viewer");
  });
});
