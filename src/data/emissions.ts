import { EMISSION_SCOPES, type EmissionScope } from "../domain/enums.js";
import type { DateRange, IsoDate } from "../domain/window.js";
import { Prisma } from "../generated/prisma/client.js";
import type { TenantReader } from "./tenant.js";

/** Totals of a date range; amounts are tonnes of CO2 equivalent. */
export interface EmissionSummary {
  readonly totalCo2eTonnes: number;
  readonly recordCount: number;
  readonly latestRecord: IsoDate | null;
  /** Always the three scopes, in order. */
  readonly byScope: {
    readonly scope: EmissionScope;
    readonly co2eTonnes: number;
    readonly recordCount: number;
  }[];
}

interface ScopeRow {
  /** Null on the row of all scopes together. */
  scope: EmissionScope | null;
  co2eTonnes: string;
  recordCount: bigint;
  latestRecord: IsoDate | null;
}

/**
 * Sums the records of a range in the database, in exact decimals; a figure becomes a float only here, after the sum.
 */
export async function summarizeEmissions(
  tenant: TenantReader,
  { from, to }: DateRange,
): Promise<EmissionSummary> {
  const rows = await tenant.query<ScopeRow>(Prisma.sql`
    SELECT scope::text AS scope, coalesce(sum(co2e_tonnes), 0)::text AS "co2eTonnes", count(*) AS "recordCount",
           max(recorded_on)::text AS "latestRecord"
    FROM emission_records
    WHERE recorded_on BETWEEN ${from}::date AND ${to}::date
    GROUP BY GROUPING SETS ((scope), ())`);
  const rowOf = (scope: EmissionScope | null) => rows.find((row) => row.scope === scope);
  const all = rowOf(null);
  return {
    totalCo2eTonnes: Number(all?.co2eTonnes ?? 0),
    recordCount: Number(all?.recordCount ?? 0),
    latestRecord: all?.latestRecord ?? null,
    byScope: EMISSION_SCOPES.map((scope) => {
      const row = rowOf(scope);
      return { scope, co2eTonnes: Number(row?.co2eTonnes ?? 0), recordCount: Number(row?.recordCount ?? 0) };
    }),
  };
}
