import type { PriceType } from "../domain/enums.js";
import { Prisma } from "../generated/prisma/client.js";
import type { TenantReader } from "./tenant.js";

/** A price per tonne of CO2 equivalent. */
export interface LatestPrice {
  readonly creditType: string;
  readonly exchange: string;
  readonly price: number;
  readonly currency: string;
  /** Percent. */
  readonly changePct24h: number | null;
  readonly priceType: PriceType;
  readonly source: string;
  readonly sourceUrl: string | null;
  readonly asOf: string | null;
  readonly updatedAt: Date;
}

type PriceRow = Omit<LatestPrice, "price" | "changePct24h"> & { price: string; changePct24h: string | null };

/** Of each credit type and exchange the latest price: by the day it applies to, then by when it was recorded. */
export async function listLatestPrices(tenant: TenantReader): Promise<LatestPrice[]> {
  const rows = await tenant.query<PriceRow>(Prisma.sql`
    SELECT DISTINCT ON (credit_type, exchange)
           credit_type AS "creditType", exchange, price::text AS price, currency::text AS currency,
           change_pct_24h::text AS "changePct24h", price_type::text AS "priceType", source, source_url AS "sourceUrl",
           as_of::text AS "asOf", recorded_at AS "updatedAt"
    FROM market_prices
    ORDER BY credit_type, exchange, as_of DESC NULLS LAST, recorded_at DESC, id`);
  return rows.map((row) => ({
    ...row,
    price: Number(row.price),
    changePct24h: row.changePct24h === null ? null : Number(row.changePct24h),
  }));
}

const FEED_SILENCE_MS = 5 * 60_000;

/** Whether any exchange feed has reported within the last 5 minutes. */
export async function isLiveFeedConnected({ models }: TenantReader, now: Date): Promise<boolean> {
  const feed = await models.exchangeFeed.findFirst({
    where: { lastReportedAt: { gte: new Date(now.getTime() - FEED_SILENCE_MS) } },
  });
  return feed !== null;
}
