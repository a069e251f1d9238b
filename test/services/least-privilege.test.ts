import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { examine } from "../../src/commands/doctor/doctor.js";
import { SERVED_TABLES, SERVING_WRITES } from "../../src/data/database/schema/serving-role.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import { write } from "../../src/data/database/transaction.js";
import type { Database } from "../../src/data/database/types.js";
import { prune } from "../../src/data/database/upkeep/prune.js";
import { TABLES } from "../../src/generated/tables.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { addBenchmark, addFeed, addPrice, addTenantData } from "../support/fixtures.js";
import { MAIN } from "../support/main-file.js";
import { blocksOf, readPage, sectionOf } from "../support/pages.js";
import { withClient } from "../support/pg-client.js";
import { createPostgresServer } from "../support/postgres-server.js";
import { type RunningProcess, runGateway, startInProduction, temporaryFolder } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import { runCommand } from "../support/run-command.js";
import { learnKeys, learnPassword } from "../support/secrets.js";
import { FOR_PEOPLE } from "../support/selections.js";
import { type Envelope, makeKey } from "../support/server.js";

const page = await readPage("docs/operations.md");
const roles = sectionOf(page, "## Roles of PostgreSQL");
const operations = await Promise.all(
  ["README.md", "docs/graphql.md"].map(async (page) => blocksOf(await readPage(page), "graphql")),
);
// Its own, because others that may act as the writing role change what commands say.
const server = await createPostgresServer({});
await server.start();
afterAll(() => server.remove());
const serverUrl = server.url;

const suffix = randomBytes(6).toString("hex");
const [owner, role] = [`gateway_test_owner_${suffix}`, `gateway_test_role_${suffix}`];
/** Returns the documented statements on the server and in the database, with other names. */
const statementsFor = (names: { owner: string; role: string; database: string }) =>
  blocksOf(roles, "sql")
    .flatMap((sql) => sql.split("\\connect gateway\n"))
    .map((sql) =>
      sql
        .replaceAll(/\bgateway_owner\b/g, names.owner)
        .replaceAll(/\bDATABASE gateway\b/g, `DATABASE ${names.database}`)
        .replaceAll(/\bgateway(?=\b|_2\b)/g, names.role)
        .split(";\n")
        // Created once.
        .filter((statement) => statement.trim() !== "" && statement !== "CREATE ROLE gateway_writer"),
    );
const [onServer = [], inDatabase = [], forSecond = []] = statementsFor({ owner, role, database: role });
const databaseUrl = new URL(`/${role}`, serverUrl).href;
const urlOf = (user: string, name = role) => {
  const url = new URL(`/${name}`, serverUrl);
  [url.username, url.password] = [user, ""];
  return url.href;
};

async function run(url: string, statements: readonly string[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

describe("the documented roles of PostgreSQL", () => {
  let database: Database;
  let key: string;
  let keyId: string;
  let gateway: RunningProcess;
  const env = { DATABASE_URL: urlOf(role), REDIS_URL: redisUrl ?? "" };
  beforeAll(async () => {
    await run(serverUrl, ["CREATE ROLE gateway_writer", ...onServer]);
    await run(databaseUrl, inDatabase);
    const migrated = await runCommand(["migrate", "--grant-to", role], {
      env: { DATABASE_URL: urlOf(owner) },
    });
    expect([migrated.code, migrated.stdout]).toEqual([0, expect.stringContaining("Applied")]);
    database = openPostgres(urlOf(owner), { statementTimeoutMs: 0, onError: () => undefined });
    await addTenantData(database, { name: "ACME", digits: 5, framework: "CDP" });
    await addBenchmark(database);
    await addPrice(database, null);
    await addFeed(database, new Date());
    ({ key, id: keyId } = await makeKey(database, "acme"));
    gateway = await startInProduction(env);
  });
  afterAll(async () => {
    await gateway?.stop();
    await database?.close();
  });

  it("grant reading every table except those for undoing imports and writing the audit trail", async () => {
    const tables = await database.select<{ name: string; isReadable: boolean }>(
      `SELECT tablename AS name, has_table_privilege($1, format('public.%I', tablename), 'SELECT') AS "isReadable"
       FROM pg_tables WHERE schemaname = 'public'`,
      [role],
    );
    expect(tables.map(({ name }) => name).toSorted()).toEqual(
      [...Object.values(TABLES), "_prisma_migrations"].toSorted(),
    );
    const readable = tables.filter(({ isReadable }) => isReadable).map(({ name }) => name);
    expect(readable.toSorted()).toEqual(SERVED_TABLES.toSorted());
  });

  it("let the gateway serve every endpoint, and all of GraphQL that keys can read", async () => {
    for (const { path } of endpoints) {
      const { status, body } = await gateway.rest(path, key);
      expect([path, status, body.success]).toEqual([path, 200, true]);
    }
    const [record] = await database.prisma.facility.findMany();
    const forPeople = new RegExp(`^\\s*mutation|\\b(?:${FOR_PEOPLE.join("|")})\\b`);
    for (const operation of operations.flat().filter((text) => !forPeople.test(text))) {
      const variables = {
        facility: record?.id,
        code: record?.code,
        days: { from: "2026-01-01", to: "2026-12-31" },
      };
      const { status, body } = await gateway.graphql(operation, key, variables);
      expect([status, body.errors]).toEqual([200, undefined]);
    }
  });

  it("let users sign in, manage their organization and read its audit trail", async () => {
    const asOwner = { env: { DATABASE_URL: urlOf(owner) } };
    const [email, password] = ["ada@example.com", "a heron by the river"];
    learnPassword(password);
    const tokenOf = (text: string) => /cgw_(?:inv|lnk)_\w+/.exec(text)?.[0];
    const addOwner = ["users", "create", "--organization", "acme", "--email", email, "--role", "owner"];
    const invited = await runCommand(addOwner, asOwner);
    expect(invited.code).toBe(0);

    const serving = await startInProduction(env);
    /** Sends a request, expects `status`, and returns the data. */
    const ask = async (status: number, call: string, token?: string, json?: unknown) => {
      const [method = "", path] = call.split(" ");
      const { status: found, body } = await serving.call<Envelope>(`/v1/${path}`, {
        method,
        headers: {
          ...(token && { Authorization: `Bearer ${token}` }),
          ...(json !== undefined && { "Content-Type": "application/json" }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
      expect([call, found, body.error ?? null]).toEqual([call, status, null]);
      learnKeys(JSON.stringify(body));
      // biome-ignore lint/suspicious/noExplicitAny: the endpoint's own test asserts the shape of its response
      return body.data as any;
    };
    const register = (text: string, name: string) =>
      ask(201, "POST auth/register", undefined, { invitation: tokenOf(text), password, name });

    const ada = (await register(invited.stdout, "Ada")).session.access_token;
    for (const path of ["auth/me", "auth/sessions", "members", "invitations", "api-keys"]) {
      await ask(200, `GET ${path}`, ada);
    }
    const invite = { email: "grace@example.com", role: "viewer" };
    await ask(200, `DELETE invitations/${(await ask(201, "POST invitations", ada, invite)).id}`, ada);
    const grace = await register((await ask(201, "POST invitations", ada, invite)).link, "Grace");
    await ask(200, `PATCH members/${grace.user.id}`, ada, { role: "admin" });
    await ask(200, "GET members", grace.session.access_token);

    const settings = { name: "ERP", scopes: ["read:emissions"], tier: "pro" };
    const made = await ask(201, "POST api-keys", ada, settings);
    await ask(200, `PATCH api-keys/${made.id}`, ada, { tier: "free" });
    const rotated = await ask(201, `POST api-keys/${made.id}/rotate`, ada, { overlap_hours: 1 });
    expect((await serving.rest("/emissions", rotated.key)).status).toBe(200);
    expect((await serving.rest("/emissions", made.key)).status).toBe(200);
    await ask(200, `DELETE api-keys/${made.id}`, ada);

    await ask(200, "GET audit/log", ada);
    expect(await ask(200, "GET audit/log/verify", ada)).toMatchObject({ ok: true });
    const trail = await serving.call<string>("/v1/audit/log/export", {
      headers: { Authorization: `Bearer ${ada}` },
    });
    expect([trail.status, trail.body]).toEqual([200, expect.stringContaining("api_key.rotated")]);

    const refreshed = await ask(200, "POST auth/refresh", undefined, {
      refresh_token: grace.session.refresh_token,
    });
    await ask(200, "POST auth/logout", refreshed.session.access_token, {});
    await ask(200, `DELETE members/${grace.user.id}`, ada);
    const linked = await runCommand(["users", "sign-in-link", email], asOwner);
    await ask(200, "POST auth/link", undefined, { token: tokenOf(linked.stdout) });
    const { session } = await ask(200, "POST auth/login", undefined, { email, password });
    const { access_token: signedIn, id } = session;
    // The last use is recorded once a minute, in the background.
    await run(urlOf(owner), [
      `UPDATE sessions SET last_used_at = last_used_at - interval '1 hour' WHERE id = '${id}'`,
    ]);
    const before = await database.prisma.session.findUniqueOrThrow({ where: { id } });
    await ask(200, "GET auth/me", signedIn);
    await vi.waitUntil(
      async () => {
        const { lastUsedAt } = await database.prisma.session.findUniqueOrThrow({ where: { id } });
        return lastUsedAt > before.lastUsedAt;
      },
      { timeout: 60_000 },
    );
    const confirmed = await ask(200, "POST auth/reauthenticate", signedIn, { password });
    const again = confirmed.session.access_token;
    await ask(200, "POST auth/organization", again, { slug: "acme" });
    await ask(200, "POST auth/password", again, { current: password, new: `${password} again` });

    await serving.stop();
    const uses = await database.prisma.apiKeyUsage.findMany({ where: { keyId: rotated.id } });
    expect(uses.map(({ requests }) => requests)).toEqual([1n]);
    expect(serving.log().filter(({ level }) => level >= 40)).toEqual([]);
  });

  it("let the gateway record a key's last use, and notice a revoked key", async () => {
    const stored = await database.prisma.apiKey.findUnique({ where: { id: keyId } });
    expect(stored?.lastUsedAt).toBeInstanceOf(Date);
    const other = await makeKey(database, "acme");
    expect((await gateway.rest("/market", other.key)).status).toBe(200);
    const revoked = await runCommand(["keys", "revoke", other.id], { env: { DATABASE_URL: urlOf(owner) } });
    expect(revoked.code).toBe(0);
    await expect.poll(async () => (await gateway.rest("/market", other.key)).status).toBe(401);
  });

  it("satisfy doctor", async () => {
    const { failures, checks } = await examine({ ...env, NODE_ENV: "production" }, () => new Date());
    expect(failures).toBe(0);
    const rights = checks.filter(({ check }) => /role$/.test(check));
    expect(rights.map(({ check, status }) => [check, status])).toEqual([
      ["database role", "ok"],
      ["writing role", "ok"],
    ]);
  });

  it("let only pruning write, and users' requests, which use the writing role", async () => {
    const serving = openPostgres(urlOf(role), { statementTimeoutMs: 0, onError: () => undefined });
    const { id } = await database.prisma.organization.findFirstOrThrow();
    const rename = "UPDATE organizations SET name = 'Renamed'";
    const actor = { type: "user", id: randomUUID() } as const;
    const request = { actor, organizationId: id, requestId: randomUUID() };
    onTestFinished(() => serving.close());
    expect(await write(serving, request, ({ execute }) => execute(rename))).toBe(1);
    await prune(serving);
    await expect(write(serving, "serve", ({ execute }) => execute(rename))).rejects.toThrow(
      "permission denied for table organizations",
    );
  });

  it("let the gateway move the last use of a session only forward, and not beyond now", async () => {
    const serving = openPostgres(urlOf(role), { statementTimeoutMs: 0, onError: () => undefined });
    const outside = `SELECT FROM sessions WHERE last_used_at < created_at OR last_used_at > now()`;
    onTestFinished(() => serving.close());
    expect((await database.select("SELECT FROM sessions", [])).length).toBeGreaterThan(0);
    for (const time of ["0001-01-01", "9999-12-31"]) {
      await serving.transaction(({ execute }) => execute(`UPDATE sessions SET last_used_at = '${time}'`));
      expect(await database.select(outside, [])).toEqual([]);
    }
  });

  it.each([
    ...SERVED_TABLES.map((table) => `TRUNCATE ${table}`),
    ...SERVED_TABLES.flatMap((table) => [
      ...(SERVING_WRITES.includes(`DELETE ON ${table}`) ? [] : [`DELETE FROM ${table}`]),
      ...(SERVING_WRITES.includes(`INSERT ON ${table}`) ? [] : [`INSERT INTO ${table} DEFAULT VALUES`]),
    ]),
    "UPDATE api_keys SET hash = hash",
    "UPDATE api_keys SET tier = 'enterprise', last_used_at = now()",
    "UPDATE organizations SET name = 'x'",
    "UPDATE emission_records SET co2e_tonnes = 0",
    "UPDATE users SET is_super_admin = true",
    "UPDATE sessions SET expires_at = 'tomorrow', last_used_at = now()",
    "UPDATE sign_in_links SET used_at = NULL",
    "SELECT * FROM audit_pending",
    "INSERT INTO key_events (key_id, organization_id, kind, database_user) VALUES (gen_random_uuid(), gen_random_uuid(), 'revoked', 'x')",
    "SELECT key_event_add('revoked', k, NULL, NULL) FROM api_keys k",
    "ALTER TABLE api_keys DISABLE TRIGGER ALL",
    "CREATE TABLE mine (id int)",
    "CREATE TEMPORARY TABLE mine (id int)",
  ])("do not let the gateway do anything else: %s", async (statement) => {
    await expect(run(urlOf(role), [statement])).rejects.toThrow(/permission denied|must be owner/);
  });

  it("do not let writing commands use the gateway's role", async () => {
    const { code, stdout, stderr } = await runCommand(["keys", "update", keyId, "--tier", "free"], { env });
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toEqual(
      expect.stringContaining(
        "PostgreSQL: permission denied for table organizations. Run commands as the role that owns the schema. See Roles of PostgreSQL in docs/operations.md.\n",
      ),
    );
    expect((await database.prisma.apiKey.findUnique({ where: { id: keyId } }))?.tier).toBe("enterprise");
  });

  it.each([
    ["the same names", { owner, role, database: `${role}_restored` }],
    ["other names", { owner: `${owner}_2`, role: `${role}_2`, database: `${role}_2` }],
  ])("can be created under %s, and a documented backup restored", async (_names, names) => {
    const [create = [], inside = []] = statementsFor(names);
    await run(
      serverUrl,
      names.owner === owner ? create.filter((sql) => !/ROLE|^GRANT gateway_w/.test(sql)) : create,
    );
    onTestFinished(async () => {
      await run(serverUrl, [`DROP DATABASE ${names.database} WITH (FORCE)`]);
      if (names.owner !== owner) await run(serverUrl, [`DROP ROLE ${names.owner}, ${names.role}`]);
    });
    await run(urlOf("postgres", names.database), inside);
    const serves = { ...env, DATABASE_URL: urlOf(names.role, names.database) };
    const documented = blocksOf(sectionOf(page, "## Setup"), "sh").find((text) =>
      text.includes("pg_restore"),
    );
    const [dump = "", restore = "", ...commands] = documented?.trim().split("\n") ?? [];
    const file = join(temporaryFolder(), "gateway.dump");
    const shell = (line: string, url: string) =>
      promisify(execFile)("bash", [
        "-ec",
        line
          .replaceAll(/postgresql:\S+/g, url)
          .replaceAll("gateway.dump", file)
          .replace("--grant-to gateway", `--grant-to ${names.role}`)
          .replace("npm run gateway --", `${process.execPath} ${MAIN}`),
      ]);
    await shell(dump, urlOf(owner));
    await shell(restore, urlOf(names.owner, names.database));

    // Before `migrate`, the gateway says what it lacks.
    const before = await examine(serves, () => new Date());
    const remedy = `npm run gateway -- migrate --grant-to ${names.role}`;
    expect(before.checks.filter(({ status }) => status === "failure")).toEqual([
      {
        check: "database role",
        status: "failure",
        message: expect.stringMatching(/ cannot read organizations, users, (\w+, )*\w+ and \d+ more\.$/),
        mend: `As the owner: ${remedy}`,
      },
      {
        check: "migrations",
        status: "failure",
        message: `The role ${names.role} may not read the gateway's tables. As their owner, run: ${remedy}`,
        mend: "Fix this, and run doctor again.",
      },
    ]);

    for (const command of commands) await shell(command, urlOf(names.owner, names.database));
    const { checks } = await examine(serves, () => new Date());
    expect(checks.filter(({ status }) => status === "failure")).toEqual([]);
    const serving = await startInProduction(serves);
    expect((await serving.ready()).body).toMatchObject({ status: "ok" });
    expect((await serving.rest("/emissions", key)).body.data).toEqual(
      (await gateway.rest("/emissions", key)).body.data,
    );
    const refused = await serving.call<Envelope>("/v1/auth/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      // Nobody else's attempts count against this address.
      body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: "a heron by the river" }),
    });
    expect([refused.status, refused.body.error?.code]).toEqual([401, "INVALID_CREDENTIALS"]);

    // Readiness notices what the roles lose while the gateway serves.
    const asOwner = urlOf(names.owner, names.database);
    await run(asOwner, ["REVOKE USAGE ON SCHEMA public FROM gateway_writer"]);
    expect(await serving.ready()).toMatchObject({
      status: 200,
      body: { status: "degraded", writing_role: "not_granted" },
    });
    await run(asOwner, [`REVOKE SELECT ON users FROM ${names.role}`]);
    expect(await serving.ready()).toMatchObject({
      status: 503,
      body: { status: "unavailable", database: "up", database_role: "cannot_read" },
    });
    const granted = await Promise.all(
      [1, 2].map(() => runGateway(["migrate", "--grant-to", names.role], { env: { DATABASE_URL: asOwner } })),
    );
    expect(granted.map(({ code }) => code)).toEqual([0, 0]);
    expect(granted.map(({ stderr }) => /Granted.*/.exec(stderr)?.[0] ?? "").toSorted()).toEqual([
      "",
      "Granted gateway_writer what it lacked: USAGE ON SCHEMA public.",
    ]);
    expect((await serving.ready()).body).toMatchObject({ status: "ok" });
    await serving.stop();
  });

  it("let a second serving role take over, so that the password can change", async () => {
    const second = `${role}_2`;
    await run(databaseUrl, forSecond);
    onTestFinished(() =>
      run(databaseUrl, [`ALTER ROLE ${role} LOGIN`, `DROP OWNED BY ${second}`, `DROP ROLE ${second}`]),
    );
    const granted = await runCommand(["migrate", "--grant-to", second], {
      env: { DATABASE_URL: urlOf(owner) },
    });
    expect(granted.code).toBe(0);
    const next = await startInProduction({ ...env, DATABASE_URL: urlOf(second) });
    onTestFinished(async () => void (await next.stop()));
    for (const serving of [gateway, next])
      expect((await serving.ready()).body).toMatchObject({ status: "ok" });
    await run(serverUrl, [
      `ALTER ROLE ${role} NOLOGIN`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
    ]);
    expect((await next.rest("/emissions", key)).status).toBe(200);
    const { checks } = await examine({ ...env, DATABASE_URL: urlOf(second) }, () => new Date());
    expect(checks.filter(({ status }) => status === "failure")).toEqual([]);
  });

  it("are named by commands that find them missing or without LOGIN", async () => {
    const missing = `gateway_test_missing_${suffix}`;
    const advice = "Create the role, or give it LOGIN. See Roles of PostgreSQL in docs/operations.md.";
    const migrate = async (user: string, ...args: string[]) =>
      (await runCommand(["migrate", "--json", ...args], { env: { DATABASE_URL: urlOf(user) } })).stderr;
    expect(await migrate(missing)).toBe(`PostgreSQL: role "${missing}" does not exist. ${advice}\n`);
    expect(await migrate(owner, "--grant-to", missing)).toBe(
      `PostgreSQL: role "${missing}" does not exist. ${advice}\n`,
    );
    expect(await migrate("gateway_writer")).toBe(
      `PostgreSQL: role "gateway_writer" is not permitted to log in. ${advice}\n`,
    );
  });

  it("let nobody grant the owner what only the serving role needs", async () => {
    const wrong = { ...env, DATABASE_URL: urlOf(owner) };
    const advice = `${owner} owns the tables, and is for commands: set DATABASE_URL to the role that serves.`;
    const { checks } = await examine(wrong, () => new Date());
    expect(checks.find(({ check }) => check === "writing role")?.mend).toContain(advice);
    const served = await startInProduction(wrong);
    onTestFinished(async () => void (await served.stop()));
    expect(served.stderr()).toContain(advice);
  });

  it("refuse other roles of the server", async () => {
    const stranger = `gateway_test_stranger_${suffix}`;
    await run(serverUrl, [`CREATE ROLE ${stranger} LOGIN`]);
    onTestFinished(() => run(serverUrl, [`DROP ROLE ${stranger}`]));
    await expect(run(urlOf(stranger), ["SELECT 1"])).rejects.toThrow("permission denied for database");
  });
});
