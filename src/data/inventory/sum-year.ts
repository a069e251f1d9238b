import type { EmissionScope } from "../../domain/enums.js";
import type { StreamSum } from "../../domain/inventory/compose-inventory.js";
import type { UnmappedStream } from "../../domain/inventory/inventory.js";
import type { FacilityElectricity } from "../../domain/inventory/scope-2.js";
import { type ElectricityTotals, MAX_LISTED_FACILITIES } from "../../domain/inventory/scope-2-totals.js";
import type { ShareSpan } from "../../domain/inventory/shares.js";
import type { DateRange } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { mapInTurns } from "../../turns.js";
import type { TenantReader } from "../tenant/reader.js";
import { cte, own } from "../tenant/sources.js";

/** Maximum number of unmapped streams to list. */
const MAX_UNMAPPED = 1_000;

/** Selection of a year's records, and the shares to apply. */
export interface SummedYear {
  readonly period: DateRange;
  /** Scopes 1 and 2, or all three. */
  readonly scopes: readonly EmissionScope[];
  /** Shares of entities' facilities. */
  readonly spans: readonly ShareSpan[];
  /** Facilities with claims. */
  readonly claimedIds: readonly string[];
  /** Markets with a residual mix. */
  readonly markets: readonly string[];
}

export interface YearSums {
  /** Largest first. */
  readonly sums: readonly StreamSum[];
  readonly unmapped: readonly UnmappedStream[];
  readonly electricity: ElectricityTotals;
  /** The first 5,000 facilities, and all others with claims or a residual mix; by code. */
  readonly facilities: readonly FacilityElectricity[];
}

const [CELLS, SHARED, STREAMS, FACILITIES] = [cte("cells"), cte("shared"), cte("streams"), cte("facilities")];

const exact = (sum: Prisma.Sql) => Prisma.sql`trim_scale(coalesce(sum(${sum}), 0))::text`;

/**
 * Returns SQL for a year: a condition on `recorded_on`, the number of its phase, and a FROM item `s` with each entity's
 * share in each phase. The condition lists every month: for a range of parameters, PostgreSQL would expect few rows
 * and sort them all.
 */
export function sqlOfYear(period: DateRange, spans: readonly ShareSpan[]) {
  // First days of months in which any share changes. Months in between are added up before they are multiplied.
  const breaks = [...new Set([period.from, ...spans.map(({ from }) => from)])].sort();
  const phases = breaks.flatMap((month, index) =>
    spans
      .filter(({ from, to }) => from <= month && month <= to)
      .map(({ entityId, share }) => ({ entityId, phase: index, share })),
  );
  return {
    isInYear: Prisma.sql`recorded_on = ANY(ARRAY(
      SELECT generate_series(${period.from}::date::timestamp, ${period.to}::date::timestamp, '1 month'::interval)::date))`,
    // Faster than width_bucket.
    phase: Prisma.join(
      [Prisma.sql`0`, ...breaks.slice(1).map((month) => Prisma.sql`(recorded_on >= ${month}::date)::int`)],
      " + ",
    ),
    shares: Prisma.sql`unnest(${phases.map(({ entityId }) => entityId)}::text[]::uuid[], ${phases.map(({ phase }) => phase)}::int[],
      ${phases.map(({ share }) => share)}::text[]::numeric[]) AS s (entity_id, phase, share)`,
  };
}

/** Number of facilities that are parsed at a time. */
const PART = Prisma.raw("1000");
/** A control character, which JSON has to escape. */
const PARTS_END = "\x1e";
const parseFacilities = (part: string): FacilityElectricity[] => JSON.parse(part);

/**
 * Sums a year's records, multiplied by their facilities' shares: by line and method, by unmapped stream, and, for
 * purchased electricity, by facility. Uses one statement, which adds up months before it multiplies.
 */
export async function sumYear(
  tenant: TenantReader,
  { period, scopes, spans, claimedIds, markets }: SummedYear,
): Promise<YearSums> {
  const { isInYear, phase, shares } = sqlOfYear(period, spans);
  const [row] = await tenant.query<Readonly<Record<keyof YearSums, string>>>(Prisma.sql`
    SELECT * FROM (
      WITH ${CELLS} AS MATERIALIZED (
        SELECT part, scope, subpart, ${phase} AS phase, sum(co2e_tonnes) AS tonnes,
          sum(record_count::int) AS records, sum(energy_record_count::int) AS kwh_records,
          sum(energy_kwh) FILTER (WHERE scope = 'scope_2' AND energy_kwh <> 0) AS kwh,
          sum(biogenic_co2_tonnes) FILTER (WHERE biogenic_co2_tonnes <> 0) AS biogenic
        FROM ${own.emission_days}
        WHERE grain = 'month_cell' AND scope <= ${scopes.at(-1)}::emission_scope AND ${isInYear}
        GROUP BY part, scope, subpart, phase
      ), ${SHARED} AS MATERIALIZED (
        SELECT f.id, c.scope, c.subpart, c.tonnes, c.kwh, c.biogenic, c.records, c.kwh_records,
          CASE WHEN f.entity_id IS NULL THEN 1 ELSE coalesce(s.share, 0) END AS share
        FROM ${CELLS} AS c LEFT JOIN ${own.facilities} AS f ON f.id = nullif(c.part, '')::uuid
          LEFT JOIN ${shares} ON s.entity_id = f.entity_id AND s.phase = c.phase
      ), ${STREAMS} AS MATERIALIZED (
        SELECT sums.*, s.line, s.method, coalesce(s.activity_uncertainty_pct, 0) AS a, coalesce(s.factor_uncertainty_pct, 0) AS b,
          num_nonnulls(s.activity_uncertainty_pct, s.factor_uncertainty_pct) > 0 AS is_covered
        FROM (
          SELECT scope, subpart, sum(tonnes * share) AS tonnes, sum(tonnes) AS ledger, sum(biogenic * share) AS biogenic,
            coalesce(sum(records) FILTER (WHERE share > 0), 0) AS records
          FROM ${SHARED} GROUP BY scope, subpart
        ) AS sums LEFT JOIN ${own.emission_streams} AS s ON s.scope = sums.scope AND coalesce(s.category, '') = sums.subpart
      ), ${FACILITIES} AS MATERIALIZED (
        SELECT sums.*, f.code, coalesce(f.electricity_market, f.country::text) AS market,
          row_number() OVER (ORDER BY f.code NULLS FIRST) AS number
        FROM (
          SELECT c.id, sum(tonnes * share) AS tonnes, coalesce(sum(kwh * share), 0) AS kwh, sum(records) AS records,
            sum(kwh_records) AS kwh_records
          FROM ${SHARED} AS c JOIN ${own.emission_streams} AS s ON s.scope = c.scope AND coalesce(s.category, '') = c.subpart
          WHERE s.line = 'purchased_electricity' AND share > 0 GROUP BY c.id HAVING sum(records) > 0
        ) AS sums LEFT JOIN ${own.facilities} AS f ON f.id = sums.id
      )
      SELECT (
        SELECT coalesce(json_agg(sums), '[]') FROM (
          SELECT scope, line, method, ${exact(Prisma.sql`tonnes`)} AS tonnes, ${exact(Prisma.sql`ledger`)} AS "ledgerTonnes",
            ${exact(Prisma.sql`biogenic`)} AS "biogenicTonnes", sum(records) AS "recordCount",
            ${exact(Prisma.sql`CASE WHEN is_covered THEN tonnes END`)} AS "coveredTonnes", ${exact(Prisma.sql`tonnes * tonnes * (a * a + b * b)`)} AS squares
          FROM ${STREAMS} GROUP BY scope, line, method ORDER BY sum(tonnes) DESC, method
        ) AS sums
      )::text AS sums, (
        SELECT coalesce(json_agg(unmapped), '[]') FROM (
          SELECT scope, nullif(subpart, '') AS category, trim_scale(tonnes)::text AS "co2eTonnesExact", records AS "recordCount"
          FROM ${STREAMS} WHERE line IS NULL AND records > 0
          ORDER BY tonnes DESC, scope, subpart LIMIT ${MAX_UNMAPPED}
        ) AS unmapped
      )::text AS unmapped, (
        SELECT json_build_object('tonnes', ${exact(Prisma.sql`tonnes`)}, 'kwh', ${exact(Prisma.sql`kwh`)}, 'facilityCount', count(*))
        FROM ${FACILITIES}
      )::text AS electricity, (
        SELECT coalesce(string_agg(part, ${PARTS_END} ORDER BY first), '[]') FROM (
          SELECT min(number) AS first, json_agg(json_build_object('facilityId', id, 'code', code, 'market', market, 'tonnes', trim_scale(tonnes)::text,
            'kwh', trim_scale(kwh)::text, 'recordCount', records, 'kwhRecordCount', kwh_records) ORDER BY number)::text AS part
          FROM ${FACILITIES}
          WHERE number <= ${MAX_LISTED_FACILITIES} OR id = ANY(${[...claimedIds]}::text[]::uuid[]) OR market = ANY(${[...markets]}::text[])
          GROUP BY number / ${PART}
        ) AS parts
      ) AS facilities
    ) AS answer`);
  if (row === undefined) throw new Error("the database returned no row");
  // Returned as text, because the cache of rows can only measure the size of strings.
  return {
    sums: JSON.parse(row.sums),
    unmapped: JSON.parse(row.unmapped),
    electricity: JSON.parse(row.electricity),
    facilities: (await mapInTurns(row.facilities.split(PARTS_END), tenant, parseFacilities)).flat(),
  };
}
