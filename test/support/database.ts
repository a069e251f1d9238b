import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { inject } from "vitest";
import type { Database } from "../../src/data/database/types.js";
import { watchListeners } from "./announcements.js";
import { embeddedDatabase, openPostgres } from "./served.js";

export interface TestDatabase extends Database {
  /** Undefined for the embedded database. */
  readonly url: string | undefined;
  /** Resolves when the gateways of this process have received the announcements of all earlier commits. */
  waitForAnnouncements(): Promise<void>;
}

/** A copy of the template, which test files use one after another. */
interface Copy {
  /** Runs a statement as the superuser, on a connection of its own. */
  readonly query: <Row>(sql: string) => Promise<Row[]>;
  open(): TestDatabase;
  remove(): Promise<void>;
  /** The state that a reused copy must have. */
  pristine: string;
}

/** Copies that nobody uses. Each is as the template is. */
const free: Copy[] = [];

/**
 * Opens a migrated database without rows. `close` empties it for the next one who opens one, since copying the template
 * takes seconds, or removes it if its schema was changed. `isNew` for a test of what is left of deleted rows.
 */
export async function openTestDatabase({ isNew = false } = {}): Promise<TestDatabase> {
  const copy = (isNew ? undefined : free.pop()) ?? (await copyTemplate());
  const database = copy.open();
  return {
    ...database,
    async close() {
      await database.close();
      if (!isNew && (await empty(copy))) free.push(copy);
      else await copy.remove();
    },
  };
}

async function copyTemplate(): Promise<Copy> {
  const template = inject("template");
  const copy =
    template.kind === "embedded" ? await copyEmbedded(template.file) : await copyOnServer(template);
  copy.pristine = await readState(copy);
  return copy;
}

async function copyEmbedded(template: string): Promise<Copy> {
  const pglite = await PGlite.create({ loadDataDir: new Blob([await readFile(template)]) });
  return {
    pristine: "",
    query: async <Row>(sql: string) => (await pglite.query<Row>(sql)).rows,
    open: () => embeddedTestDatabase(embeddedDatabase(lend(pglite), async () => undefined)),
    remove: () => pglite.close(),
  };
}

/** Returns `pglite` with a `close` that leaves it open for others, and after which this one refuses everything. */
function lend(pglite: PGlite): PGlite {
  let closed = false;
  const close = async () => {
    closed = true;
  };
  return new Proxy(pglite, {
    get(target, name) {
      if (name === "closed") return closed;
      if (name === "close") return close;
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return closed ? () => Promise.reject(new Error("PGlite is closed")) : value.bind(target);
    },
  });
}

async function copyOnServer({
  url: serverUrl,
  name: template,
}: {
  url: string;
  name: string;
}): Promise<Copy> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  // Global setup removes what is left of these names.
  const name = `${template}_${randomBytes(8).toString("hex")}`;
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  // No test survives a crash of this server, so no commit needs to wait for the disk.
  await admin.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  await admin.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return {
    pristine: "",
    query: async <Row>(sql: string) => (await client.query(sql)).rows as Row[],
    open() {
      const database = openPostgres(url.href, { statementTimeoutMs: 5_000, onError: () => undefined });
      return {
        ...database,
        ...watchListeners(database, (statement) => client.query(statement)),
        url: url.href,
      };
    },
    async remove() {
      await client.end();
      await dropDatabase(serverUrl, name);
    },
  };
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
}

/** Catalogs whose rows tests may change: each change gives a row a later `xmin`. */
const CATALOGS = [
  "pg_attrdef",
  "pg_attribute",
  "pg_class",
  "pg_constraint",
  "pg_default_acl",
  "pg_event_trigger",
  "pg_extension",
  "pg_index",
  "pg_policy",
  "pg_proc",
  "pg_publication",
  "pg_trigger",
  "pg_type",
];

const SETTINGS =
  "pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())";

/** Tables with rows that migrations insert. */
const SEEDED = ["_prisma_migrations", "price_index_weights", "price_indices"];

/** Reads the state of the schema and of the rows that migrations insert. */
async function readState({ query }: Copy): Promise<string> {
  const schema = [...CATALOGS, SETTINGS].map(
    (rows) => `(SELECT concat(count(*), ' ', max(xmin::text::bigint)) FROM ${rows})`,
  );
  const rows = SEEDED.map((name) => `(SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM ${name} t)`);
  const [state] = await query<{ state: string }>(`SELECT concat_ws(',', ${[...schema, ...rows]}) AS state`);
  return state?.state ?? "";
}

/** Larger tables take longer to empty than the template to copy. */
const MAX_BYTES = 8_000_000;

/** Ends all other sessions and deletes all rows; returns false if that does not make it like the template. */
async function empty(copy: Copy): Promise<boolean> {
  const { query } = copy;
  await query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  await query("DISCARD ALL");
  if ((await readState(copy)) !== copy.pristine) return false;
  const filled = await query<{ name: string; bytes: number }>(
    `SELECT relname AS name, pg_total_relation_size(oid)::int AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
       AND relname <> ALL ('{${SEEDED}}')`,
  );
  if (filled.some(({ bytes }) => bytes > MAX_BYTES)) return false;
  const names = filled.map(({ name }) => name);
  // Without triggers, which would refuse, record and announce, even for a superuser.
  const triggered = await query<{ oid: number }>(
    `UPDATE pg_class SET relhastriggers = false WHERE relhastriggers AND oid = ANY ('{${names}}'::regclass[]) RETURNING oid`,
  );
  for (const name of names) await query(`DELETE FROM ${name}`);
  await query(
    `UPDATE pg_class SET relhastriggers = true WHERE oid = ANY ('{${triggered.map(({ oid }) => oid)}}'::oid[])`,
  );
  if (names.length > 0) await query(`VACUUM ${names}`);
  // The planner would choose by the rows that are gone.
  await query(
    "DELETE FROM pg_statistic USING pg_class WHERE oid = starelid AND relnamespace = 'public'::regnamespace",
  );
  await query(
    "UPDATE pg_class SET reltuples = -1 WHERE reltuples >= 0 AND relnamespace = 'public'::regnamespace",
  );
  await query("SELECT setval(seqrelid, seqstart, false) FROM pg_sequence");
  copy.pristine = await readState(copy);
  return true;
}

/** Creates a database without even the schema on the server of the tests. `close` removes it. */
export async function makeEmptyServerDatabase(
  serverUrl: string,
): Promise<Database & { readonly url: string }> {
  const name = `gateway_test_empty_${randomBytes(8).toString("hex")}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = openPostgres(url.href, { statementTimeoutMs: 0, onError: () => undefined });
  return {
    ...database,
    url: url.href,
    async close() {
      await database.close();
      await dropDatabase(serverUrl, name);
    },
  };
}

/** Wraps the embedded database, which announces a change before it answers the statement. */
export function embeddedTestDatabase(database: Database): TestDatabase {
  return { ...database, url: undefined, waitForAnnouncements: async () => undefined };
}
