import { createHash } from "node:crypto";
import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { verifyChain } from "../../src/data/audit/verify-chain.js";
import { embeddedDatabase } from "../../src/data/database/embedded/embedded.js";
import { migrate, requireMigrated } from "../../src/data/database/schema/migrations.js";
import type { Database } from "../../src/data/database/types.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { listChain } from "../support/audit.js";
import { makeEmptyServerDatabase } from "../support/database.js";
import { withClient } from "../support/pg-client.js";
import { runGateway, temporaryFolder } from "../support/process.js";
import { runCommand, runLine } from "../support/run-command.js";

const template = inject("template");
const services = template.kind === "postgres";
/** A test of behaviour that does not depend on the database, so PostgreSQL is enough. */
const onServer = it.skipIf(!services);

/** A database without even the schema; `url` if it is on a server. */
interface EmptyDatabase extends Database {
  readonly url: string | undefined;
}

async function openEmpty(): Promise<EmptyDatabase> {
  if (template.kind === "embedded") {
    return { ...embeddedDatabase(await PGlite.create(), async () => undefined), url: undefined };
  }
  return makeEmptyServerDatabase(template.url);
}

const names = (await readdir(MIGRATIONS_FOLDER, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted();

/** Copies the migrations, and adds one after them for each of the scripts `added`; returns the folder. */
async function copyMigrations(...added: string[]): Promise<string> {
  const folder = temporaryFolder();
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  for (const [index, sql] of added.entries()) {
    await mkdir(join(folder, `99990101000000_added_${index}`));
    await writeFile(join(folder, `99990101000000_added_${index}`, "migration.sql"), sql);
  }
  return folder;
}

/** Opens an empty database, and closes it after the test. */
async function empty(): Promise<EmptyDatabase> {
  const database = await openEmpty();
  onTestFinished(() => database.close());
  return database;
}

function query<Row>(database: Database, sql: string): Promise<Row[]> {
  return database.transaction((session) => session.query<Row>(sql));
}

async function listTables(database: Database): Promise<string[]> {
  const rows = await query<{ name: string }>(
    database,
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

describe("gateway migrate", () => {
  it("applies missing migrations, and reports the second time that none are missing", async () => {
    const env = services ? { DATABASE_URL: (await empty()).url } : { DATA_DIR: temporaryFolder() };
    expect(await runCommand(["migrate", "--json"], { env })).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ applied: names })}\n`,
      // Even with --json, a new embedded database is reported.
      stderr: services ? "" : expect.stringContaining("just created"),
    });
    expect(await runCommand(["migrate"], { env })).toEqual({
      code: 0,
      stdout: "Already up to date.\n",
      stderr: expect.stringMatching(/^Database: .*\n$/),
    });
  });

  // An embedded database has one process at a time: test/data/folder-lock.once.test.ts.
  it.skipIf(!services)(
    "run by two processes at once applies each migration once, while the second waits",
    async () => {
      const database = await empty();
      const env = { DATABASE_URL: database.url };
      const ended = await Promise.all([1, 2].map(() => runGateway(["migrate"], { env })));
      expect(ended.map(({ code }) => code)).toEqual([0, 0]);
      expect(ended.map(({ stdout }) => stdout).toSorted()).toEqual([
        "Already up to date.\n",
        `Applied ${names.length} migrations, up to ${names.at(-1)}.\n`,
      ]);
      const applied = await query(
        database,
        'SELECT migration_name AS name FROM "_prisma_migrations" ORDER BY 1',
      );
      expect(applied).toEqual(names.map((name) => ({ name })));
    },
  );

  it("writes prisma migrate's table, with the SHA-256 of each file", async () => {
    const database = await empty();
    expect(await migrate(database, MIGRATIONS_FOLDER)).toEqual(names);
    const rows = await query(
      database,
      `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished, rolled_back_at, logs, applied_steps_count
       FROM "_prisma_migrations" ORDER BY migration_name`,
    );
    const expected = names.map(async (name) => {
      const file = await readFile(join(MIGRATIONS_FOLDER, name, "migration.sql"));
      const checksum = createHash("sha256").update(file).digest("hex");
      const rest = { finished: true, rolled_back_at: null, logs: null, applied_steps_count: 1 };
      return { migration_name: name, checksum, ...rest };
    });
    expect(rows).toEqual(await Promise.all(expected));
  });

  onServer("refuses a migration that was edited after it was applied, and names it", async () => {
    const database = await empty();
    const folder = await copyMigrations("CREATE TABLE added (id int)");
    await migrate(database, MIGRATIONS_FOLDER);
    const [first = ""] = names;
    await appendFile(join(folder, first, "migration.sql"), "\n-- edited\n");
    await expect(migrate(database, folder)).rejects.toThrow(
      `The migration ${first} was edited after it had been applied to this database.`,
    );
    await expect(requireMigrated(database, folder)).rejects.toThrow(first);
    expect(await listTables(database)).not.toContain("added");
  });

  onServer("rolls everything back if one fails, and works once it is fixed", async () => {
    const database = await empty();
    const folder = await copyMigrations("CREATE TABLE first (id int)", "CREATE TABLE second (id nonsense)");
    await expect(migrate(database, folder)).rejects.toThrow("nonsense");
    expect(await listTables(database)).toEqual([]);

    await writeFile(join(folder, "99990101000000_added_1", "migration.sql"), "CREATE TABLE second (id int)");
    expect(await migrate(database, folder)).toHaveLength(names.length + 2);
    expect(await listTables(database)).toEqual(expect.arrayContaining(["first", "second", "organizations"]));
  });

  it.skipIf(!services)("gives up without changes if others hold a table that it changes", async () => {
    const database = await empty();
    await migrate(database, MIGRATIONS_FOLDER);
    const folder = await copyMigrations("CREATE TABLE added (id int); ALTER TABLE facilities ADD added int");
    await withClient(database.url, async (other) => {
      await other.query("BEGIN; SELECT FROM facilities");
      await expect(migrate(database, folder)).rejects.toThrow(
        "A table that a migration alters was locked for up to 3 seconds. Nothing was changed: try again when imports, loads and long reads have ended.",
      );
    });
    expect(await listTables(database)).not.toContain("added");
    expect(await migrate(database, folder)).toEqual(["99990101000000_added_0"]);
  });

  it.skipIf(!services)("gives up without changes in a deadlock with others", async () => {
    const database = await empty();
    await migrate(database, MIGRATIONS_FOLDER);
    const folder = await copyMigrations(
      "ALTER TABLE benchmarks ADD added int; ALTER TABLE facilities ADD added int",
    );
    await withClient(database.url, async (other) => {
      // PostgreSQL ends the transaction that notices the deadlock.
      await other.query("SET deadlock_timeout = '1h'; BEGIN; SELECT FROM facilities");
      const ended = expect(migrate(database, folder)).rejects.toThrow("Nothing was changed: try again");
      await vi.waitUntil(async () => {
        const waiting = await query(
          database,
          "SELECT FROM pg_locks WHERE NOT granted AND relation = 'facilities'::regclass",
        );
        return waiting.length > 0;
      }, 60_000);
      await other.query("SELECT FROM benchmarks");
      await ended;
    });
    expect(await migrate(database, folder)).toEqual(["99990101000000_added_0"]);
  });

  it("alters tables that wait for the changes of an earlier migration to be recorded", async () => {
    const database = await empty();
    await migrate(database, MIGRATIONS_FOLDER);
    const folder = await copyMigrations(
      "INSERT INTO organizations (slug, name) VALUES ('acme', 'Acme')",
      "ALTER TABLE audit_pending ADD added int; ALTER TABLE organizations ADD added int",
      "UPDATE organizations SET name = 'Acme Steel'",
    );
    expect(await migrate(database, folder)).toHaveLength(3);
    const chains = await query<{ id: string }>(database, "SELECT id FROM organizations");
    expect(chains).toHaveLength(1);
    for (const { id } of chains)
      expect((await listChain(database, id)).map(({ action }) => action)).toEqual([
        "organization.created",
        "organization.updated",
      ]);
  });

  onServer("applies only the new migrations", async () => {
    const database = await empty();
    await migrate(database, MIGRATIONS_FOLDER);
    const folder = await copyMigrations("CREATE TABLE added (id int)");
    await expect(requireMigrated(database, folder)).rejects.toThrow(
      "The database lacks a migration (99990101000000_added_0). Run: npm run gateway -- migrate",
    );
    expect(await migrate(database, folder)).toEqual(["99990101000000_added_0"]);
    await requireMigrated(database, folder);
  });
});

describe.skipIf(!services)("on a PostgreSQL that is not migrated", () => {
  it.each([["serve"], ["organizations list"], ["keys list --organization demo"]])(
    "gateway %s is refused, and names the command",
    async (command) => {
      const database = await empty();
      const env = { DATABASE_URL: database.url, PORT: "0" };
      const lacks = `lacks ${names.length} migrations (${names[0]}, …, ${names.at(-1)})`;
      expect(await runLine(command, { env })).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining(`The database ${lacks}. Run: npm run gateway -- migrate\n`),
      });
      expect(await listTables(database)).toEqual([]);
    },
  );
});

describe("the migration to the audit trail", () => {
  onServer("makes the key history the beginning of the chains, and loses none of it", async () => {
    const folder = await copyMigrations();
    for (const name of names.filter((one) => one >= "20261123"))
      await rm(join(folder, name), { recursive: true });
    const database = await openEmpty();
    onTestFinished(() => database.close());
    await migrate(database, folder);
    await database.transaction(({ script }) =>
      script(`
        INSERT INTO organizations (slug, name) VALUES ('acme', 'Acme'), ('bolt', 'Bolt');
        SET LOCAL gateway.command = 'keys create';
        INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes)
          SELECT id, slug, md5(slug) || md5(slug), 'x', 'free', '{read:emissions}' FROM organizations;
        SET LOCAL gateway.command = '';
        UPDATE api_keys SET revoked_at = now(), tier = 'pro' WHERE name = 'acme';
        DELETE FROM organizations WHERE slug = 'acme'`),
    );
    const events = await database.select<{ id: number; organization_id: string; at: Date; kind: string }>(
      "SELECT id, organization_id, at, kind FROM key_events ORDER BY id",
      [],
    );
    expect(events.map(({ kind }) => kind).toSorted()).toEqual(
      ["created", "created", "deleted", "revoked", "tier changed"].toSorted(),
    );
    await migrate(database, MIGRATIONS_FOLDER);

    const actions: Record<string, string> = { "tier changed": "updated" };
    for (const organization of new Set(events.map((event) => event.organization_id))) {
      const own = events.filter((event) => event.organization_id === organization);
      const entries = await listChain(database, organization);
      expect(entries.map(({ occurredAt, action }) => [occurredAt, action])).toEqual(
        own.map(({ at, kind }) => [at, `api_key.${actions[kind] ?? kind}`]),
      );
      const held = await database.select<{ told: object }>(
        `SELECT jsonb_build_object('id', id, 'kind', kind, 'organization', organization, 'old', old, 'new', new) AS told
         FROM key_events WHERE organization_id = $1 ORDER BY id`,
        [organization],
      );
      expect(entries.map(({ entry }) => (JSON.parse(entry) as { changes: object }).changes)).toEqual(
        held.map(({ told }) => ({ key_event: told })),
      );
      expect(entries[0]).toMatchObject({ actorType: "command", actorId: "keys create" });
      expect(await verifyChain(database, organization)).toMatchObject({ ok: true, entries: own.length });
    }
  });
});
