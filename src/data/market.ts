import type { PriceType } from "../domain/enums.js";
import type { DateRange, IsoDate } from "../domain/window.js";
import { Prisma } from "../generated/prisma/client.js";
import { countRows, isOneOf, isWithin, type Page, type PageRequest, readPage, whereAll } from "./keyset.js";
import type { TenantReader } from "./tenant.js";

/** A credit type on an exchange. */
export interface InstrumentKey {
  readonly creditType: string;
  readonly exchange: string;
}

/** A price per tonne of CO2 equivalent: as a float, and as text with every digit. */
export interface Price extends InstrumentKey {
  readonly price: number;
  readonly priceExact: string;
  readonly currency: string;
  /** Percent. */
  readonly changePct24h: number | null;
  readonly priceType: PriceType;
  readonly source: string;
  readonly sourceUrl: string | null;
  readonly asOf: IsoDate | null;
  readonly updatedAt: Date;
}

export interface InstrumentFilter {
  readonly creditTypes?: readonly string[] | null | undefined;
  readonly exchanges?: readonly string[] | null | undefined;
}

const PRICE = Prisma.sql`credit_type AS "creditType", exchange, price::float8 AS price,
  trim_scale(price)::text AS "priceExact", currency::text AS currency, change_pct_24h::float8 AS "changePct24h",
  price_type::text AS "priceType", source, source_url AS "sourceUrl", as_of::text AS "asOf", recorded_at AS "updatedAt"`;

/** Which of an instrument's prices comes first: by the day it applies to, then by when it was recorded. */
const LATEST_FIRST = Prisma.sql`as_of DESC NULLS LAST, recorded_at DESC, id`;

const LATEST = Prisma.sql`
  (SELECT DISTINCT ON (credit_type, exchange) * FROM market_prices ORDER BY credit_type, exchange, ${LATEST_FIRST}) AS latest`;

/** Of each credit type and exchange the latest price, ordered by both. */
export function listLatestPrices(tenant: TenantReader): Promise<readonly Price[]> {
  return tenant.query<Price>(Prisma.sql`SELECT ${PRICE} FROM ${LATEST} ORDER BY credit_type, exchange`);
}

const instrumentConditions = ({ creditTypes, exchanges }: InstrumentFilter) => [
  ...isOneOf("credit_type", "text", creditTypes),
  ...isOneOf("exchange", "text", exchanges),
];

/** A page of the instruments, each as its latest price, ordered by credit type, then exchange. */
export function listInstruments(
  tenant: TenantReader,
  filter: InstrumentFilter,
  page: PageRequest,
): Promise<Page<Price>> {
  const query = {
    select: PRICE,
    from: LATEST,
    where: instrumentConditions(filter),
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

export function countInstruments(tenant: TenantReader, filter: InstrumentFilter): Promise<number> {
  return countRows(tenant, { from: LATEST, where: instrumentConditions(filter) });
}

/** Prices of several instruments in one statement, at most `limit` of each, latest first. */
export function listPricesOfInstruments(
  tenant: TenantReader,
  instruments: readonly InstrumentKey[],
  { range, limit }: { range: DateRange | null; limit: number },
): Promise<readonly Price[]> {
  const asked = Prisma.sql`(credit_type, exchange) IN (
    SELECT * FROM unnest(${instruments.map(({ creditType }) => creditType)}::text[],
                         ${instruments.map(({ exchange }) => exchange)}::text[]))`;
  return tenant.query<Price>(Prisma.sql`
    SELECT ${PRICE}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY credit_type, exchange ORDER BY ${LATEST_FIRST}) AS place
      FROM market_prices ${whereAll([asked, ...isWithin("as_of", range)])}
    ) AS ranked
    WHERE place <= ${limit} ORDER BY credit_type, exchange, place`);
}

const FEED_SILENCE_MS = 5 * 60_000;

/** Whether any exchange feed has reported within the last 5 minutes. */
export async function isLiveFeedConnected(tenant: TenantReader, now: Date): Promise<boolean> {
  const [feed] = await tenant.query<{ reported: Date }>(Prisma.sql`
    SELECT last_reported_at AS reported FROM exchange_feeds WHERE last_reported_at IS NOT NULL
    ORDER BY last_reported_at DESC LIMIT 1`);
  if (!feed) return false;
  const silentFrom = new Date(feed.reported.getTime() + FEED_SILENCE_MS);
  if (silentFrom < now) return false;
  tenant.holdsUntil(new Date(silentFrom.getTime() + 1));
  return true;
}
