import { COMPARED_MONTHS, MIN_AMOUNTS, UNUSUAL_RATIO } from "../../domain/emissions/questions.js";
import type { SqlSession } from "../database/types.js";

/** A record that is unusually large for its facility and category, with exact decimals. */
export interface UnusualRecord {
  readonly id: string;
  readonly line: number;
  readonly tonnes: string;
  readonly median: string;
}

export interface ComparedRecords {
  /**
   * SQL for a relation with the columns `id`, `line`, `recorded_on`, `co2e_tonnes`, `facility_id`, `category`, and
   * those that `isFresh` needs.
   */
  readonly from: string;
  /** SQL condition that a record `a` of `from` is new or differs from the stored one; `$1` is the organization. */
  readonly isFresh: string;
  /** Values of `$3` and the following parameters, for `from`. */
  readonly parameters: readonly unknown[];
}

/**
 * Maximum number of stored records, latest first, to compare a facility and category with: ten for each month. It
 * limits the reads of a check, no matter how many records a tenant has.
 */
const MAX_STORED = 10 * COMPARED_MONTHS;
/** Maximum number of medians in one check, for the largest amounts first. */
const MAX_MEDIANS = 5_000;

const MONTHS = `interval '${COMPARED_MONTHS} months'`;

/** Returns SQL for a record's facility as in `emission_records_compared_idx`. Records without one form a group. */
export const comparedFacility = (record: string) =>
  `coalesce(${record}.facility_id, '00000000-0000-0000-0000-000000000000'::uuid)`;
/** Returns SQL for a record's category as in that index. */
export const comparedCategory = (record: string) => `coalesce(${record}.category, '')`;

/**
 * Sort order that reads the index backwards. It names all columns, because under row-level security PostgreSQL does not
 * trust an expression's equality to imply an order: it would read and sort the whole group.
 */
const LATEST_FIRST = `${comparedFacility("r")} DESC, ${comparedCategory("r")} DESC, r.recorded_on DESC`;

/**
 * Finds the fresh records that are at least 10 times the median of their facility and category. The median is over all
 * amounts in `from` and the stored amounts of the 24 months up to the record: at least 6 including the record, without
 * zeros. Returns the number of such records, and the first by line.
 *
 * With k stored amounts, the median of the union depends on at most the middle k + 2 amounts of `from`. A group is
 * sorted only if its largest amount is at least 10 times its smallest.
 */
export async function findUnusualRecords(
  sql: SqlSession,
  organizationId: string,
  { from, isFresh, parameters }: ComparedRecords,
  maxListed: number,
): Promise<{ count: number; first: readonly UnusualRecord[] }> {
  const rows = await sql.query<UnusualRecord & { count: number }>(
    `WITH file AS MATERIALIZED (
       SELECT f.*, ${comparedFacility("f")} AS facility, ${comparedCategory("f")} AS kind, co2e_tonnes AS tonnes
       FROM ${from} AS f WHERE co2e_tonnes > 0
     ), groups AS MATERIALIZED (
       SELECT facility, kind, count(*) AS n, max(tonnes) AS top, min(tonnes) AS low, min(recorded_on) AS first_day,
         max(recorded_on) AS last_day
       FROM file GROUP BY facility, kind
     ), stored AS MATERIALIZED (
       SELECT g.facility, g.kind, r.recorded_on, r.co2e_tonnes AS tonnes
       FROM groups AS g CROSS JOIN LATERAL (
         SELECT r.id, r.recorded_on, r.co2e_tonnes FROM emission_records AS r
         WHERE r.organization_id = $1::uuid AND ${comparedFacility("r")} = g.facility AND ${comparedCategory("r")} = g.kind
           AND r.recorded_on > g.first_day - ${MONTHS} AND r.recorded_on <= g.last_day
           AND r.deleted_at IS NULL AND r.co2e_tonnes > 0
         ORDER BY ${LATEST_FIRST} LIMIT ${MAX_STORED}
       ) AS r
       WHERE NOT EXISTS (SELECT FROM file AS f WHERE f.id = r.id)
     ), varied AS MATERIALIZED (
       SELECT g.facility, g.kind, g.n, coalesce(s.n, 0) AS stored, s.low, s.amounts, s.days
       FROM groups AS g LEFT JOIN (
         SELECT facility, kind, count(*) AS n, min(tonnes) AS low, array_agg(tonnes) AS amounts, array_agg(recorded_on) AS days
         FROM stored GROUP BY facility, kind
       ) AS s USING (facility, kind)
       WHERE g.n + coalesce(s.n, 0) >= ${MIN_AMOUNTS} AND g.top >= ${UNUSUAL_RATIO} * least(g.low, s.low)
     ), middle AS MATERIALIZED (
       SELECT facility, kind, min(tonnes) AS low, array_agg(tonnes) AS amounts
       FROM (
         SELECT facility, kind, tonnes, v.n, v.stored, row_number() OVER (PARTITION BY facility, kind ORDER BY tonnes) AS place
         FROM file JOIN varied AS v USING (facility, kind)
       ) AS ranked
       WHERE abs(2 * place - n - 1) <= stored + 1
       GROUP BY facility, kind
     ), candidates AS MATERIALIZED (
       SELECT a.* FROM file AS a JOIN varied AS v USING (facility, kind) JOIN middle AS m USING (facility, kind)
       WHERE a.tonnes >= ${UNUSUAL_RATIO} * least(m.low, v.low) AND ${isFresh}
     ), days AS MATERIALIZED (
       SELECT facility, kind, recorded_on, array_agg(id) AS ids, array_agg(line) AS lines, array_agg(tonnes) AS own
       FROM candidates
       GROUP BY facility, kind, recorded_on ORDER BY max(tonnes) DESC LIMIT ${MAX_MEDIANS}
     ), medians AS MATERIALIZED (
       SELECT d.*, (found.amounts[(found.n + 1) / 2] + found.amounts[found.n / 2 + 1]) / 2 AS median
       FROM days AS d JOIN varied AS v USING (facility, kind) JOIN middle AS m USING (facility, kind)
       CROSS JOIN LATERAL (
         SELECT array_agg(tonnes ORDER BY tonnes) AS amounts, count(*)::int AS n, count(day) AS stored
         FROM (
           SELECT tonnes, NULL::date AS day FROM unnest(m.amounts) AS tonnes
           UNION ALL
           SELECT tonnes, day FROM unnest(v.amounts, v.days) AS s(tonnes, day)
           WHERE day > d.recorded_on - ${MONTHS} AND day <= d.recorded_on
         ) AS compared
       ) AS found
       WHERE v.n + found.stored >= ${MIN_AMOUNTS}
     )
     SELECT c.id::text, c.line::float8, trim_scale(c.tonnes)::text AS tonnes, trim_scale(m.median)::text AS median,
       count(*) OVER ()::int AS count
     FROM medians AS m CROSS JOIN LATERAL unnest(m.ids, m.lines, m.own) AS c(id, line, tonnes)
     WHERE c.tonnes >= ${UNUSUAL_RATIO} * m.median
     ORDER BY c.line, c.id LIMIT $2`,
    [organizationId, maxListed, ...parameters],
  );
  return { count: rows[0]?.count ?? 0, first: rows.map(({ count: _, ...row }) => row) };
}
