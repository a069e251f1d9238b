import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { ROLE_SCOPES } from "../../src/domain/people/roles.js";
import { addMember, signUp } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { type Envelope, makeKey, NOW } from "../support/server.js";
import { addServiceAccount, withBearer } from "../support/service-accounts.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/service-accounts";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const later = (ms: number) => new Date(NOW.getTime() + ms);

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const codeOf = ({ status, body }: { status: number; body: Envelope }) => [status, body.error?.code ?? null];

const pathsOf = ({ error }: Envelope) =>
  (error as { details?: { path: string }[] } | null)?.details?.map(({ path }) => path);

interface Issued {
  readonly service_account: {
    readonly id: string;
    readonly version: number;
    readonly tokens: readonly object[];
  };
  readonly token: string;
}

const issuedOf = ({ body }: { body: Envelope }): Issued => {
  const issued = body.data as Issued;
  learnKeys(issued.token);
  return issued;
};

describe("/v1/service-accounts", () => {
  it("creates an account, and shows its token only once", async () => {
    const ada = await signUp(gateway);
    const expires = later(30 * DAY_MS).toISOString();
    const created = await ada.call(PATH, {
      json: {
        name: " ERP ",
        role: "editor",
        scopes: ["write:emissions", "read:emissions"],
        expires_at: expires,
      },
    });
    const { service_account: account, token } = issuedOf(created);
    expect(token).toMatch(/^cgw_svc_[0-9A-Za-z]{38}$/);
    const display = `${token.slice(0, 12)}…${token.slice(-4)}`;
    expect(account).toEqual({
      id: expect.any(String),
      name: "ERP",
      role: "editor",
      scopes: ["read:emissions", "write:emissions"],
      status: "active",
      tokens: [
        {
          id: expect.any(String),
          display,
          created_at: NOW.toISOString(),
          expires_at: expires,
          last_used_at: null,
        },
      ],
      created_by: { id: ada.user.id, name: ada.user.name },
      created_at: NOW.toISOString(),
      version: 1,
    });
    expect([created.status, created.headers.get("location")]).toEqual([201, `${PATH}/${account.id}`]);
    expect((await ada.call(`${PATH}/${account.id}`)).body.data).toEqual(account);
    expect((await ada.call(`${PATH}?status=active`)).body.data).toEqual({
      items: [account],
      next_cursor: null,
    });

    const { id: token_id } = account.tokens[0] as { id: string };
    const me = await withBearer(gateway, token).call("/v1/auth/me");
    expect([me.status, me.headers.get("ratelimit-policy"), me.body.data]).toEqual([
      200,
      '"service";q=10000;w=3600',
      {
        service_account: { id: account.id, name: "ERP" },
        organization: ada.organization,
        role: "editor",
        scopes: ["read:emissions", "write:emissions"],
        token: { id: token_id, display, expires_at: expires },
      },
    ]);
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
    ] as const) {
      const { status, body } = await ada.call(PATH, { json: { name: "Odd", ...json } });
      expect([status, body.error?.code, pathsOf(body)]).toEqual([422, "VALIDATION_FAILED", [path]]);
    }
  });

  it("changes an account if If-Match has its version; a lower role drops its scopes", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada, {
      scopes: ["read:market", "write:market", "manage:keys"],
    });
    const patch = (json: object, version: string) =>
      ada.call(`${PATH}/${account.id}`, { method: "PATCH", json, headers: { "If-Match": version } });
    const changed = await patch({ name: "BI", role: "editor" }, '"1"');
    expect([changed.status, changed.headers.get("etag"), changed.body.data]).toEqual([
      200,
      expect.stringMatching(/^"2-/),
      expect.objectContaining({
        name: "BI",
        role: "editor",
        scopes: ["read:market", "write:market"],
        version: 2,
      }),
    ]);
    expect((await account.call("/v1/auth/me")).body.data).toMatchObject({
      scopes: ["read:market", "write:market"],
    });
    expect(codeOf(await patch({ name: "Late" }, '"1"'))).toEqual([409, "CONFLICT"]);
    expect(codeOf(await patch({ role: "viewer", scopes: ["write:market"] }, "*"))).toEqual([
      422,
      "VALIDATION_FAILED",
    ]);
  });

  it("rotates a token; the old one works for the overlap, and no third is created", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada, { expires_at: later(2 * DAY_MS).toISOString() });
    const rotate = (overlap_hours: number) =>
      ada.call(`${PATH}/${account.id}/rotate`, { json: { overlap_hours } });
    expect(codeOf(await rotate(2))).toEqual([422, "VALIDATION_FAILED"]);
    gateway.setNow(later(MINUTE_MS));
    const rotated = await rotate(1);
    const { service_account: shown, token } = issuedOf(rotated);
    expect([rotated.status, shown]).toEqual([
      200,
      expect.objectContaining({
        version: 2,
        tokens: [
          expect.objectContaining({ expires_at: later(MINUTE_MS + HOUR_MS).toISOString() }),
          expect.objectContaining({ expires_at: later(MINUTE_MS + 2 * DAY_MS).toISOString() }),
        ],
      }),
    ]);
    expect(codeOf(await rotate(0))).toEqual([409, "CONFLICT"]);
    const second = withBearer(gateway, token);
    expect([(await account.call("/v1/auth/me")).status, (await second.call("/v1/auth/me")).status]).toEqual([
      200, 200,
    ]);
    gateway.setNow(later(MINUTE_MS + HOUR_MS));
    expect([codeOf(await account.call("/v1/auth/me")), (await second.call("/v1/auth/me")).status]).toEqual([
      [401, "UNAUTHENTICATED"],
      200,
    ]);
  });

  it("revokes an account and its tokens permanently", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada);
    expect((await account.call("/v1/emissions/records")).status).toBe(200);
    const revoke = () => ada.call(`${PATH}/${account.id}`, { method: "DELETE" });
    const revoked = await revoke();
    expect(revoked).toMatchObject({
      status: 200,
      body: { data: { status: "revoked", tokens: [], version: 2 } },
    });
    expect((await revoke()).body.data).toEqual(revoked.body.data);
    const refused = await account.call("/v1/emissions/records");
    expect([...codeOf(refused), refused.headers.get("www-authenticate")]).toEqual([
      401,
      "UNAUTHENTICATED",
      expect.stringMatching(/^Bearer error="invalid_token"/),
    ]);
    expect(codeOf(await ada.call(`${PATH}/${account.id}/rotate`, { json: {} }))).toEqual([409, "CONFLICT"]);
    expect(
      codeOf(await ada.call(`${PATH}/${account.id}`, { method: "PATCH", json: { name: "Back" } })),
    ).toEqual([409, "CONFLICT"]);
    expect((await ada.call(`${PATH}?status=revoked`)).body.data).toMatchObject({
      items: [{ id: account.id }],
    });
  });

  it("needs a password within 10 minutes for any change that grants more", async () => {
    const ada = await signUp(gateway);
    const account = await addServiceAccount(gateway, ada, { role: "editor", scopes: ["read:market"] });
    gateway.setNow(later(11 * MINUTE_MS));
    const patch = (json: object) => ada.call(`${PATH}/${account.id}`, { method: "PATCH", json });
    for (const answer of [
      await ada.call(PATH, { json: { name: "Late", role: "viewer" } }),
      await ada.call(`${PATH}/${account.id}/rotate`, { json: {} }),
      await patch({ role: "admin" }),
      await patch({ scopes: ["read:market", "read:credits"] }),
    ]) {
      expect(codeOf(answer)).toEqual([403, "REAUTHENTICATION_REQUIRED"]);
    }
    expect((await patch({ name: "BI", role: "viewer" })).status).toBe(200);
    expect((await ada.call(`${PATH}/${account.id}`, { method: "DELETE" })).status).toBe(200);
  });

  it("allows 20 accounts that are not revoked", async () => {
    const ada = await signUp(gateway);
    const accounts = await Promise.all(Array.from({ length: 20 }, () => addServiceAccount(gateway, ada)));
    const more = () => ada.call(PATH, { json: { name: "More", role: "viewer" } });
    expect(codeOf(await more())).toEqual([409, "CONFLICT"]);
    await ada.call(`${PATH}/${accounts[0]?.id}`, { method: "DELETE" });
    expect((await more()).status).toBe(201);
  });

  it("needs a person with manage:keys in the same organization", async () => {
    const [ada, eve] = [await signUp(gateway), await signUp(gateway)];
    const account = await addServiceAccount(gateway, ada, { scopes: ["manage:keys", "read:audit"] });
    const editor = await addMember(gateway, ada.organization.slug, "editor");
    const place = `${PATH}/${account.id}`;
    const all = async (caller: { call: typeof ada.call }, path: string) =>
      Promise.all([
        caller.call(path),
        caller.call(path, { method: "PATCH", json: { name: "Mine" } }),
        caller.call(path, { method: "DELETE" }),
        caller.call(`${path}/rotate`, { json: {} }),
      ]).then((answers) => answers.map(codeOf));
    expect(await all(account, place)).toEqual(Array(4).fill([403, "FORBIDDEN"]));
    expect(codeOf(await account.call(PATH))).toEqual([403, "FORBIDDEN"]);
    expect(codeOf(await account.call(PATH, { json: { name: "Twin", role: "viewer" } }))).toEqual([
      403,
      "FORBIDDEN",
    ]);
    expect(await all(editor, place)).toEqual(Array(4).fill([403, "FORBIDDEN"]));
    for (const path of [place, `${PATH}/${randomUUID()}`]) {
      expect(await all(eve, path)).toEqual(Array(4).fill([404, "NOT_FOUND"]));
    }
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
    const created = await account.call("/v1/emissions/records", {
      json: { recorded_on: "2026-11-01", scope: "scope_1", co2e_tonnes: "1.5", reference: "a" },
    });
    expect([created.status, created.body.data]).toEqual([
      201,
      expect.objectContaining({ created_by: account.id }),
    ]);
    const trail = await ada.call("/v1/audit/log");
    const { items } = trail.body.data as { items: readonly Record<string, unknown>[] };
    expect(items[0]).toMatchObject({
      action: "emission_record.created",
      actor: { type: "service_account", id: account.id, name: "ERP" },
    });
    expect(items.slice(0, 3).map(({ action }) => action)).toEqual([
      "emission_record.created",
      "service_account_token.created",
      "service_account.created",
    ]);
    expect(JSON.stringify(items)).not.toContain(account.token);
    // One more entry, by a command.
    await makeKey(gateway.database, ada.organization.slug);
    const verified = await ada.call("/v1/audit/log/verify");
    expect(verified.body.data).toMatchObject({ ok: true, entries: items.length + 1 });
    expect(
      codeOf(
        await account.call("/v1/api-keys", { json: { name: "K", tier: "free", scopes: ["read:market"] } }),
      ),
    ).toEqual([403, "FORBIDDEN"]);
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
    const post = { json: {} };
    const answers = await Promise.all(
      (
        [
          ["/v1/auth/sessions"],
          [`/v1/auth/sessions/${id}`, { method: "DELETE" }],
          ["/v1/auth/login", { json: { email: "ada@example.org", password: "x" } }],
          ["/v1/auth/refresh", { json: { refresh_token: "x" } }],
          ["/v1/auth/logout", post],
          ["/v1/auth/reauthenticate", { json: { password: "x" } }],
          ["/v1/auth/organization", { json: { slug: "x" } }],
          ["/v1/notifications"],
          ["/v1/users/me/notification-preferences"],
          ["/v1/conversations"],
          ["/v1/emissions/chat", { json: { message: "How much?" } }],
          [`/v1/verification/requests/${id}/decide`, { json: { opinion: "unmodified", statement: "x" } }],
          [`/v1/members/${ada.user.id}`, { method: "PATCH", json: { role: "admin" } }],
          [`/v1/members/${ada.user.id}`, { method: "DELETE" }],
          ["/v1/invitations", { json: { email: "new@example.org", role: "owner" } }],
        ] as const
      ).map(async ([path, init]) => [path, ...codeOf(await account.call(path, init))]),
    );
    expect(answers).toEqual(answers.map(([path]) => [path, 403, "FORBIDDEN"]));
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
    expect(codeOf(await key(later(DAY_MS).toISOString(), "read:credits"))).toEqual([
      422,
      "VALIDATION_FAILED",
    ]);
    expect(codeOf(await key(undefined))).toEqual([422, "VALIDATION_FAILED"]);
    expect(codeOf(await key(later(91 * DAY_MS).toISOString()))).toEqual([422, "VALIDATION_FAILED"]);
    const created = await key(later(90 * DAY_MS).toISOString());
    const { id, key: text } = created.body.data as { id: string; key: string };
    learnKeys(text);
    expect(created.body.data).toMatchObject({ created_by: { id: account.id, name: "HR" } });
    const forever = { method: "PATCH", json: { expires_at: null } };
    expect(codeOf(await account.call(`/v1/api-keys/${id}`, forever))).toEqual([422, "VALIDATION_FAILED"]);

    expect((await account.call("/v1/members")).status).toBe(200);
    const demote = { method: "PATCH", json: { role: "viewer" } };
    const path = `/v1/members/${editor.user.id}`;
    // It lacks scopes of the role.
    expect(codeOf(await account.call(path, demote))).toEqual([403, "FORBIDDEN"]);
    const scopes = ["manage:members", ...ROLE_SCOPES.viewer];
    const manager = await addServiceAccount(gateway, ada, { name: "HR", scopes });
    expect(await manager.call(path, demote)).toMatchObject({
      status: 200,
      body: { data: { role: "viewer" } },
    });
  });
});
