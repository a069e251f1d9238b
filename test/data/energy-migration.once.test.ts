import { randomUUID } from "node:crypto";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { expect, it, onTestFinished } from "vitest";
import { embeddedDatabase } from "../../src/data/database/embedded/embedded.js";
import { migrate } from "../../src/data/database/schema/migrations.js";
import { verifyEmissionDays } from "../../src/data/emissions/verify-days.js";
import { kwhOf, readKwh } from "../../src/domain/ghg/energy.js";
import { MIGRATIONS_FOLDER } from "../../src/paths.js";
import { temporaryFolder } from "../support/process.js";

const ENERGY = "20261204080000_energy";

/** Units and amounts of activities, with the kWh derived from them. */
const ACTIVITIES: readonly (readonly [unit: string, amount: string, kwh: string | null])[] = [
  ["kWh (gross CV)", "12000", "12000.000000"],
  ["MWh net", "0.0000000015", "0.000002"],
  [" KILOWATT-hours  (Hs)", "1e3", "1000.000000"],
  ["Kilowattstunden", "1e3", "1000.000000"],
  ["Mégawattheures, PCS", "1.5", "1500.000000"],
  ["GJ", "1", "277.777778"],
  ["TJ", "2", "555555.555556"],
  ["MMBtu", "10", "2930.710702"],
  ["TJ", "999999999999999", null],
  ["litre", "5", null],
  ["kWh (other CV)", "5", null],
];

it("the gateway derives the energy of an activity by the same rule as the migration", () => {
  for (const [unit, amount, kwh] of ACTIVITIES) {
    expect([unit, kwhOf({ unit, amount })]).toEqual([unit, kwh && readKwh(kwh)]);
  }
});

it("the migration fills in the energy of existing records despite locks, and records no changes", async () => {
  const earlier = temporaryFolder();
  for (const name of await readdir(MIGRATIONS_FOLDER)) {
    if (name < ENERGY) await cp(join(MIGRATIONS_FOLDER, name), join(earlier, name), { recursive: true });
  }
  const database = embeddedDatabase(await PGlite.create(), async () => undefined);
  onTestFinished(() => database.close());
  await migrate(database, earlier);
  const organization = randomUUID();
  const add = (values: string, parameters: readonly unknown[]) =>
    database.transaction((sql) =>
      sql.query(
        `INSERT INTO emission_records (organization_id, id, reference, recorded_on, scope, co2e_tonnes, activity, deleted_at) VALUES ${values}`,
        parameters,
      ),
    );
  await database.transaction((sql) =>
    sql.query("INSERT INTO organizations (id, slug, name) VALUES ($1, 'before', 'Before')", [organization]),
  );
  for (const [index, [unit, amount]] of ACTIVITIES.entries()) {
    const activity = JSON.stringify({ amount, unit });
    await add("($1, gen_random_uuid(), $2, '2025-01-31', 'scope_2', 1, $3::text::jsonb, NULL)", [
      organization,
      String(index),
      activity,
    ]);
  }
  const others = "($1, gen_random_uuid(), 'given', '2025-01-31', 'scope_2', 1, NULL, NULL)";
  await add(
    `${others}, ($1, gen_random_uuid(), 'gone', '2025-01-31', 'scope_2', 1, $2::text::jsonb, now())`,
    [organization, JSON.stringify({ amount: "7", unit: "kWh" })],
  );
  await database.transaction((sql) =>
    sql.script(`
      SET LOCAL session_replication_role = replica;
      INSERT INTO period_locks (organization_id, request_id, period_from, period_to, scopes)
      VALUES ('${organization}', gen_random_uuid(), '2025-01-01', '2025-12-31', '{scope_2}');
      INSERT INTO replaced_records (organization_id, import_id, record_id, recorded_on, scope, co2e_tonnes, details)
      SELECT organization_id, gen_random_uuid(), id, recorded_on, scope, co2e_tonnes,
        jsonb_build_object('activity', activity, 'note', 'x') FROM emission_records`),
  );
  const read = <Row>(statement: string) => database.transaction((sql) => sql.query<Row>(statement));
  const TRACES = `SELECT (SELECT json_agg((id, version, stamp::text, updated_at) ORDER BY id) FROM emission_records)::text AS records,
    (SELECT count(*) FROM audit_entries)::int AS entries,
    (SELECT string_agg(tgname || tgenabled::text, ' ' ORDER BY tgname) FROM pg_trigger
     WHERE tgrelid = 'emission_records'::regclass) AS triggers`;
  const traces = await read(TRACES);

  await migrate(database, MIGRATIONS_FOLDER);
  const rows = await read<{ reference: string; kwh: string | null }>(
    "SELECT reference, energy_kwh::text AS kwh FROM emission_records",
  );
  expect(Object.fromEntries(rows.map(({ reference, kwh }) => [reference, kwh]))).toEqual({
    ...Object.fromEntries(ACTIVITIES.map(([, , kwh], index) => [String(index), kwh])),
    given: null,
    gone: "7.000000",
  });
  expect(await read(TRACES)).toEqual(traces);
  expect(await verifyEmissionDays(database)).toEqual([]);
  expect(
    await read(
      "SELECT DISTINCT energy_kwh::text AS kwh, energy_record_count::int AS count FROM emission_days WHERE energy_record_count > 0",
    ),
  ).toEqual([{ kwh: "574264.044038", count: 8 }]);
  expect(
    await read(
      `SELECT DISTINCT details ->> 'note' AS note FROM replaced_records JOIN emission_records USING (organization_id)
       WHERE record_id = id AND (details ->> 'energy_kwh')::numeric IS NOT DISTINCT FROM energy_kwh`,
    ),
  ).toEqual([{ note: "x" }]);
  expect(await read("SELECT FROM replaced_records WHERE details ->> 'energy_kwh' IS NOT NULL")).toHaveLength(
    9,
  );
});
