import type { MonthAmount } from "../../domain/foresight/monthly-series.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import type { InstrumentKey } from "./market.js";

export interface MonthPrice extends MonthAmount {
  readonly id: string;
  readonly currency: string;
}

/** Lists the last price of each month up to `to` (`YYYY-MM`), earliest first. Ignores the case of the instrument. */
export function listMonthlyPrices(
  tenant: TenantReader,
  { creditType, exchange }: InstrumentKey,
  to: string,
): Promise<readonly MonthPrice[]> {
  return tenant.query<MonthPrice>(Prisma.sql`
    SELECT * FROM (
      SELECT DISTINCT ON (month) id, month, price::float8 AS amount, currency::text AS currency
      FROM (SELECT *, to_char(as_of, 'YYYY-MM') AS month FROM ${own.market_prices}
        WHERE lower(credit_type) = lower(${creditType}) AND lower(exchange) = lower(${exchange})) AS prices
      WHERE month <= ${to}
      ORDER BY month, as_of DESC, recorded_at DESC, id
    ) AS months`);
}
