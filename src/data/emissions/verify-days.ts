import type { EmissionGrain } from "../../generated/prisma/enums.js";
import { write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";

/** A stored sum. Only a `month_cell` has energy and biogenic CO2; they are zero in other sums. */
export interface Sum {
  readonly co2e_tonnes: string;
  readonly record_count: number;
  readonly energy_kwh: string;
  readonly energy_record_count: number;
  readonly biogenic_co2_tonnes: string;
}

/** A sum in emission_days that differs from its records. */
export interface Difference {
  readonly organization: string;
  readonly grain: EmissionGrain;
  /** The day, or the first day of the month. */
  readonly recorded_on: string;
  /** Facility id or category; empty for records without one, and for the whole day or month. */
  readonly part: string;
  /** Category of a `month_cell`; empty in other sums. */
  readonly subpart: string;
  readonly scope: string;
  readonly kept: Sum;
  readonly recomputed: Sum;
}

const KEY = "organization_id, grain, recorded_on, part, subpart, scope";

/** Columns of a sum. They are zero in a missing row. */
const SUMS = [
  "co2e_tonnes",
  "record_count",
  "energy_kwh",
  "energy_record_count",
  "biogenic_co2_tonnes",
] as const satisfies readonly (keyof Sum)[];
const NAMES = SUMS.join(", ");

const sumsOf = (name: string) => SUMS.map((sum) => `coalesce(${name}.${sum}, 0)`).join(", ");
const sumSql = (name: string) =>
  `jsonb_build_object(${SUMS.map((sum) => `'${sum}', ${sum.endsWith("count") ? `coalesce(${name}.${sum}, 0)` : `trim_scale(coalesce(${name}.${sum}, 0))::text`}`).join(", ")})`;

const LIVE_RECORDS = `
  SELECT *, recorded_on AS day, date_trunc('month', recorded_on::timestamp)::date AS month
  FROM emission_records WHERE deleted_at IS NULL`;

const ofCells = (sum: string) => `CASE WHEN grouping(facility_id, category) = 0 THEN ${sum} ELSE 0 END`;

/** SELECT of the sums recomputed from the records. */
const RECOMPUTED = `
  SELECT organization_id, coalesce(day, month) AS recorded_on, scope, sum(co2e_tonnes) AS co2e_tonnes,
    count(*) AS record_count, ${ofCells("coalesce(sum(energy_kwh), 0)")} AS energy_kwh,
    ${ofCells("count(energy_kwh)")} AS energy_record_count,
    ${ofCells("coalesce(sum(biogenic_co2_tonnes), 0)")} AS biogenic_co2_tonnes,
    CASE grouping(day, facility_id, category)
      WHEN b'011'::integer THEN 'day' WHEN b'001'::integer THEN 'facility' WHEN b'010'::integer THEN 'category'
      WHEN b'111'::integer THEN 'month' WHEN b'101'::integer THEN 'month_facility'
      WHEN b'110'::integer THEN 'month_category' ELSE 'month_cell' END::emission_grain AS grain,
    CASE WHEN grouping(facility_id) = 0 THEN coalesce(facility_id::text, '')
         WHEN grouping(category) = 0 THEN coalesce(category, '') ELSE '' END AS part,
    CASE WHEN grouping(facility_id, category) = 0 THEN coalesce(category, '') ELSE '' END AS subpart
  FROM (${LIVE_RECORDS}) AS records
  GROUP BY organization_id, scope, GROUPING SETS ((day), (day, facility_id), (day, category),
    (month), (month, facility_id), (month, category), (month, facility_id, category))
  UNION ALL
  SELECT organization_id, coalesce(recorded_on, month), scope, sum(market_based_tonnes), count(*), 0, 0, 0,
    CASE grouping(recorded_on) WHEN 0 THEN 'market_day' ELSE 'market_month' END::emission_grain, '', ''
  FROM (${LIVE_RECORDS}) AS records WHERE market_based_tonnes IS NOT NULL
  GROUP BY organization_id, scope, month, GROUPING SETS ((recorded_on), ())`;

async function findDifferences(sql: SqlSession): Promise<Difference[]> {
  return sql.query<Difference>(`
    WITH kept AS (
      SELECT ${KEY}, ${SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(", ")} FROM emission_days GROUP BY ${KEY}
    ), recomputed AS (${RECOMPUTED})
    SELECT o.slug AS organization, grain::text AS grain, recorded_on::text AS recorded_on, part, subpart,
      scope::text AS scope, ${sumSql("k")} AS kept, ${sumSql("r")} AS recomputed
    FROM kept k FULL JOIN recomputed r USING (${KEY}) JOIN organizations o ON o.id = organization_id
    WHERE (${sumsOf("k")}) <> (${sumsOf("r")})
    ORDER BY o.slug, grain, recorded_on, part, subpart, scope`);
}

/** Compares the stored sums with the records in one snapshot, and returns the differences. */
export function verifyEmissionDays(database: Database): Promise<Difference[]> {
  return database.transaction(findDifferences);
}

/** Corrects the stored sums, and returns the differences. Blocks writes of records, but not reads. */
export function repairEmissionDays(database: Database): Promise<Difference[]> {
  return write(database, "verify", async (sql) => {
    await sql.query("LOCK TABLE emission_records IN SHARE ROW EXCLUSIVE MODE");
    const differences = await findDifferences(sql);
    if (differences.length === 0) return differences;
    await sql.query("DELETE FROM emission_days");
    await sql.query(`
      INSERT INTO emission_days (${KEY}, ${NAMES})
      SELECT ${KEY}, ${NAMES} FROM (${RECOMPUTED}) AS recomputed`);
    return differences;
  });
}

const MAX_SAMPLED = 50;

/**
 * Checks a random sample of up to 50 organizations at low cost: each month's sums must agree across groupings, and the
 * newest day's sums must match its records. Returns the slugs of organizations with a difference.
 */
export async function sampleEmissionDays(database: Database): Promise<string[]> {
  const rows = await database.transaction((sql) =>
    sql.query<{ slug: string }>(`
      WITH sampled AS MATERIALIZED (
        SELECT id FROM organizations ORDER BY random() LIMIT ${MAX_SAMPLED}
      ), grains AS (
        SELECT organization_id, date_trunc('month', recorded_on::timestamp) AS month, grain,
          sum(co2e_tonnes) AS co2e_tonnes, sum(record_count) AS record_count
        FROM emission_days WHERE organization_id IN (SELECT id FROM sampled) AND grain <= 'month_cell'
        GROUP BY organization_id, month, grain
        -- Rows that cancel each other out may remain in just one grain.
        HAVING (sum(co2e_tonnes), sum(record_count)) <> (0, 0)
      ), uneven AS (
        SELECT organization_id FROM grains GROUP BY organization_id, month
        HAVING count(DISTINCT (co2e_tonnes, record_count)) > 1 OR count(*) < cardinality(enum_range(NULL, 'month_cell'::emission_grain))
      ), newest AS (
        -- The newest day of the sums and that of the records: either may exist without the other.
        SELECT o.id AS organization_id, day.recorded_on
        FROM sampled AS o
        CROSS JOIN LATERAL (
          (SELECT recorded_on FROM emission_records WHERE organization_id = o.id AND deleted_at IS NULL ORDER BY recorded_on DESC, id DESC LIMIT 1)
          UNION
          (SELECT recorded_on FROM emission_days WHERE organization_id = o.id AND grain = 'day' AND record_count > 0
           ORDER BY recorded_on DESC LIMIT 1)
        ) AS day
      ), differing AS (
        SELECT organization_id FROM newest AS n
        WHERE (SELECT (coalesce(sum(co2e_tonnes), 0), count(*)::numeric) FROM emission_records AS r
               WHERE (r.organization_id, r.recorded_on) = (n.organization_id, n.recorded_on) AND deleted_at IS NULL)
          IS DISTINCT FROM
              (SELECT (coalesce(sum(co2e_tonnes), 0), coalesce(sum(record_count), 0)) FROM emission_days AS d
               WHERE (d.organization_id, d.grain, d.recorded_on) = (n.organization_id, 'day', n.recorded_on))
      )
      SELECT slug FROM organizations
      WHERE id IN (SELECT organization_id FROM uneven UNION SELECT organization_id FROM differing) ORDER BY slug`),
  );
  return rows.map(({ slug }) => slug);
}
