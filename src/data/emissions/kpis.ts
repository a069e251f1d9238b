import type { SeriesPattern } from "../../domain/emissions/coverage.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Market-based amounts of scope 2. Records of scope 2 may have them in addition to their location-based ones. */
export interface MarketBased {
  /** Tonnes of CO2 equivalent as a plain decimal; null if no record has such an amount. */
  readonly co2eTonnesExact: string | null;
  /** Number of records with such an amount. */
  readonly recordCount: number;
}

/** Sums market-based amounts. Reads the records that have one, by an index of only these records. */
export async function sumMarketBased(tenant: TenantReader, { from, to }: DateRange): Promise<MarketBased> {
  const [row] = await tenant.query<MarketBased>(Prisma.sql`
    SELECT trim_scale(sum(market_based_tonnes))::text AS "co2eTonnesExact", count(*) AS "recordCount"
    FROM ${own.emission_records}
    WHERE recorded_on BETWEEN ${from}::date AND ${to}::date AND market_based_tonnes IS NOT NULL AND scope = 'scope_2'`);
  return row ?? { co2eTonnesExact: null, recordCount: 0 };
}

/**
 * Lists the months with records of each series, up to the month of `last`. A series is one scope of one facility;
 * records without a facility count as one facility. Series with the same months are counted together, since most
 * facilities report alike.
 */
export function listSeriesPatterns(tenant: TenantReader, last: IsoDate): Promise<readonly SeriesPattern[]> {
  return tenant.query<SeriesPattern>(Prisma.sql`
    SELECT months, count(*) AS series FROM (
      SELECT string_agg(to_char(recorded_on, 'YYYY-MM'), ' ' ORDER BY recorded_on) AS months FROM (
        SELECT part, scope, recorded_on FROM ${own.emission_days}
        WHERE grain = 'month_facility' AND recorded_on <= ${last}::date GROUP BY part, scope, recorded_on HAVING sum(record_count) > 0
      ) AS month GROUP BY part, scope
    ) AS pattern GROUP BY months`);
}
