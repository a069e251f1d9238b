import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { generateSync } from "otplib";
import { expect, inject, it, onTestFinished } from "vitest";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { PLATFORM_CHAIN } from "../../src/data/audit/chain.js";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import { embeddedDatabase, openEmbedded } from "../../src/data/database/embedded/embedded.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import type { Database, SqlSession } from "../../src/data/database/types.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { makeEmptyServerDatabase } from "../support/database.js";
import { inShort } from "../support/full.js";
import { withClient } from "../support/pg-client.js";
import { type RunningProcess, runGateway, startProcess, temporaryFolder } from "../support/process.js";
import { redisUrl } from "../support/redis-url.js";
import type { Envelope } from "../support/server.js";

/**
 * Databases that earlier versions filled through their own endpoints and commands, named after the last migration of
 * the version: organizations, people, second factors, invitations, keys, service accounts, records with activities,
 * imports and one that was undone, a verified and a submitted period, issues, webhooks and CBAM, as far as the version
 * had them. Each is a dump by pg_dump, whose first line holds what a caller of that gateway had.
 */
const dumps = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".sql.gz"));

/** `secret` is that of an authenticator app. */
interface Person {
  readonly email: string;
  readonly secret?: string;
  readonly recovery_code?: string;
}

/** The first line of a dump. `answers` are those to the first of `people`, an owner; the second is an editor. */
interface Used {
  readonly keys: Readonly<Record<"acme" | "other", string>>;
  readonly people?: readonly Person[];
  readonly service_account?: string;
  /** Id of a record of a verified period. */
  readonly locked?: string;
  /** `data` of the answer to GET of each path. */
  readonly answers: Readonly<Record<string, object>>;
}

const SETTINGS = {
  KEY_PEPPER: "pepper-of-the-upgraded-databases-1",
  CERTIFICATE_KEY: "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g",
};
const PASSWORD = "correct horse battery staple";

/** A database with the rows of a dump. */
interface UsedDatabase {
  readonly env: Record<string, string>;
  /** Its tables as the earlier version left them. */
  readonly before: Tables;
  /** Opens it for `work`. */
  use<T>(work: (database: Database) => Promise<T>): Promise<T>;
}

async function loadOnServer(dump: string): Promise<UsedDatabase> {
  const database = await makeEmptyDatabase();
  await withClient(database.url, (client) => client.query(dump));
  return {
    env: database.env,
    before: await database.transaction((sql) => readTables(sql)),
    use: (work) => work(database),
  };
}

async function makeEmptyDatabase() {
  const template = inject("template");
  if (template.kind !== "postgres") throw new Error("the tests run without a server");
  const database = await makeEmptyServerDatabase(template.url);
  onTestFinished(() => database.close());
  return { ...database, env: { DATABASE_URL: database.url, REDIS_URL: redisUrl ?? "" } };
}

async function loadEmbedded(dump: string): Promise<UsedDatabase & { readonly env: { DATA_DIR: string } }> {
  const dataDir = temporaryFolder();
  const pglite = await PGlite.create(join(dataDir, "postgres"));
  // Roles belong to the server, so no dump has them.
  await pglite.exec("CREATE ROLE gateway_writer");
  await pglite.exec(`${dump}; RESET ALL`);
  const database = embeddedDatabase(pglite, async () => undefined);
  const before = await database.transaction((sql) => readTables(sql));
  await database.close();
  return {
    env: { DATA_DIR: dataDir },
    before,
    async use(work) {
      const migrated = await openEmbedded(dataDir, (error) => {
        throw error;
      });
      return work(migrated).finally(() => migrated.close());
    },
  };
}

/** Columns that a migration may change in rows that exist. The audit trail has its own check. */
const CHANGED: Readonly<Record<string, readonly string[]>> = {
  audit_heads: ["seq", "hash"],
  verification_requests: ["version"],
};

type Tables = ReadonlyMap<string, Table>;

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/** Reads all rows, without CHANGED and without columns that the tables of `earlier` lack. */
async function readTables({ query }: SqlSession, earlier?: Tables) {
  const tables = await query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, json_agg(column_name) AS columns
     FROM information_schema.columns JOIN pg_tables ON schemaname = table_schema AND tablename = table_name
     WHERE table_schema = 'public' GROUP BY 1 ORDER BY 1`,
  );
  const found = new Map<string, Table>();
  for (const { name, columns } of tables) {
    const known = earlier ? earlier.get(name)?.columns : columns;
    if (!known) continue;
    const left = [...columns.filter((column) => !known.includes(column)), ...(CHANGED[name] ?? [])];
    const rows = await query<{ row: string }>(
      `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM "${name}" t`,
      [left],
    );
    found.set(name, { columns, rows: rows.map(({ row }) => row).toSorted() });
  }
  return found;
}

/** Tables to which a migration adds rows. */
const APPENDED = ["_prisma_migrations", "audit_entries"];

function expectSameRows(before: Tables, after: Tables) {
  for (const [name, { rows }] of before) {
    const kept = after.get(name)?.rows;
    if (APPENDED.includes(name)) expect([name, kept]).toEqual([name, expect.arrayContaining([...rows])]);
    else expect([name, kept]).toEqual([name, rows]);
  }
}

/** Columns that a trigger fills for processes of an earlier version. */
const FILLED = ["outbox.user_id"];

/**
 * Lists what keeps processes of the earlier version, which serve until they are restarted, from reading or writing:
 * columns that went, and new ones that an INSERT must name.
 */
async function listObstacles({ query }: SqlSession, before: Tables): Promise<string[]> {
  const columns = await query<{ table: string; name: string; required: boolean }>(
    `SELECT table_name AS table, column_name AS name,
       is_nullable = 'NO' AND column_default IS NULL AND is_generated = 'NEVER' AND is_identity = 'NO' AS required
     FROM information_schema.columns WHERE table_schema = 'public'`,
  );
  const left = new Set(columns.map(({ table, name }) => `${table}.${name}`));
  const known = [...before].flatMap(([table, { columns: names }]) => names.map((name) => `${table}.${name}`));
  const added = columns.filter(({ table, name }) => before.get(table)?.columns.includes(name) === false);
  return [
    ...known.filter((name) => !left.has(name)),
    ...added.filter(({ required }) => required).map(({ table, name }) => `${table}.${name}`),
  ].filter((name) => !FILLED.includes(name));
}

/** Queues every notification as earlier versions did. Lists those that the queue does not take for their receiver. */
async function deliverAsBefore({ query }: SqlSession) {
  await query(`INSERT INTO outbox (notification_id, channel, next_at) SELECT id, 'email', now() FROM notifications
    ON CONFLICT (notification_id, channel) DO NOTHING`);
  return query(`SELECT n.id FROM notifications AS n LEFT JOIN outbox AS o
    ON o.notification_id = n.id AND o.user_id = n.user_id AND o.organization_id IS NOT DISTINCT FROM n.organization_id
    WHERE o IS NULL`);
}

const asJson = (json: object, method = "POST") => ({
  method,
  headers: { "Content-Type": "application/json", "If-Match": "*" },
  body: JSON.stringify(json),
});

type Session = (path: string, json?: object, method?: string) => Promise<[status: number, data: unknown]>;

const callWith =
  ({ call }: RunningProcess, header: Record<string, string>): Session =>
  async (path, json, method) => {
    const init = json && asJson(json, method);
    const { status, body } = await call<Envelope>(path, {
      ...init,
      headers: { ...init?.headers, ...header },
    });
    return [status, body.data];
  };
const withToken = (gateway: RunningProcess, token: string) =>
  callWith(gateway, { Authorization: `Bearer ${token}` });
const withKey = (gateway: RunningProcess, key: string) => callWith(gateway, { "X-API-Key": key });

/** Signs a person in, with a code of the app and with a recovery code if there are any. */
async function signIn(gateway: RunningProcess, person: Person): Promise<Session> {
  const post = async (path: string, json: object) => {
    const { body } = await gateway.call<Envelope>(`/v1/auth/${path}`, asJson(json));
    expect([path, body.error]).toEqual([path, null]);
    return body.data as { session?: { access_token: string }; challenge?: { token: string } };
  };
  const proofs =
    person.secret === undefined
      ? []
      : [{ code: generateSync({ secret: person.secret }) }, { recovery_code: person.recovery_code }];
  let { session, challenge } = await post("login", { email: person.email, password: PASSWORD });
  for (const proof of proofs) {
    ({ session } = await post("login/factor", { challenge: challenge?.token, ...proof }));
    ({ challenge } = await post("login", { email: person.email, password: PASSWORD }));
  }
  return withToken(gateway, session?.access_token ?? "");
}

async function readUsed(name: string): Promise<{ dump: string; used: Used }> {
  const dump = gunzipSync(await readFile(join(import.meta.dirname, name))).toString();
  return { dump, used: JSON.parse(dump.slice("-- ".length, dump.indexOf("\n"))) };
}

const isServer = inject("template").kind === "postgres";

// The migrations are the same: the oldest database takes all of them, and the newest has rows of the most tables.
const upgraded = isServer
  ? dumps
  : inShort(dumps.toSorted(), (_name, index) => index % (dumps.length - 1) === 0);

it.each(upgraded)(
  "a database of %s keeps its rows, digests, chains, certificates, people and keys",
  async (name) => {
    const { dump, used } = await readUsed(name);
    const { before, ...database } = await (isServer ? loadOnServer(dump) : loadEmbedded(dump));
    const env = { ...SETTINGS, ...database.env };
    expect(await runGateway(["migrate"], { env })).toMatchObject({ code: 0 });
    await database.use(async (migrated) => {
      expectSameRows(before, await migrated.transaction((sql) => readTables(sql, before)));
      expect(await migrated.transaction((sql) => listObstacles(sql, before))).toEqual([]);
      expect(await migrated.transaction(deliverAsBefore)).toEqual([]);
      await expectIntegrity(migrated);
    });
    await expectServed(used, env);
  },
);

it.runIf(isServer)("an embedded database is copied to a server, with everything that it keeps", async () => {
  const { dump, used } = await readUsed(dumps.toSorted().at(-1) ?? "");
  const embedded = await loadEmbedded(dump);
  const server = await makeEmptyDatabase();
  const env = { ...SETTINGS, ...server.env };
  const copy = () => runGateway(["copy-from", embedded.env.DATA_DIR], { env });
  expect(await copy()).toMatchObject({ code: 0 });
  const copied = await server.transaction((sql) => readTables(sql));
  await embedded.use(async (source) => {
    const rows = await source.transaction((sql) => readTables(sql));
    for (const left of ["_prisma_migrations", "change_sets", "removed_rows"]) rows.delete(left);
    expect([...rows.keys()].filter((name) => !copied.has(name))).toEqual([]);
    const withoutStamps = (row: string) => row.replace(/"stamp": \d+/, '"stamp": 0');
    for (const [name, table] of rows)
      expect([name, copied.get(name)?.rows]).toEqual([name, table.rows.map(withoutStamps).toSorted()]);
  });
  await expectIntegrity(server);
  const rules = `SELECT conrelid::regclass::text AS "on", conname AS name, pg_get_constraintdef(oid) AS rule FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace UNION ALL SELECT tgrelid::regclass::text, tgname, tgenabled::text
    FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2, 3`;
  const migrated = await makeEmptyDatabase();
  await migrate(migrated, MIGRATIONS_FOLDER);
  expect(await server.select(rules, [])).toEqual(await migrated.select(rules, []));
  expect(await copy()).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was copied") });
  await expectServed(used, env);
});

async function expectIntegrity(database: Database): Promise<void> {
  expect(await verifyIntegrity(database, false)).toMatchObject({
    differences: 0,
    changes: { differences: 0 },
  });
  const chains = await database.select<{ organization: string | null }>(
    "SELECT nullif(chain, $1) AS organization FROM audit_heads",
    [PLATFORM_CHAIN],
  );
  for (const { organization } of chains)
    expect(await verifyChain(database, organization)).toMatchObject({ ok: true });
}

/** Starts a gateway on a database, and signs in, reads and writes as before. */
async function expectServed(used: Used, env: Record<string, string>): Promise<void> {
  const gateway = await startProcess({ env });
  onTestFinished(() => gateway.stop().then(() => undefined));
  const sessions = [];
  for (const person of used.people ?? []) sessions.push(await signIn(gateway, person));
  const [owner, editor] = sessions;
  for (const [path, earlier] of Object.entries(used.answers)) {
    const [, data] = path.startsWith("/ext/")
      ? await withKey(gateway, used.keys.acme)(path)
      : await (owner as Session)(path);
    expect([path, data]).toMatchObject([path, asNow(earlier, gateway.url)]);
  }
  const [, credits] = await withKey(gateway, used.keys.other)("/ext/v1/credits");
  expect(credits).toMatchObject({ available_credits: 0, retired_credits: 0 });
  if (used.service_account !== undefined)
    expect((await withToken(gateway, used.service_account)("/v1/emissions/records?limit=1"))[0]).toBe(200);
  if (!editor) return;
  const record = { recorded_on: "2026-11-01", scope: "scope_1", co2e_tonnes: "1", reference: "after" };
  expect((await editor("/v1/emissions/records", record))[0]).toBe(201);
  expect((await editor(`/v1/emissions/records/${used.locked}`, { co2e_tonnes: "1" }, "PATCH"))[0]).toBe(409);
}

/** An earlier answer as a gateway at `url` gives it: a migration may count a version on. */
function asNow(earlier: object, url: string): object {
  const text = JSON.stringify(earlier).replace(/http:\/\/127\.0\.0\.1:\d+/g, url);
  return JSON.parse(text, (key, value) => (key === "version" ? expect.any(Number) : value));
}
