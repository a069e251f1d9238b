import type { EmissionScope } from "../../domain/enums.js";
import type { StreamSum } from "../../domain/inventory/compute.js";
import type { UnmappedStream } from "../../domain/inventory/inventory.js";
import type { FacilityElectricity } from "../../domain/inventory/scope-2.js";
import { type ElectricityTotals, MOST_FACILITIES } from "../../domain/inventory/scope-2-totals.js";
import type { ShareSpan } from "../../domain/inventory/shares.js";
import type { DateRange } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { cte, own } from "../tenant/sources.js";

/** Most streams without a line that are listed. */
const MOST_UNMAPPED = 1_000;

/** Rules by which the records of a year are summed. */
export interface SummedYear {
  readonly period: DateRange;
  readonly scopes: readonly EmissionScope[];
  /** Shares of the facilities of entities. */
  readonly spans: readonly ShareSpan[];
  /** Facilities that have claims. */
  readonly claimedIds: readonly string[];
  /** Markets that have a residual mix. */
  readonly markets: readonly string[];
}

export interface YearSums {
  /** Largest first. */
  readonly sums: readonly StreamSum[];
  readonly unmapped: readonly UnmappedStream[];
  readonly electricity: ElectricityTotals;
  /** Facilities with claims or a residual mix, and the first 5,000 others; by code. */
  readonly facilities: readonly FacilityElectricity[];
}

const [SPANS, CELLS, PARTS, STREAMS, FACILITIES] = ["spans", "cells", "parts", "streams", "facilities"].map(
  cte,
) as [Prisma.Sql, Prisma.Sql, Prisma.Sql, Prisma.Sql, Prisma.Sql];

const exact = (sum: Prisma.Sql) => Prisma.sql`trim_scale(coalesce(sum(${sum}), 0))::text`;

/**
 * Sums the records of a year, multiplied by the shares of their facilities: by line and method, by stream without a line, and
 * the purchased electricity by facility. One statement, which adds up months before it multiplies.
 */
export async function sumYear(
  tenant: TenantReader,
  { period, scopes, spans, claimedIds, markets }: SummedYear,
): Promise<YearSums> {
  const of = <Column extends keyof ShareSpan>(column: Column) => spans.map((span) => span[column]);
  const [row] = await tenant.query<Readonly<Record<keyof YearSums, string>>>(Prisma.sql`
    SELECT * FROM (
      WITH ${SPANS} AS (
        SELECT f.id::text AS part, s.from_month, s.to_month, s.share
        FROM unnest(${of("entityId")}::text[]::uuid[], ${of("from")}::text[]::date[], ${of("to")}::text[]::date[],
          ${of("share")}::text[]::numeric[]) AS s (entity_id, from_month, to_month, share)
        JOIN ${own.facilities} AS f ON f.entity_id = s.entity_id
      ), ${CELLS} AS MATERIALIZED (
        SELECT d.part, d.scope, d.subpart, coalesce(s.share, 1) AS share, sum(d.co2e_tonnes) AS tonnes,
          sum(d.record_count) AS records, sum(d.energy_kwh) AS kwh, sum(d.energy_record_count) AS kwh_records,
          sum(d.biogenic_co2_tonnes) AS biogenic
        FROM ${own.emission_days} AS d
          LEFT JOIN ${SPANS} AS s ON s.part = d.part AND d.recorded_on BETWEEN s.from_month AND s.to_month
        WHERE d.grain = 'month_cell' AND d.scope = ANY(${[...scopes]}::text[]::emission_scope[]) AND d.recorded_on = ANY(ARRAY(
          SELECT generate_series(${period.from}::date::timestamp, ${period.to}::date::timestamp, '1 month'::interval)::date))
        GROUP BY d.part, d.scope, d.subpart, coalesce(s.share, 1)
      ), ${PARTS} AS MATERIALIZED (
        SELECT part, scope, subpart, sum(tonnes * share) AS tonnes, sum(tonnes) AS ledger, sum(biogenic * share) AS biogenic,
          sum(kwh * share) AS kwh, coalesce(sum(records) FILTER (WHERE share > 0), 0) AS records,
          coalesce(sum(kwh_records) FILTER (WHERE share > 0), 0) AS kwh_records
        FROM ${CELLS} GROUP BY part, scope, subpart
      ), ${STREAMS} AS MATERIALIZED (
        SELECT sums.*, s.line, s.method, coalesce(s.activity_uncertainty_pct, 0) AS a, coalesce(s.factor_uncertainty_pct, 0) AS b,
          num_nonnulls(s.activity_uncertainty_pct, s.factor_uncertainty_pct) > 0 AS is_covered
        FROM (
          SELECT scope, subpart, sum(tonnes) AS tonnes, sum(ledger) AS ledger, sum(biogenic) AS biogenic, sum(records) AS records
          FROM ${PARTS} GROUP BY scope, subpart
        ) AS sums LEFT JOIN ${own.emission_streams} AS s ON s.scope = sums.scope AND coalesce(s.category, '') = sums.subpart
      ), ${FACILITIES} AS MATERIALIZED (
        SELECT sums.*, f.id, f.code, coalesce(f.electricity_market, f.country::text) AS market,
          row_number() OVER (ORDER BY f.code NULLS FIRST) AS number
        FROM (
          SELECT p.part, sum(tonnes) AS tonnes, sum(kwh) AS kwh, sum(records) AS records, sum(kwh_records) AS kwh_records
          FROM ${PARTS} AS p JOIN ${own.emission_streams} AS s ON s.scope = p.scope AND coalesce(s.category, '') = p.subpart
          WHERE s.line = 'purchased_electricity' AND p.records > 0 GROUP BY p.part
        ) AS sums LEFT JOIN ${own.facilities} AS f ON f.id::text = sums.part
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
          ORDER BY tonnes DESC, scope, subpart LIMIT ${MOST_UNMAPPED}
        ) AS unmapped
      )::text AS unmapped, (
        SELECT json_build_object('tonnes', ${exact(Prisma.sql`tonnes`)}, 'kwh', ${exact(Prisma.sql`kwh`)}, 'facilityCount', count(*))
        FROM ${FACILITIES}
      )::text AS electricity, (
        SELECT coalesce(json_agg(facilities), '[]') FROM (
          SELECT id AS "facilityId", code, market, trim_scale(tonnes)::text AS tonnes, trim_scale(kwh)::text AS kwh,
            records AS "recordCount", kwh_records AS "kwhRecordCount"
          FROM ${FACILITIES}
          WHERE number <= ${MOST_FACILITIES} OR id = ANY(${[...claimedIds]}::text[]::uuid[]) OR market = ANY(${[...markets]}::text[])
          ORDER BY number
        ) AS facilities
      )::text AS facilities
    ) AS answer`);
  if (row === undefined) throw new Error("the sums of a year were not answered");
  // As texts, since only their size counts in the cache of rows.
  return {
    sums: JSON.parse(row.sums),
    unmapped: JSON.parse(row.unmapped),
    electricity: JSON.parse(row.electricity),
    facilities: JSON.parse(row.facilities),
  };
}
