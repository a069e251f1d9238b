import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { undoImport } from "../../src/actions/imports/undo-import.js";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { addRecord } from "../support/fixtures.js";
import { importCsv, saveCsv } from "../support/importing.js";
import { temporaryFolder } from "../support/process.js";
import { type Envelope, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { useDatabase, useGateway } from "../support/use.js";

/** Transactions of each writer. For a long manual run: SYNC_TRANSACTIONS=200 SYNC_IMPORT=100000. */
const TRANSACTIONS = Number(process.env["SYNC_TRANSACTIONS"] ?? 15);
const IMPORTED = Number(process.env["SYNC_IMPORT"] ?? 2_000);
const WRITERS = 20;

interface Item {
  readonly op: "upsert" | "delete";
  readonly id: string;
  readonly version: number;
  readonly data: { readonly co2e_tonnes_exact: string } | null;
}
interface Page {
  readonly items: readonly Item[];
  readonly next_cursor: string;
  readonly has_more: boolean;
  readonly as_of: { readonly seq: number };
}

const database = useDatabase();
const gateway = useGateway({ database });

interface Copy {
  readonly rows: ReadonlyMap<string, string>;
  readonly cursor: string | undefined;
}

/** Creates a reader that keeps a copy of an organization's records, or continues another reader's copy. */
function createCopy(
  { url }: { readonly url: string },
  keys: readonly { readonly key: string }[],
  limit: number,
  from?: Copy,
) {
  let pages = 0;
  const rows = new Map(from?.rows);
  let cursor = from?.cursor;
  const ask = async () => {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor && { cursor }) });
    const { key = "" } = keys[pages % keys.length] ?? {};
    pages += 1;
    const headers = { "X-API-Key": key };
    const response = await fetch(`${url}/v1/changes/emission-records?${query}`, { headers });
    return { status: response.status, ...((await response.json()) as Envelope & { data: Page }) };
  };
  return {
    rows,
    get cursor() {
      return cursor;
    },
    async readPage(): Promise<Page> {
      let { status, data, error } = await ask();
      // A consumer also retries when the database is busy.
      while (status === 500) ({ status, data, error } = await ask());
      expect([status, error]).toEqual([200, null]);
      for (const { op, id, version, data: record } of data.items) {
        if (op === "delete") rows.delete(id);
        else rows.set(id, `${version} ${record?.co2e_tonnes_exact}`);
      }
      cursor = data.next_cursor;
      return data;
    },
    async refusal() {
      const { status, error } = await ask();
      return [status, error?.code, error?.message];
    },
    async catchUp(): Promise<Page> {
      for (;;) {
        const page = await this.readPage();
        if (!page.has_more) return page;
      }
    },
  };
}

const dump = async (of: Pick<TestDatabase, "select">, organization: string) =>
  new Map(
    (
      await of.select<{ id: string; row: string }>(
        `SELECT id, version || ' ' || trim_scale(co2e_tonnes) AS row FROM emission_records
         WHERE organization_id = $1::uuid AND deleted_at IS NULL`,
        [organization],
      )
    ).map(({ id, row }) => [id, row]),
  );

const differences = (copy: ReadonlyMap<string, string>, rows: ReadonlyMap<string, string>) => ({
  missed: [...rows].filter(([id, row]) => copy.get(id) !== row).length,
  tooMany: [...copy.keys()].filter((id) => !rows.has(id)).length,
});

/** Statements of a transaction; `$` is the organization. */
const OPERATIONS = [
  "INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes) SELECT '$', '2026-11-01', 'scope_1', n FROM generate_series(1, 3) AS n",
  "UPDATE emission_records SET co2e_tonnes = co2e_tonnes + 1 WHERE id IN (SELECT id FROM emission_records WHERE organization_id = '$' AND import_id IS NULL ORDER BY random() LIMIT 3 FOR UPDATE SKIP LOCKED)",
  "UPDATE emission_records SET deleted_at = now() WHERE id IN (SELECT id FROM emission_records WHERE organization_id = '$' AND import_id IS NULL AND deleted_at IS NULL ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)",
  "DELETE FROM emission_records WHERE id IN (SELECT id FROM emission_records WHERE organization_id = '$' AND import_id IS NULL ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)",
];

/** Writes in transactions of random duration, some of which are rolled back. */
async function writeMuch(url: string, organization: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let committed = 0;
  try {
    for (let turn = 0; turn < TRANSACTIONS; turn += 1) {
      await client.query("BEGIN");
      for (let left = 1 + Math.floor(Math.random() * 3); left > 0; left -= 1) {
        const statement = OPERATIONS[Math.floor(Math.random() ** 2 * OPERATIONS.length)] ?? "";
        await client.query(statement.replaceAll("$", organization));
        await client.query("SELECT pg_sleep(random() * random() * 0.5)");
      }
      const commits = Math.random() > 0.15;
      await client.query(commits ? "COMMIT" : "ROLLBACK");
      if (commits) committed += 1;
    }
  } finally {
    await client.end();
  }
  return committed;
}

describe("a copy that follows changes", () => {
  it("equals the records after every last page, while others write, roll back, delete, import and undo", {
    timeout: 600_000,
  }, async () => {
    const slug = await makeOrganization(database);
    const { id: organization } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    // Enough for the pages of a long run.
    const keys = await Promise.all(Array.from({ length: 8 }, () => makeKey(database, slug)));
    const file = await saveCsv(
      temporaryFolder(),
      `recorded_on,scope,co2e_tonnes,reference\n${Array.from({ length: IMPORTED }, (_, n) => `2026-01-01,1,${n + 1},R${n}`).join("\n")}\n`,
    );
    const small = createCopy(gateway, keys, 7);
    const large = createCopy(gateway, keys, 1_000);
    const writers = Array.from({ length: WRITERS }, () => writeMuch(database.url ?? "", organization));
    let isWriting = true;
    const readers = [small, large].map(async (copy) => {
      while (isWriting) await copy.readPage();
    });
    const imported = await importCsv(database, file, slug);
    await undoImport(database, imported.id ?? "", NOW);
    const committed = await Promise.all(writers);
    isWriting = false;
    await Promise.all(readers);
    await Promise.all([small.catchUp(), large.catchUp()]);
    const rows = await dump(database, organization);
    expect(committed.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(WRITERS);
    expect(differences(small.rows, rows)).toEqual({ missed: 0, tooMany: 0 });
    expect(differences(large.rows, rows)).toEqual({ missed: 0, tooMany: 0 });
  });

  it("continues after a dump and restore, and is refused by a history that a restore discarded", async () => {
    const slug = await makeOrganization(database);
    const { id: organization } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    const keys = [await makeKey(database, slug)];
    const write = (on: TestDatabase, tonnes: number) =>
      on.transaction(({ script }) =>
        script(
          `UPDATE emission_records SET co2e_tonnes = ${tonnes} WHERE organization_id = '${organization}'`,
        ),
      );
    await addRecord(database, slug, { co2eTonnes: 1 });
    const copy = createCopy(gateway, keys, 2);
    await copy.catchUp();
    const folder = temporaryFolder();
    const run = promisify(execFile);
    await run("pg_dump", ["-Fc", "-f", join(folder, "dump"), database.url ?? ""]);
    await write(database, 2);
    const ahead = createCopy(gateway, keys, 2);
    await ahead.catchUp();

    const restored = await openTestDatabase();
    await run("pg_restore", ["--clean", "--exit-on-error", "-d", restored.url ?? "", join(folder, "dump")]);
    const other = await startGateway({ database: restored });
    onTestFinished(async () => {
      await other.stop();
      await restored.close();
    });
    const following = createCopy(other, keys, 2, copy);
    expect((await following.readPage()).items).toEqual([]);
    const discarded = createCopy(other, keys, 2, ahead);
    const refusal = [410, "CURSOR_EXPIRED", expect.stringContaining("a history that a restore discarded")];
    expect(await discarded.refusal()).toEqual(refusal);
    await write(restored, 3);
    expect(await discarded.refusal()).toEqual(refusal);
    await following.catchUp();
    expect(differences(following.rows, await dump(restored, organization))).toEqual({
      missed: 0,
      tooMany: 0,
    });
  });

  it("receives rows written with disabled triggers once verify --repair finds them", async () => {
    const slug = await makeOrganization(database);
    const { id: organization } = await database.prisma.organization.findUniqueOrThrow({ where: { slug } });
    const keys = [await makeKey(database, slug)];
    const copy = createCopy(gateway, keys, 2);
    await copy.catchUp();
    const triggers = ["announce", "audit"].map((name) => `TRIGGER emission_records_${name}_insert`);
    const alter = (how: string) =>
      triggers.map((one) => `ALTER TABLE emission_records ${how} ${one};`).join(" ");
    await database.transaction(({ script }) =>
      script(`${alter("DISABLE")}
        INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
          SELECT '${organization}', '2026-11-01', 'scope_1', n FROM generate_series(1, 3) AS n;
        ${alter("ENABLE ALWAYS")}`),
    );
    await copy.catchUp();
    expect(copy.rows.size).toBe(0);
    const rows = { organization: slug, table: "emission_records", stamp: expect.any(String), rows: 3 };
    expect((await verifyIntegrity(database, false)).changes).toEqual({ differences: 1, first: [rows] });
    expect((await verifyIntegrity(database, true)).changes).toEqual({ differences: 1, first: [rows] });
    expect((await verifyIntegrity(database, false)).changes).toEqual({ differences: 0, first: [] });
    await copy.catchUp();
    expect(differences(copy.rows, await dump(database, organization))).toEqual({ missed: 0, tooMany: 0 });
  });
});
