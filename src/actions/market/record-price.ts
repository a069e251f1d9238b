import { write } from "../../data/database/transaction.js";
import {
  findFormerPrice,
  findOwnPrice,
  insertPrice,
  type PriceContent,
} from "../../data/market/write-prices.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { defaultRegion, PRICE_UNIT } from "../../domain/market/regions.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { type IsoDate, isSupportedDate, SUPPORTED_DATE } from "../../domain/window.js";
import { InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readPastDay } from "../credits/credit-checks.js";
import { assertIdempotent, type WriteResult } from "../idempotency.js";
import { notifyOfPrice } from "../notifications/notify-of-trade.js";
import { readAmount, readCurrency } from "../read-amount.js";
import { readLink, readOptional, readText } from "../read-text.js";

const PRICE = { exponent: 14, decimals: 9 };

/** A price as the caller sends it; `price` is a decimal in any notation. */
export interface PriceInput
  extends Pick<
    PriceContent,
    "creditType" | "exchange" | "asOf" | "price" | "currency" | "source" | "sourceUrl"
  > {
  /** The credit type's region if omitted. */
  readonly region?: string | null | undefined;
  readonly contract?: string | null | undefined;
  /** `tCO2e` if omitted. */
  readonly unit?: string | null | undefined;
  /** Last day of a statutory rate. */
  readonly statutoryUntil?: IsoDate | null | undefined;
}

function readContent(input: PriceInput, now: Date): PriceContent {
  const text = (field: "creditType" | "exchange", value: string) =>
    readText("price", field, value, TEXT_LIMITS.name);
  const [creditType, exchange, asOf, price, currency, source, sourceUrl, region, contract, unit] =
    requireValid(
      () => text("creditType", input.creditType),
      () => text("exchange", input.exchange),
      () => readPastDay("price", "asOf", input.asOf, now),
      () => readAmount("price", "price", input.price, PRICE),
      () => readCurrency("price", input.currency),
      () => readText("price", "source", input.source, TEXT_LIMITS.source),
      () => readLink("price", "sourceUrl", input.sourceUrl),
      () => readOptional("price", "region", input.region, TEXT_LIMITS.name),
      () => readOptional("price", "contract", input.contract, TEXT_LIMITS.name),
      () => readOptional("price", "unit", input.unit, TEXT_LIMITS.name),
      () => requireEnd(input),
    );
  return {
    creditType,
    exchange,
    asOf,
    price,
    currency,
    source,
    sourceUrl,
    contract,
    region: region ?? defaultRegion(creditType),
    unit: unit ?? PRICE_UNIT,
    statutoryUntil: input.statutoryUntil ?? null,
  };
}

function requireEnd({ asOf, statutoryUntil }: PriceInput): void {
  if (statutoryUntil == null || (isSupportedDate(statutoryUntil) && statutoryUntil >= asOf)) return;
  const expected = `must be ${SUPPORTED_DATE}, and not before asOf, ${asOf}`;
  throw new InvalidInput("price", "statutoryUntil", `${expected} (got ${statutoryUntil})`);
}

/**
 * Records a price of the organization's own, or finds the existing one with the same credit type, exchange, day and
 * content. Throws InvalidInput for every fault, and CONFLICT if the price exists with different content.
 */
export function recordPrice(
  { resources, writer, now }: ActorContext,
  input: PriceInput,
): Promise<WriteResult> {
  const content = readContent(input, now);
  const { creditType, exchange, asOf, ...rest } = content;
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const existing = await findOwnPrice(sql, organizationId, content);
    if (!existing) {
      const id = await insertPrice(sql, organizationId, content, now);
      const former = await findFormerPrice(sql, organizationId, content);
      await notifyOfPrice(sql, organizationId, { ...content, id }, { former, now });
      return { id, isNew: true };
    }
    assertIdempotent("price", `The price of ${creditType} on ${exchange} of ${asOf}`, { ...existing }, rest);
    return { id: existing.id, isNew: false };
  });
}
