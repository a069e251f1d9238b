import type { IndexPrice, IndexRules, IndexWeight } from "../../domain/market/price-index.js";
import type { IsoDate } from "../../domain/window.js";
import { type PriceIndex, Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

export interface IndexRow extends IndexRules, Readonly<Pick<PriceIndex, "code" | "name" | "methodology">> {}

/** Lists all price indices, by code. */
export function listIndices(tenant: TenantReader): Promise<readonly IndexRow[]> {
  return tenant.query<IndexRow>(Prisma.sql`
    SELECT code, name, base_date::text AS "baseDate", trim_scale(base_value)::text AS "baseValue",
      stale_after_days AS "staleAfterDays", methodology
    FROM ${own.price_indices} ORDER BY code`);
}

/** Lists the weights of an index that take effect on or before `to`. */
export function listIndexWeights(
  tenant: TenantReader,
  code: string,
  to: IsoDate,
): Promise<readonly IndexWeight[]> {
  return tenant.query<IndexWeight>(Prisma.sql`
    SELECT credit_type AS "creditType", exchange, trim_scale(weight)::text AS weight, valid_from::text AS "validFrom"
    FROM ${own.price_index_weights} AS w WHERE w.index = ${code} AND valid_from <= ${to}::date
    ORDER BY credit_type, exchange, valid_from`);
}

/**
 * Lists the prices up to `to` of the instruments in an index: for each instrument and day, the one recorded last.
 */
export function listIndexPrices(
  tenant: TenantReader,
  code: string,
  to: IsoDate,
): Promise<readonly IndexPrice[]> {
  return tenant.query<IndexPrice>(Prisma.sql`
    SELECT DISTINCT ON (as_of, credit_type, exchange) credit_type AS "creditType", exchange, as_of::text AS "asOf",
      trim_scale(price)::text AS price, currency::text AS currency, statutory_until::text AS "statutoryUntil"
    FROM ${own.market_prices}
    WHERE as_of <= ${to}::date
      AND (credit_type, exchange) IN (SELECT credit_type, exchange FROM ${own.price_index_weights} AS w WHERE w.index = ${code})
    ORDER BY as_of, credit_type, exchange, recorded_at DESC, id`);
}
