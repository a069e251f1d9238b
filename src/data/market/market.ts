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

/** A price per tonne of CO2 equivalent. */
export interface Price
  extends InstrumentKey,
    Readonly<
      Pick<
        MarketPrice,
        "id" | "currency" | "priceType" | "source" | "sourceUrl" | "region" | "contract" | "unit"
      >
    > {
  readonly price: number;
  /** The same price with every digit, as a plain decimal. */
  readonly priceExact: string;
  /** In percent. */
  readonly changePercent24h: number | null;
  readonly asOf: IsoDate | null;
  /** Last day on which a statutory rate applies. */
  readonly statutoryUntil: IsoDate | null;
  readonly updatedAt: Date;
  /** True for a price of the organization, false for one of the platform. */
  readonly isOwn: boolean;
}

/** Filter on instruments, case-insensitive. */
export interface InstrumentFilter {
  readonly creditTypes?: readonly string[] | null | undefined;
  readonly exchanges?: readonly string[] | null | undefined;
}

export const PRICE_COLUMNS = Prisma.sql`id, credit_type AS "creditType", exchange, price::float8 AS price,
  trim_scale(price)::text AS "priceExact", currency::text AS currency, change_pct_24h::float8 AS "changePercent24h",
  price_type::text AS "priceType", source, source_url AS "sourceUrl", as_of::text AS "asOf", recorded_at AS "updatedAt", region, contract,
  unit, statutory_until::text AS "statutoryUntil", organization_id IS NOT NULL AS "isOwn"`;

const LATEST_FIRST = Prisma.sql`as_of DESC NULLS LAST, recorded_at DESC, id`;

/** Hides prices with a date in the future. */
const isPublished = (today: IsoDate) => Prisma.sql`(as_of IS NULL OR as_of <= ${today}::date)`;

const latest = (today: IsoDate) => Prisma.sql`
  (SELECT DISTINCT ON (credit_type, exchange) * FROM ${own.market_prices} WHERE ${isPublished(today)}
   ORDER BY credit_type, exchange, ${LATEST_FIRST}) AS latest`;

/** Lists the latest price of each instrument as of `today`, by credit type and exchange. */
export function listLatestPrices(tenant: TenantReader, today: IsoDate): Promise<readonly Price[]> {
  return tenant.query<Price>(
    Prisma.sql`SELECT ${PRICE_COLUMNS} FROM ${latest(today)} ORDER BY credit_type, exchange`,
  );
}

/** Finds a price; null if it does not exist, if it is another tenant's, or if its date is in the future. */
export async function findPrice(tenant: TenantReader, id: string, today: IsoDate): Promise<Price | null> {
  const [price] = await tenant.query<Price>(
    Prisma.sql`SELECT ${PRICE_COLUMNS} FROM ${own.market_prices} WHERE id = ${id}::uuid AND ${isPublished(today)}`,
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

/** Reads a page of instruments with their latest prices as of `today`, by credit type and exchange. */
export async function listInstruments(
  tenant: TenantReader,
  filter: InstrumentFilter,
  today: IsoDate,
  page: PageRequest,
): Promise<Page<Price>> {
  const query = {
    select: PRICE_COLUMNS,
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

export async function countInstruments(
  tenant: TenantReader,
  filter: InstrumentFilter,
  today: IsoDate,
): Promise<number> {
  return countRows(tenant, { from: latest(today), where: await instrumentConditions(tenant, filter) });
}

/** Lists at most `limit` prices up to `today` for each instrument, latest first. Runs one statement for all. */
export function listPricesOfInstruments(
  tenant: TenantReader,
  instruments: readonly InstrumentKey[],
  { range, today, limit }: { range: DateRange | null; today: IsoDate; limit: number },
): Promise<readonly Price[]> {
  const asked = Prisma.sql`(credit_type, exchange) IN (
    SELECT * FROM unnest(${instruments.map(({ creditType }) => creditType)}::text[],
                         ${instruments.map(({ exchange }) => exchange)}::text[]))`;
  return tenant.query<Price>(Prisma.sql`
    SELECT ${PRICE_COLUMNS}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY credit_type, exchange ORDER BY ${LATEST_FIRST}) AS place
      FROM ${own.market_prices} ${whereAll([asked, isPublished(today), ...isWithin("as_of", range)])}
    ) AS ranked
    WHERE place <= ${limit} ORDER BY credit_type, exchange, place`);
}

const FEED_SILENCE_MS = 5 * 60_000;
/** Tolerance for a feed whose clock is ahead of ours. */
const FEED_SKEW_MS = 60_000;

/**
 * Returns true if a feed has reported within the last 5 minutes. Ignores reports dated more than a minute in the
 * future.
 */
export async function isLiveFeedConnected(tenant: TenantReader, now: Date): Promise<boolean> {
  const feeds = await tenant.query<{ reported: Date }>(Prisma.sql`
    SELECT last_reported_at AS reported FROM ${own.exchange_feeds}
    WHERE last_reported_at BETWEEN '1000-01-01 00:00:00Z' AND '9999-12-31 00:00:00Z' ORDER BY last_reported_at DESC`);
  const reports = feeds.map(({ reported }) => reported.getTime());
  const latest = reports.find((time) => time <= now.getTime() + FEED_SKEW_MS);
  const isConnected = latest !== undefined && latest + FEED_SILENCE_MS >= now.getTime();
  if (isConnected) tenant.noteValidUntil(new Date(latest + FEED_SILENCE_MS + 1));
  const next = reports.findLast((time) => time > now.getTime() + FEED_SKEW_MS);
  if (!isConnected && next !== undefined) tenant.noteValidUntil(new Date(next - FEED_SKEW_MS));
  return isConnected;
}
