import type { DateRange, IsoDate } from "../../domain/window.js";
import { type MarketPrice, Prisma } from "../../generated/prisma/client.js";
import {
  countRows,
  inAnyCase,
  isOneOf,
  isWithin,
  type Page,
  type PageRequest,
  readPage,
  whereAll,
} from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A credit type on an exchange. */
export type InstrumentKey = Readonly<Pick<MarketPrice, "creditType" | "exchange">>;

/** A price per tonne of CO2 equivalent: as a float, and as text with every digit. */
export interface Price
  extends InstrumentKey,
    Readonly<
      Pick<
        MarketPrice,
        "id" | "currency" | "priceType" | "source" | "sourceUrl" | "region" | "contract" | "unit"
      >
    > {
  readonly price: number;
  readonly priceExact: string;
  /** Percent. */
  readonly changePercent24h: number | null;
  readonly asOf: IsoDate | null;
  /** Last day of a statutory rate. */
  readonly statutoryUntil: IsoDate | null;
  readonly updatedAt: Date;
  /** True if it is the organization's, false if it is the platform's. */
  readonly isOwn: boolean;
}

/** Both are compared without case. */
export interface InstrumentFilter {
  readonly creditTypes?: readonly string[] | null | undefined;
  readonly exchanges?: readonly string[] | null | undefined;
}

/** The columns of a Price. */
export const PRICE = Prisma.sql`id, credit_type AS "creditType", exchange, price::float8 AS price,
  trim_scale(price)::text AS "priceExact", currency::text AS currency, change_pct_24h::float8 AS "changePercent24h",
  price_type::text AS "priceType", source, source_url AS "sourceUrl", as_of::text AS "asOf", recorded_at AS "updatedAt", region, contract,
  unit, statutory_until::text AS "statutoryUntil", organization_id IS NOT NULL AS "isOwn"`;

/** Order of an instrument's prices: by the day they apply to, then by the time they were recorded. */
const LATEST_FIRST = Prisma.sql`as_of DESC NULLS LAST, recorded_at DESC, id`;

/** Hides a price with a future date until its day. */
const isOut = (today: IsoDate) => Prisma.sql`(as_of IS NULL OR as_of <= ${today}::date)`;

const latest = (today: IsoDate) => Prisma.sql`
  (SELECT DISTINCT ON (credit_type, exchange) * FROM ${own.market_prices} WHERE ${isOut(today)}
   ORDER BY credit_type, exchange, ${LATEST_FIRST}) AS latest`;

/** Lists the latest price of each credit type and exchange, as of `today`, ordered by both. */
export function listLatestPrices(tenant: TenantReader, today: IsoDate): Promise<readonly Price[]> {
  return tenant.query<Price>(
    Prisma.sql`SELECT ${PRICE} FROM ${latest(today)} ORDER BY credit_type, exchange`,
  );
}

/** Finds a price by its id; null if the tenant cannot see it, or its day is in the future. */
export async function findPrice(tenant: TenantReader, id: string, today: IsoDate): Promise<Price | null> {
  const [price] = await tenant.query<Price>(
    Prisma.sql`SELECT ${PRICE} FROM ${own.market_prices} WHERE id = ${id}::uuid AND ${isOut(today)}`,
  );
  return price ?? null;
}

async function instrumentConditions(tenant: TenantReader, { creditTypes, exchanges }: InstrumentFilter) {
  if (!creditTypes && !exchanges) return [];
  const recorded = await tenant.query<InstrumentKey>(
    Prisma.sql`SELECT DISTINCT credit_type AS "creditType", exchange FROM ${own.market_prices}`,
  );
  const of = (key: keyof InstrumentKey, wanted: readonly string[] | null | undefined) =>
    wanted &&
    inAnyCase(
      recorded.map((instrument) => instrument[key]),
      wanted,
    );
  return [
    ...isOneOf("credit_type", "text", of("creditType", creditTypes)),
    ...isOneOf("exchange", "text", of("exchange", exchanges)),
  ];
}

/** Reads a page of the instruments, each as its latest price as of `today`, ordered by credit type, then exchange. */
export async function listInstruments(
  tenant: TenantReader,
  filter: InstrumentFilter,
  today: IsoDate,
  page: PageRequest,
): Promise<Page<Price>> {
  const query = {
    select: PRICE,
    from: latest(today),
    where: await instrumentConditions(tenant, filter),
    order: {
      columns: [
        ["credit_type", "text"],
        ["exchange", "text"],
      ] as const,
      descending: false,
    },
  };
  return readPage<Price>(tenant, query, page);
}

/** Counts the instruments that match. */
export async function countInstruments(
  tenant: TenantReader,
  filter: InstrumentFilter,
  today: IsoDate,
): Promise<number> {
  return countRows(tenant, { from: latest(today), where: await instrumentConditions(tenant, filter) });
}

/** Lists at most `limit` prices up to `today` for each of several instruments, latest first; in one statement. */
export function listPricesOfInstruments(
  tenant: TenantReader,
  instruments: readonly InstrumentKey[],
  { range, today, limit }: { range: DateRange | null; today: IsoDate; limit: number },
): Promise<readonly Price[]> {
  const asked = Prisma.sql`(credit_type, exchange) IN (
    SELECT * FROM unnest(${instruments.map(({ creditType }) => creditType)}::text[],
                         ${instruments.map(({ exchange }) => exchange)}::text[]))`;
  return tenant.query<Price>(Prisma.sql`
    SELECT ${PRICE}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY credit_type, exchange ORDER BY ${LATEST_FIRST}) AS place
      FROM ${own.market_prices} ${whereAll([asked, isOut(today), ...isWithin("as_of", range)])}
    ) AS ranked
    WHERE place <= ${limit} ORDER BY credit_type, exchange, place`);
}

const FEED_SILENCE_MS = 5 * 60_000;
/** Maximum time that a feed's clock may be ahead of ours. */
const FEED_SKEW_MS = 60_000;

/**
 * Returns true if a feed has reported within the last 5 minutes. A report from the future counts only from its time on.
 */
export async function isLiveFeedConnected(tenant: TenantReader, now: Date): Promise<boolean> {
  const feeds = await tenant.query<{ reported: Date }>(Prisma.sql`
    SELECT last_reported_at AS reported FROM ${own.exchange_feeds}
    WHERE last_reported_at BETWEEN '1000-01-01 00:00:00Z' AND '9999-12-31 00:00:00Z' ORDER BY last_reported_at DESC`);
  const reports = feeds.map(({ reported }) => reported.getTime());
  const latest = reports.find((time) => time <= now.getTime() + FEED_SKEW_MS);
  const isConnected = latest !== undefined && latest + FEED_SILENCE_MS >= now.getTime();
  if (isConnected) tenant.holdsUntil(new Date(latest + FEED_SILENCE_MS + 1));
  const next = reports.findLast((time) => time > now.getTime() + FEED_SKEW_MS);
  if (!isConnected && next !== undefined) tenant.holdsUntil(new Date(next - FEED_SKEW_MS));
  return isConnected;
}
