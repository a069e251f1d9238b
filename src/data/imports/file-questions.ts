import { MAX_FIRST_LINES, MIN_AMOUNTS, UNUSUAL_MONTH_RATIO } from "../../domain/emissions/questions.js";
import type { SqlSession } from "../database/types.js";
import { comparedCategory, comparedFacility } from "../emissions/unusual-records.js";

const CONTENT = ["recorded_on", "scope", "co2e_tonnes", "facility_id", "category"];
const content = (record: string) => `(${CONTENT.map((name) => `${record}.${name}`).join(", ")})`;

/**
 * SQL condition that an arranged record `a` is new or differs in the compared columns; `$1` is the organization. A
 * record without a reference cannot differ, since its id is a digest of its content.
 */
export const IS_FRESH = `NOT EXISTS (
  SELECT FROM emission_records AS r
  WHERE r.organization_id = $1::uuid AND r.id = a.id AND r.deleted_at IS NULL
    AND (a.reference IS NULL OR ${content("r")} IS NOT DISTINCT FROM ${content("a")}))`;

/** An arranged file as input of `findUnusualRecords`. */
export const ARRANGED = {
  from: `(SELECT id, line, reference, ${CONTENT.join(", ")} FROM arranged)`,
  isFresh: IS_FRESH,
  parameters: [],
};

/** Unusually large months of a file. Amounts are exact decimals. */
export interface UnusualMonths {
  /** Largest month, such as `2026-10`. */
  readonly month: string;
  readonly tonnes: string;
  /** Median of the organization's months. */
  readonly usual: string;
  /** Number of unusual months. */
  readonly months: number;
  /** Number of rows in these months. */
  readonly rows: number;
  readonly firstLines: readonly number[];
}

const MAX_MONTHS = 24;

/**
 * Finds the months of an arranged file whose new and changed records add up to more than 3 times the median of the
 * organization's latest 24 months; undefined if there are none, or if the organization has fewer than 6 months.
 */
export async function findUnusualMonths(
  sql: SqlSession,
  organizationId: string,
): Promise<UnusualMonths | undefined> {
  const [found] = await sql.query<{ usual: string | null; n: number }>(
    `SELECT trim_scale((tonnes[(n + 1) / 2] + tonnes[n / 2 + 1]) / 2)::text AS usual, n
     FROM (
       SELECT array_agg(tonnes ORDER BY tonnes) AS tonnes, count(*)::int AS n FROM (
         SELECT sum(co2e_tonnes) AS tonnes FROM emission_days
         WHERE organization_id = $1::uuid AND grain = 'month'
         GROUP BY recorded_on HAVING sum(co2e_tonnes) > 0 ORDER BY recorded_on DESC LIMIT ${MAX_MONTHS}
       ) AS latest
     ) AS months`,
    [organizationId],
  );
  if (!found?.usual || found.n < MIN_AMOUNTS) return undefined;
  const { usual } = found;
  const monthsOf = (from: string, parameter: string) =>
    `SELECT date_trunc('month', recorded_on::timestamp)::date AS month, sum(co2e_tonnes) AS tonnes, count(*) AS rows
     FROM ${from} GROUP BY month HAVING sum(co2e_tonnes) > ${UNUSUAL_MONTH_RATIO} * ${parameter}::numeric`;
  // Most files have no such month even with unchanged records, and need no comparison with stored ones.
  const [possible] = await sql.query(`${monthsOf("arranged", "$1")} LIMIT 1`, [usual]);
  if (!possible) return undefined;
  const [largest] = await sql.query<Omit<UnusualMonths, "usual">>(
    `WITH fresh AS MATERIALIZED (
       SELECT line, recorded_on, co2e_tonnes FROM arranged AS a WHERE ${IS_FRESH}
     ), unusual AS MATERIALIZED (${monthsOf("fresh", "$2")})
     SELECT to_char(month, 'YYYY-MM') AS month, trim_scale(tonnes)::text AS tonnes, count(*) OVER ()::int AS months,
       (sum(rows) OVER ())::float8 AS rows,
       (SELECT json_agg(line) FROM (
          SELECT line FROM fresh JOIN unusual ON month = date_trunc('month', recorded_on::timestamp)::date
          ORDER BY line LIMIT ${MAX_FIRST_LINES}
        ) AS first) AS "firstLines"
     FROM unusual ORDER BY unusual.tonnes DESC, unusual.month LIMIT 1`,
    [organizationId, usual],
  );
  return largest && { ...largest, usual };
}

/** Records of a file that are already stored under another reference, or without one. */
export interface RepeatedRecords {
  readonly rows: number;
  readonly firstLines: readonly number[];
}

/**
 * Number of records to compare first, and the minimum share of repeats among them for comparing all: half of the share
 * that raises a question.
 */
const SAMPLE = { records: 1_000, share: 0.1 };

/**
 * Counts the records of an arranged file that look new by reference or id, but whose day, scope, facility, category and
 * amount are already stored, as many times as in the file. Ignores zeros. An arranged file is sorted by digest, so its
 * first 1,000 records are a random sample: unless a tenth of them are stored, it does not look up the others.
 */
export async function findRepeatedRecords(
  sql: SqlSession,
  organizationId: string,
  records: number,
): Promise<RepeatedRecords> {
  if (records > SAMPLE.records) {
    const { rows } = await findRepeated(sql, organizationId, SAMPLE.records);
    if (rows < SAMPLE.share * SAMPLE.records) return { rows: 0, firstLines: [] };
  }
  return findRepeated(sql, organizationId, records);
}

async function findRepeated(
  sql: SqlSession,
  organizationId: string,
  records: number,
): Promise<RepeatedRecords> {
  const found = await sql.query<{ line: number; rows: number }>(
    `WITH contents AS (
       SELECT a.recorded_on, a.scope, a.co2e_tonnes, ${comparedFacility("a")} AS facility, ${comparedCategory("a")} AS category,
         count(*) FILTER (WHERE is_fresh) AS fresh, count(*) AS n, min(line) FILTER (WHERE is_fresh) AS line
       FROM (SELECT *, ${IS_FRESH} AS is_fresh FROM (SELECT * FROM arranged LIMIT $2) AS a WHERE co2e_tonnes > 0) AS a
       GROUP BY 1, 2, 3, 4, 5 HAVING bool_or(is_fresh)
     ), repeated AS (
       SELECT c.line, least(c.fresh, stored.n - (c.n - c.fresh)) AS n
       FROM contents AS c CROSS JOIN LATERAL (
         SELECT count(*) AS n FROM (
           SELECT FROM emission_records AS r
           WHERE r.organization_id = $1::uuid AND ${comparedFacility("r")} = c.facility AND ${comparedCategory("r")} = c.category
             AND r.recorded_on = c.recorded_on AND r.co2e_tonnes = c.co2e_tonnes AND r.scope = c.scope
             AND r.deleted_at IS NULL AND r.co2e_tonnes > 0
           LIMIT c.n
         ) AS same
       ) AS stored
     )
     SELECT line::float8, (sum(n) OVER ())::float8 AS rows FROM repeated WHERE n > 0 ORDER BY repeated.line LIMIT ${MAX_FIRST_LINES}`,
    [organizationId, records],
  );
  return { rows: found[0]?.rows ?? 0, firstLines: found.map(({ line }) => line) };
}
