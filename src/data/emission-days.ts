import type { Database, SqlSession } from "./database.js";

export interface Sum {
  readonly co2e_tonnes: string;
  readonly record_count: number;
}

/** A key of emission_days whose sum is not that of the records; amounts are tonnes of CO2 equivalent. */
export interface Difference {
  readonly organization: string;
  readonly grain: "day" | "facility" | "category";
  readonly recorded_on: string;
  /** The facility's id or the category; empty for records without one, and for the day as a whole. */
  readonly part: string;
  readonly scope: string;
  readonly kept: Sum;
  readonly recomputed: Sum;
}

const KEY = "organization_id, grain, recorded_on, part, scope";

/** The sums as they should be, from the records. */
const RECOMPUTED = `
  SELECT organization_id, recorded_on, scope, sum(co2e_tonnes) AS co2e_tonnes, count(*) AS record_count,
    CASE WHEN grouping(facility_id) = 0 THEN 'facility'
         WHEN grouping(category) = 0 THEN 'category' ELSE 'day' END::emission_grain AS grain,
    CASE WHEN grouping(facility_id) = 0 THEN coalesce(facility_id::text, '')
         WHEN grouping(category) = 0 THEN coalesce(category, '') ELSE '' END AS part
  FROM emission_records
  GROUP BY GROUPING SETS ((organization_id, recorded_on, scope),
    (organization_id, recorded_on, scope, facility_id), (organization_id, recorded_on, scope, category))`;

async function findDifferences(sql: SqlSession): Promise<Difference[]> {
  const rows = await sql.query<{
    slug: string;
    grain: Difference["grain"];
    recorded_on: string;
    part: string;
    scope: string;
    kept: string;
    kept_count: string;
    recomputed: string;
    recomputed_count: string;
  }>(`
    WITH kept AS (
      SELECT ${KEY}, sum(co2e_tonnes) AS co2e_tonnes, sum(record_count) AS record_count
      FROM emission_days GROUP BY ${KEY}
    ), recomputed AS (${RECOMPUTED})
    SELECT o.slug, grain::text AS grain, recorded_on::text AS recorded_on, part, scope::text AS scope,
      trim_scale(coalesce(k.co2e_tonnes, 0))::text AS kept, coalesce(k.record_count, 0)::text AS kept_count,
      trim_scale(coalesce(r.co2e_tonnes, 0))::text AS recomputed,
      coalesce(r.record_count, 0)::text AS recomputed_count
    FROM kept k FULL JOIN recomputed r USING (${KEY}) JOIN organizations o ON o.id = organization_id
    WHERE (coalesce(k.co2e_tonnes, 0), coalesce(k.record_count, 0))
       <> (coalesce(r.co2e_tonnes, 0), coalesce(r.record_count, 0))
    ORDER BY o.slug, grain, recorded_on, part, scope`);
  return rows.map(({ slug, grain, recorded_on, part, scope, ...sums }) => ({
    organization: slug,
    ...{ grain, recorded_on, part, scope },
    kept: { co2e_tonnes: sums.kept, record_count: Number(sums.kept_count) },
    recomputed: { co2e_tonnes: sums.recomputed, record_count: Number(sums.recomputed_count) },
  }));
}

/** Compares the sums that the database keeps with the records, as of one moment; empty when they agree. */
export function verifyEmissionDays(database: Database): Promise<Difference[]> {
  return database.transaction(findDifferences);
}

/** Puts the sums right; writers of records wait meanwhile, readers do not. Returns what was wrong. */
export function repairEmissionDays(database: Database): Promise<Difference[]> {
  return database.transaction(async (sql) => {
    await sql.query("LOCK TABLE emission_records IN SHARE ROW EXCLUSIVE MODE");
    const differences = await findDifferences(sql);
    if (differences.length === 0) return differences;
    await sql.query("DELETE FROM emission_days");
    await sql.query(`
      INSERT INTO emission_days (${KEY}, co2e_tonnes, record_count)
      SELECT ${KEY}, co2e_tonnes, record_count FROM (${RECOMPUTED}) AS recomputed`);
    return differences;
  });
}

const MOST_SAMPLED = 50;

/**
 * Looks for differences where it costs little, in up to 50 organizations: whether the sums of each by day, by facility and
 * by category are the same in all, and those of its newest day are what the records say. Returns slugs.
 */
export async function sampleEmissionDays(database: Database): Promise<string[]> {
  const rows = await database.transaction((sql) =>
    sql.query<{ slug: string }>(`
      WITH sampled AS MATERIALIZED (
        SELECT id FROM organizations ORDER BY random() LIMIT ${MOST_SAMPLED}
      ), grains AS (
        SELECT organization_id, grain, sum(co2e_tonnes) AS co2e_tonnes, sum(record_count) AS record_count
        FROM emission_days WHERE organization_id IN (SELECT id FROM sampled) GROUP BY organization_id, grain
        -- Rows that cancel each other out may be left of one grain alone.
        HAVING (sum(co2e_tonnes), sum(record_count)) <> (0, 0)
      ), uneven AS (
        SELECT organization_id FROM grains GROUP BY organization_id
        HAVING count(DISTINCT (co2e_tonnes, record_count)) > 1 OR count(*) < 3
      ), newest AS (
        SELECT o.id AS organization_id, r.recorded_on
        FROM sampled AS o
        CROSS JOIN LATERAL (
          SELECT recorded_on FROM emission_records WHERE organization_id = o.id
          ORDER BY recorded_on DESC, id DESC LIMIT 1
        ) AS r
      ), differing AS (
        SELECT organization_id FROM newest AS n
        WHERE (SELECT (sum(co2e_tonnes), count(*)::numeric) FROM emission_records AS r
               WHERE (r.organization_id, r.recorded_on) = (n.organization_id, n.recorded_on))
          IS DISTINCT FROM
              (SELECT (sum(co2e_tonnes), sum(record_count)) FROM emission_days AS d
               WHERE (d.organization_id, d.grain, d.recorded_on) = (n.organization_id, 'day', n.recorded_on))
      )
      SELECT slug FROM organizations
      WHERE id IN (SELECT organization_id FROM uneven UNION SELECT organization_id FROM differing) ORDER BY slug`),
  );
  return rows.map(({ slug }) => slug);
}
