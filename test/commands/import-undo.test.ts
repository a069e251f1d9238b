import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { loadText } from "../../src/actions/bundle/load.js";
import { listImports, undoImport } from "../../src/actions/imports/undo-import.js";
import { verifyEmissionDays } from "../../src/data/emissions/verify-days.js";
import { lockOrganization } from "../../src/data/organizations/organizations.js";
import { exitOf } from "../support/exit.js";
import { HEADER, importCsv, saveCsv } from "../support/importing.js";
import { makeKey, makeOrganization, NOW } from "../support/server.js";
import { useFolder, useGateway } from "../support/use.js";

const folder = useFolder();

const OURS = "organization_id = (SELECT id FROM organizations WHERE slug = $1)";
const NEW_FACILITIES = "--create-facilities --country IN";

describe.each(["whole", "partitioned"])("gateway import undo, with %s tables", (kind) => {
  const gateway = useGateway();
  beforeAll(async () => {
    if (kind === "partitioned") {
      const script = await readFile("prisma/partition-by-organization.sql", "utf8");
      await gateway.database.transaction((sql) => sql.script(`SET LOCAL gateway.partitions = 3; ${script}`));
    }
  });

  const newOrganization = () => makeOrganization(gateway.database);
  const run = (sql: string, parameters: readonly unknown[] = []) =>
    gateway.database.transaction((session) => session.query<{ text: string }>(sql, parameters));

  /** Imports rows; returns the import's id. */
  async function importRows(slug: string, ...rows: string[]): Promise<string> {
    const file = await saveCsv(folder, [HEADER, ...rows].join("\n"));
    const { id } = await importCsv(gateway.database, file, slug, NEW_FACILITIES);
    return id ?? "";
  }
  const loadRecords = (slug: string, ...emission_records: object[]) =>
    loadText(
      gateway.database,
      "bundle.json",
      JSON.stringify({ organization: { slug, name: slug }, emission_records }),
      NOW,
    );
  const undone = async (id: string) => {
    const { removed, restored, kept, facilitiesRemoved } = await undoImport(gateway.database, id, NOW);
    return { removed, restored, kept, facilitiesRemoved };
  };
  const nothing = { removed: 0, restored: 0, kept: 0, facilitiesRemoved: 0 };

  /** Returns an organization's records and facilities, and expects that verify finds nothing. */
  async function stateOf(slug: string): Promise<string[]> {
    expect(await verifyEmissionDays(gateway.database)).toEqual([]);
    const rows = await run(
      `SELECT concat_ws('|', r.recorded_on::text, r.scope, trim_scale(r.co2e_tonnes), f.code, r.category, r.source, r.reference) AS text
       FROM emission_records r JOIN organizations o ON o.id = r.organization_id LEFT JOIN facilities f ON f.id = r.facility_id
       WHERE o.slug = $1 AND r.deleted_at IS NULL
       UNION ALL
       SELECT code FROM facilities f JOIN organizations o ON o.id = f.organization_id WHERE o.slug = $1 ORDER BY 1`,
      [slug],
    );
    return rows.map(({ text }) => text);
  }

  it("removes added records, restores updated ones, and the figures follow", async () => {
    const slug = await newOrganization();
    const { key } = await makeKey(gateway.database, slug);
    const totals = async () => (await gateway.rest("/emissions", key)).body.data;
    await importRows(slug, "2026-03-01,scope_1,1,A,fuel,meter,a", "2026-03-02,scope_2,2,,,,");
    const [before, figures] = [await stateOf(slug), await totals()];

    const id = await importRows(
      slug,
      "2026-04-01,scope_3,10,B,heat,,a",
      "2026-03-02,scope_2,2,,,,",
      "2026-03-02,scope_2,2,,,,",
      "2026-05-05,scope_1,5,B,,,b",
    );
    expect(await stateOf(slug)).not.toEqual(before);
    expect(await totals()).toMatchObject({ total_co2e_tonnes: 19, record_count: 4 });
    expect(await undone(id)).toEqual({ removed: 2, restored: 1, kept: 0, facilitiesRemoved: 1 });
    expect(await stateOf(slug)).toEqual(before);
    expect(await totals()).toEqual(figures);
  });

  it("reports that when repeated, and changes nothing", async () => {
    const slug = await newOrganization();
    const id = await importRows(slug, "2026-03-01,scope_1,1,,,,a");
    await undoImport(gateway.database, id, NOW);
    await importRows(slug, "2026-03-01,scope_1,1,,,,a");
    const before = await stateOf(slug);
    const later = new Date("2026-11-21T00:00:00Z");
    expect(await undoImport(gateway.database, id, later)).toMatchObject({
      ...nothing,
      alreadyUndone: true,
      undoneAt: NOW.toISOString(),
    });
    expect(await stateOf(slug)).toEqual(before);
  });

  const changed = { reference: "a", recorded_on: "2026-03-01", scope: "scope_1", co2e_tonnes: 7 };
  it.each<[string, (slug: string) => Promise<unknown>]>([
    ["a bundle", (slug) => loadRecords(slug, changed)],
    ["another import", (slug) => importRows(slug, "2026-03-01,scope_1,7,,,,a")],
    [
      "plain SQL",
      (slug) => run(`UPDATE emission_records SET co2e_tonnes = 7 WHERE reference = 'a' AND ${OURS}`, [slug]),
    ],
  ])("keeps rows that %s has changed since, and counts them", async (_what, change) => {
    const slug = await newOrganization();
    await importRows(slug, "2026-03-01,scope_1,1,,,,b");
    const id = await importRows(
      slug,
      "2026-03-01,scope_1,2,,,,a",
      "2026-03-01,scope_1,2,,,,b",
      "2026-03-01,scope_1,3,,,,c",
    );
    await change(slug);
    expect(await undone(id)).toEqual({ removed: 1, restored: 1, kept: 1, facilitiesRemoved: 0 });
    expect(await stateOf(slug)).toEqual(["2026-03-01|scope_1|1|b", "2026-03-01|scope_1|7|a"]);
  });

  it("counts records removed since as kept", async () => {
    const slug = await newOrganization();
    const id = await importRows(slug, "2026-03-01,scope_1,1,,,,a", "2026-03-01,scope_1,2,,,,b");
    await run(`DELETE FROM emission_records WHERE reference = 'a' AND ${OURS}`, [slug]);
    expect(await undone(id)).toEqual({ ...nothing, removed: 1, kept: 1 });
    expect(await stateOf(slug)).toEqual([]);
  });

  it.each(["012", "210", "102", "120"])(
    "leaves nothing of three imports of one record, undone as %s",
    async (order) => {
      const slug = await newOrganization();
      await importRows(slug, "2026-01-01,scope_1,100,,,,kept");
      const before = await stateOf(slug);
      const ids: string[] = [];
      for (const [index, facility] of ["A", "B", "C"].entries()) {
        const row = `2026-03-0${index + 1},scope_1,${index + 1},${facility},,,a`;
        ids.push(await importRows(slug, row, `2026-01-01,scope_1,${index},,,,kept`));
      }
      for (const index of order) await undoImport(gateway.database, ids[Number(index)] ?? "", NOW);
      expect(await stateOf(slug)).toEqual(before);
    },
  );

  it.each(["01", "10"])(
    "deletes again records that imports restored, with all their fields, undone as %s",
    async (order) => {
      const slug = await newOrganization();
      await importRows(slug, "2026-01-01,scope_1,100,,,,a", "2026-01-01,scope_1,100,,,,");
      await run(
        `UPDATE emission_records SET deleted_at = '2026-02-01', note = 'wrong', activity = '{"unit": null}', factor_id = id,
       calculation = '{"kg": 1.50}', market_based_tonnes = 0.123456, created_by = id
     WHERE ${OURS}`,
        [slug],
      );
      const rows = () =>
        run(
          `SELECT (to_jsonb(r) - 'version' - 'updated_at' - 'stamp')::text AS text FROM emission_records r
       WHERE ${OURS} ORDER BY id`,
          [slug],
        );
      const before = await rows();
      const ids = [
        await importRows(slug, "2026-03-01,scope_1,1,,,,a", "2026-01-01,scope_1,100,,,,"),
        await importRows(slug, "2026-03-01,scope_1,2,,,,a"),
      ];
      expect((await rows()).filter(({ text }) => text.includes("wrong"))).toEqual([]);
      const removed = [];
      for (const index of order) removed.push((await undone(ids[Number(index)] ?? "")).removed);
      expect(await rows()).toEqual(before);
      expect(removed).toEqual(order === "01" ? [1, 1] : [0, 2]);
    },
  );

  it("keeps a facility that it created while in use, and removes it with the last use", async () => {
    const slug = await newOrganization();
    const first = await importRows(slug, "2026-03-01,scope_1,1,A,,,a");
    const second = await importRows(slug, "2026-03-02,scope_1,2,A,,,b");
    expect(await undone(first)).toEqual({ ...nothing, removed: 1 });
    expect(await stateOf(slug)).toEqual(["2026-03-02|scope_1|2|A|b", "A"]);
    expect(await undone(second)).toEqual({ ...nothing, removed: 1, facilitiesRemoved: 1 });
    expect(await stateOf(slug)).toEqual([]);
  });

  it("leaves nothing of removed records in those that a bundle then adds", async () => {
    const slug = await newOrganization();
    const lines = "recorded_on,scope,co2e_tonnes,biogenic_co2_tonnes,reference\n2026-03-01,scope_1,1,7,a\n";
    const { id } = await importCsv(gateway.database, await saveCsv(folder, lines), slug);
    await undoImport(gateway.database, id ?? "", NOW);
    await loadRecords(slug, { reference: "a", recorded_on: "2026-03-01", scope: "scope_1", co2e_tonnes: 1 });
    const rows = await run(
      `SELECT concat_ws('|', co2e_tonnes, biogenic_co2_tonnes, version) AS text FROM emission_records
       WHERE ${OURS}`,
      [slug],
    );
    expect(rows).toEqual([{ text: "1.000000|3" }]);
  });

  it("leaves a record unchanged if its previous facility no longer exists", async () => {
    const slug = await newOrganization();
    await importRows(slug, "2026-03-01,scope_1,1,A,,,a");
    const id = await importRows(slug, "2026-03-01,scope_1,2,B,,,a");
    await run(`DELETE FROM facilities WHERE code = 'A' AND ${OURS}`, [slug]);
    expect(await undone(id)).toEqual({ ...nothing, kept: 1 });
    expect(await stateOf(slug)).toEqual(["2026-03-01|scope_1|2|B|a", "B"]);
  });

  it("does not affect other organizations", async () => {
    const [one, other] = [await newOrganization(), await newOrganization()];
    const row = "2026-03-01,scope_1,1,A,,,a";
    const id = await importRows(one, row);
    await importRows(other, row);
    const before = await stateOf(other);
    await undoImport(gateway.database, id, NOW);
    expect(await stateOf(one)).toEqual([]);
    expect(await stateOf(other)).toEqual(before);
    expect(await listImports(gateway.database, other)).toMatchObject([{ undoneAt: null }]);
  });

  it.each(["nonsense", randomUUID()])("refuses an id that no import has: %s", async (id) => {
    expect(await exitOf(undoImport(gateway.database, id, NOW))).toEqual({
      code: 1,
      message: `There is no import "${id}". See: npm run gateway -- import list --organization <slug>`,
    });
  });

  it("lists an organization's imports, latest first, without dry runs", async () => {
    const slug = await newOrganization();
    const file = await saveCsv(folder, `${HEADER}\n2026-03-01,scope_1,1,A,,,a\n2026-03-01,scope_1,1,A,,,b\n`);
    const { id } = await importCsv(gateway.database, file, slug, NEW_FACILITIES);
    await importCsv(gateway.database, file, slug, "--dry-run");
    const listed = {
      id,
      file,
      importedAt: NOW.toISOString(),
      added: 2,
      updated: 0,
      unchanged: 0,
      facilitiesCreated: 1,
      undoneAt: null,
      acceptedQuestions: [],
    };
    expect(await listImports(gateway.database, slug)).toEqual([listed]);
    await undoImport(gateway.database, id ?? "", NOW);
    expect(await listImports(gateway.database, slug)).toEqual([{ ...listed, undoneAt: NOW.toISOString() }]);
    await expect(listImports(gateway.database, "nobody")).rejects.toThrow(
      /^There is no organization "nobody"/,
    );
  });

  it.runIf(inject("template").kind === "postgres")(
    "waits for a load or an import of the same organization",
    async () => {
      const slug = await newOrganization();
      const id = await importRows(slug, "2026-03-01,scope_1,1,,,,a");
      let undoing: Promise<unknown> = Promise.resolve();
      await gateway.database.transaction(async (sql) => {
        await lockOrganization(sql, slug);
        let isDone = false;
        undoing = undoImport(gateway.database, id, NOW).finally(() => {
          isDone = true;
        });
        const waiting = () =>
          run(
            "SELECT '' AS text FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
          );
        await expect.poll(waiting).toHaveLength(1);
        expect(isDone).toBe(false);
      });
      await undoing;
      expect(await stateOf(slug)).toEqual([]);
    },
  );
});
