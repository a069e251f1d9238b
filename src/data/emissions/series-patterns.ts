import type { SeriesPattern } from "../../domain/emissions/coverage.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/**
 * Lists the months in which each series has records, up to the month of `last`. A series is one scope of one facility;
 * records without a facility form one facility. Series with the same months share a row, since most facilities report
 * in the same months.
 */
export function listSeriesPatterns(tenant: TenantReader, last: IsoDate): Promise<readonly SeriesPattern[]> {
  return tenant.query<SeriesPattern>(Prisma.sql`
    SELECT array_to_string(months, ' ') AS months, count(*) AS series FROM (
      SELECT array_agg(recorded_on ORDER BY recorded_on) AS months FROM (
        SELECT part, scope, recorded_on FROM ${own.emission_days}
        WHERE grain = 'month_facility' AND recorded_on <= ${last}::date GROUP BY part, scope, recorded_on HAVING sum(record_count) > 0
      ) AS month GROUP BY part, scope
    ) AS pattern GROUP BY pattern.months`);
}
