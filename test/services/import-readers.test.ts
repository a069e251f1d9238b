import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { importCsv, saveCsv } from "../support/importing.js";
import { runGateway } from "../support/process.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useFolder, useGateway } from "../support/use.js";

const PATIENCE = { timeout: 60_000, interval: 20 };
const [BEFORE, ADDED] = [100, 60_000];
const HEADER = "recorded_on,scope,co2e_tonnes\n";

let slug: string;
let key: string;
const folder = useFolder();

const gateway = useGateway();
beforeAll(async () => {
  slug = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, slug));
  const before = await saveCsv(folder, HEADER + "2026-03-01,scope_1,1\n".repeat(BEFORE));
  await importCsv(gateway.database, before, slug);
});

/** Returns the number of records by each kind of query; each is one tonne. */
async function readCounts(): Promise<number[]> {
  const { body: rest } = await gateway.rest("/emissions", key);
  const { body: graph } = await gateway.graphql(
    `{ emissions { totalCo2eTonnes trend { recordCount } byFacility { recordCount } records(first: 1) { totalCount } } }`,
    key,
  );
  const { totalCo2eTonnes, trend, byFacility, records } = graph.data.emissions;
  const sum = (parts: { recordCount: number }[]) =>
    parts.reduce((total, part) => total + part.recordCount, 0);
  const { record_count } = rest.data as { record_count: number };
  return [record_count, totalCo2eTonnes, sum(trend), sum(byFacility), records.totalCount];
}

describe("while a large import runs", () => {
  it("the tenant's readers are answered, and see either none or all of it", async () => {
    const url = gateway.database.url ?? "";
    const rows = Array.from({ length: ADDED }, (_, n) => `2026-0${1 + (n % 9)}-1${n % 7},scope_2,1\n`);
    const file = await saveCsv(folder, HEADER + rows.join(""));
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    // This lock does not affect readers; the import waits for it between writing its records and their sums.
    await holder.query("BEGIN");
    await holder.query("LOCK TABLE emission_days IN SHARE MODE");

    let isOver = false;
    const importing = runGateway(["import", file, "--organization", slug], {
      env: { DATABASE_URL: url },
    }).finally(() => {
      isOver = true;
    });
    const seen: number[][] = [];
    const reading = (async () => {
      while (!isOver) seen.push(await readCounts());
    })();
    const waiting = () =>
      gateway.database.transaction((sql) =>
        sql.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND query LIKE 'INSERT INTO emission_records%'`),
      );
    await expect.poll(waiting, PATIENCE).toHaveLength(1);
    const readBefore = seen.length;
    await expect.poll(() => seen.length, PATIENCE).toBeGreaterThan(readBefore + 20);
    const inTheMiddle = new Set(seen.flat());
    await holder.query("COMMIT");
    await holder.end();

    expect(await importing).toMatchObject({ code: 0, stdout: expect.stringContaining(`${ADDED} added`) });
    await reading;
    expect([...inTheMiddle]).toEqual([BEFORE]);
    expect(new Set([...seen.flat(), BEFORE + ADDED])).toEqual(new Set([BEFORE, BEFORE + ADDED]));
    expect(await readCounts()).toEqual(Array.from({ length: 5 }, () => BEFORE + ADDED));
  });
});
