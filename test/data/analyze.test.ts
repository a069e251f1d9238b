import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { loadFiles } from "../../src/actions/bundle/load.js";
import { undoImport } from "../../src/actions/imports/undo-import.js";
import { openPostgres } from "../../src/data/database/server/postgres.js";
import { analyze } from "../../src/data/database/upkeep/analyze.js";
import { openTestDatabase, type TestDatabase } from "../support/database.js";
import { HEADER, importCsv, saveCsv } from "../support/importing.js";
import { makeFolder } from "../support/process.js";
import { makeOrganization, NOW } from "../support/server.js";

const folder = makeFolder();
const onServer = inject("template").kind === "postgres";
let database: TestDatabase;
let slug: string;
let file: string;

beforeAll(async () => {
  file = await saveCsv(folder.path, `${HEADER}\n2026-03-01,scope_1,1,A,,,a\n2026-03-02,scope_1,1,A,,,b\n`);
});
beforeEach(async () => {
  database = await openTestDatabase();
  slug = await makeOrganization(database);
  return () => database.close();
});
afterAll(() => folder.remove());

const importFile = () => importCsv(database, file, slug, ["--create-facilities", "--country", "IN"]);

/** Returns PostgreSQL's estimate of a table's rows; -1 if it never counted them. */
async function plannedRows(table: string): Promise<number> {
  const rows = await database.transaction((sql) =>
    sql.query<{ rows: number }>(
      `SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = '${table}'::regclass`,
    ),
  );
  return rows[0]?.rows ?? Number.NaN;
}

describe("PostgreSQL's statistics", () => {
  it("are updated after an import and after its undo", async () => {
    const { id } = await importFile();
    expect(await plannedRows("emission_records")).toBe(2);
    expect(await plannedRows("emission_days")).toBe(10);
    expect(await plannedRows("facilities")).toBe(1);
    await undoImport(database, id ?? "", NOW);
    expect([await plannedRows("emission_days"), await plannedRows("facilities")]).toEqual([0, 0]);
  });

  it("are updated after a bundle", async () => {
    const deadline = { framework: "CDP", title: "Report", due_date: "2026-12-31", status: "pending" };
    const text = JSON.stringify({ organization: { slug, name: "A" }, deadlines: [deadline] });
    const bundle = await saveCsv(folder.path, text);
    await loadFiles(database, [bundle], NOW);
    expect(await plannedRows("compliance_deadlines")).toBe(1);
  });

  it("that could not be refreshed are reported, and fail nothing", async () => {
    const warnings: unknown[] = [];
    const warn = (error: unknown, message: string) => warnings.push([message, (error as Error).message]);
    await analyze({ ...database, warn }, ["\0"]);
    expect(warnings).toEqual([
      ["could not refresh PostgreSQL's statistics", expect.stringContaining("0x00")],
    ]);
  });

  it.runIf(onServer)("are skipped while a table is in use, without waiting", async () => {
    let imported: Awaited<ReturnType<typeof importFile>> | undefined;
    // VACUUM holds this lock, for hours on a large table.
    await database.transaction(async (sql) => {
      await sql.script("LOCK TABLE emission_records IN SHARE UPDATE EXCLUSIVE MODE");
      imported = await importFile();
    });
    expect(imported?.added).toBe(2);
    expect(await plannedRows("facilities")).toBe(1);
  });

  it.runIf(onServer)("need no right beyond those of an import", async () => {
    const role = `gateway_test_writer_${randomBytes(6).toString("hex")}`;
    await database.transaction((sql) =>
      sql.script(`CREATE ROLE ${role} LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
        GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`),
    );
    const url = new URL(database.url ?? "");
    [url.username, url.password] = [role, ""];
    const writer = openPostgres(url.href, { statementTimeoutMs: 0, onError: () => undefined });
    try {
      expect(await importCsv(writer, file, slug, ["--create-facilities", "--country", "IN"])).toMatchObject({
        added: 2,
      });
    } finally {
      await writer.close();
      await database.transaction((sql) => sql.script(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
    }
  });
});
