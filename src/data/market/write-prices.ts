import { randomUUID } from "node:crypto";
import type { IsoDate } from "../../domain/window.js";
import type { SqlSession } from "../database/types.js";

/** A price that an organization records. */
export interface PriceContent {
  readonly creditType: string;
  readonly exchange: string;
  readonly asOf: IsoDate;
  /** A plain decimal. */
  readonly price: string;
  readonly currency: string;
  readonly source: string;
  readonly sourceUrl: string;
  readonly region: string | null;
  readonly contract: string | null;
  readonly unit: string;
  readonly statutoryUntil: IsoDate | null;
}

export type PriceKey = Pick<PriceContent, "creditType" | "exchange" | "asOf">;

/** Finds the price that the organization recorded for an instrument on a day; undefined if it recorded none. */
export async function findOwnPrice(
  sql: SqlSession,
  organizationId: string,
  { creditType, exchange, asOf }: PriceKey,
): Promise<(Omit<PriceContent, keyof PriceKey> & { readonly id: string }) | undefined> {
  const [price] = await sql.query<Omit<PriceContent, keyof PriceKey> & { id: string }>(
    `SELECT id, trim_scale(price)::text AS price, currency::text AS currency, source, source_url AS "sourceUrl", region, contract,
       unit, statutory_until::text AS "statutoryUntil"
     FROM market_prices WHERE organization_id = $1::uuid AND credit_type = $2 AND exchange = $3 AND as_of = $4::date`,
    [organizationId, creditType, exchange, asOf],
  );
  return price;
}

/** Returns the organization's latest price of an instrument before a day, in a currency; undefined without one. */
export async function findFormerPrice(
  sql: SqlSession,
  organizationId: string,
  { creditType, exchange, asOf, currency }: PriceContent,
): Promise<string | undefined> {
  const [row] = await sql.query<{ price: string }>(
    `SELECT trim_scale(price)::text AS price FROM market_prices
     WHERE organization_id = $1::uuid AND credit_type = $2 AND exchange = $3 AND as_of < $4::date AND currency = $5
     ORDER BY as_of DESC LIMIT 1`,
    [organizationId, creditType, exchange, asOf, currency],
  );
  return row?.price;
}

/** Adds a price of the organization; returns its id. */
export async function insertPrice(
  sql: SqlSession,
  organizationId: string,
  content: PriceContent,
  now: Date,
): Promise<string> {
  const { creditType, exchange, asOf, price, currency, source, sourceUrl } = content;
  const id = randomUUID();
  await sql.execute(
    `INSERT INTO market_prices (id, organization_id, credit_type, exchange, as_of, price, currency, source, source_url, region,
       contract, unit, statutory_until, recorded_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5::date, $6::text::numeric, $7, $8, $9, $10, $11, $12, $13::date, $14::timestamptz)`,
    [
      id,
      organizationId,
      creditType,
      exchange,
      asOf,
      price,
      currency,
      source,
      sourceUrl,
      content.region,
      content.contract,
      content.unit,
      content.statutoryUntil,
      now.toISOString(),
    ],
  );
  return id;
}
