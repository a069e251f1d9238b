import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, medianOf } from "../bench.js";
import { encodeCall, openConnection } from "../connection.js";

const ENTITIES = 500;
const APPROACHES = ["equity_share", "financial_control", "operational_control"] as const;

/** Sizes of an organization, each a separate tenant, with the goal for the first call after a change. */
const SIZES = [
  { tenant: 0, facilities: 500, categories: 1, atMost: 10 },
  { tenant: 1, facilities: 1_000, categories: 5, atMost: 100 },
];

/** Time for the gateway to hear of a change, not included in the results. */
const ANNOUNCEMENT_MS = 100;
/** Number of warm-up calls, in which the code is compiled. */
const UNCOUNTED = 30;

/**
 * Returns SQL for an organization with 500 entities on 5 levels, each with a holding that changed within the year, and the
 * sums of 2024 for each month, facility and category. One of the categories is electricity.
 */
export const filling = (facilities: number, categories: number): string[] => [
  "DELETE FROM emission_days WHERE organization_id = $1 AND grain = 'month_cell'",
  `INSERT INTO inventory_policies (organization_id, from_year, approach, scopes, chosen_at)
   VALUES ($1::uuid, 2000, 'equity_share', '{scope_1,scope_2,scope_3}', now())`,
  `INSERT INTO entities (id, organization_id, code, name)
   SELECT gen_random_uuid(), $1::uuid, 'E' || n, 'Entity ' || n FROM generate_series(1, ${ENTITIES}) AS n`,
  // Entities 1 to 100 are on the first level, the next hundred are their children, and so on.
  `UPDATE entities AS e SET parent_id = p.id FROM entities AS p
   WHERE e.organization_id = $1 AND p.organization_id = $1 AND p.code = 'E' || (substr(e.code, 2)::int - ${ENTITIES / 5})`,
  `INSERT INTO entity_holdings (organization_id, entity_id, from_month, equity_share, financial_control, operational_control)
   SELECT $1::uuid, id, month, 0.5 + substr(code, 2)::int / 1000.0, 'joint', true
   FROM entities, unnest('{2020-01-01,2024-07-01}'::date[]) AS month WHERE organization_id = $1`,
  "UPDATE entity_holdings SET equity_share = equity_share / 2 WHERE organization_id = $1 AND from_month = '2024-07-01'",
  `INSERT INTO facilities (organization_id, code, name, country, entity_id)
   SELECT $1::uuid, 'B' || n, 'Works ' || n, 'GB', e.id FROM generate_series(1, ${facilities}) AS n
   JOIN entities AS e ON e.organization_id = $1 AND e.code = 'E' || (1 + n % ${ENTITIES})`,
  `INSERT INTO emission_days (organization_id, grain, recorded_on, part, subpart, scope, co2e_tonnes, record_count, energy_kwh,
     energy_record_count)
   SELECT $1::uuid, 'month_cell', month, f.id::text, 'category ' || c, CASE c WHEN 1 THEN 'scope_2' ELSE 'scope_1' END::emission_scope,
     length(f.code) + c + 0.123457, 14, 1000.5, 14
   FROM facilities AS f, generate_series(1, ${categories}) AS c, generate_series(timestamp '2024-01-01', '2024-12-01', '1 month') AS month
   WHERE f.organization_id = $1 AND f.code LIKE 'B%'`,
  `INSERT INTO emission_streams (organization_id, scope, category, line, method, activity_uncertainty_pct)
   SELECT $1::uuid, CASE c WHEN 1 THEN 'scope_2' ELSE 'scope_1' END::emission_scope, 'category ' || c,
     CASE c WHEN 1 THEN 'purchased_electricity' ELSE 'stationary_combustion' END::inventory_line, 'measured', c
   FROM generate_series(1, 5) AS c`,
  "ANALYZE",
];

/** Measures the first inventory after a change, under each approach in turn. */
export function inventories(bench: Bench): Promise<void> {
  return bench.withServers(["gateway"], async ({ gateway }) => {
    for (const { tenant, facilities, categories, atMost } of SIZES) {
      const { id, keys } = bench.tenants[tenant] ?? { id: "", keys: [] };
      for (const statement of filling(facilities, categories))
        await bench.sql.query(statement, statement.includes("$1") ? [id] : []);
      const connection = await openConnection(gateway.url);
      const call = encodeCall({
        method: "GET",
        path: "/v1/inventory/2024",
        headers: { "X-API-Key": keys[0] ?? "" },
      });
      const times: number[] = [];
      let cpu = 0;
      for (let sample = -UNCOUNTED; sample < bench.samples; sample += 1) {
        if (sample === 0) cpu = gateway.cpuSeconds();
        await bench.sql.query(
          "UPDATE inventory_policies SET approach = $2::inventory_approach, chosen_at = now() WHERE organization_id = $1",
          [id, APPROACHES[(sample + UNCOUNTED) % APPROACHES.length]],
        );
        await bench.sql.query(
          `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
           VALUES ($1::uuid, '2024-02-29', 'scope_1', 1.25)`,
          [id],
        );
        await sleep(ANNOUNCEMENT_MS);
        const started = performance.now();
        const answer = await connection.ask(call);
        if (sample >= 0) times.push(performance.now() - started);
        if (answer.status !== 200) throw new Error(`an inventory was not answered: ${answer.body}`);
      }
      connection.close();
      const cells = facilities * categories * 12;
      const used = ((gateway.cpuSeconds() - cpu) * 1e3) / bench.samples;
      bench.report({
        case: `inventory of ${cells.toLocaleString("en")} cells and ${ENTITIES} entities, first call after a change`,
        against: "",
        target: { atMost },
        unit: "ms",
        measured: medianOf(times, (time) => time),
        gateway: `${used.toFixed(1)} ms of CPU time`,
        figures: times.map((time) => Number(time.toFixed(3))),
      });
    }
  });
}
