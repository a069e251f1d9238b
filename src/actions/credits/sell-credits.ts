import { randomUUID } from "node:crypto";
import { findSale, insertSale, type SaleContent } from "../../data/credits/write-credits.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent, type WriteResult } from "../idempotency.js";
import { notifyOfUse } from "../notifications/notify-of-trade.js";
import { readCurrency, readOptionalAmount } from "../read-amount.js";
import { readOptional } from "../read-text.js";
import { readPastDay, readQuantity, requireAvailable, requireBatch, writeCredits } from "./credit-checks.js";

/** A sale as the caller sends it. */
export interface SaleInput {
  readonly batchId: string;
  readonly quantity: number;
  /** Today if omitted. */
  readonly soldOn?: string | null | undefined;
  readonly buyer?: string | null | undefined;
  /** Price of one credit. Must be sent together with `currency`. */
  readonly price?: string | null | undefined;
  readonly currency?: string | null | undefined;
  /** Makes the request idempotent; generated if omitted. */
  readonly reference?: string | null | undefined;
}

const PRICE = { exponent: 14, decimals: 9 };
/** Reference of sales from bundles. Loading a bundle would overwrite another sale with this reference. */
const RESERVED = "bundle";

/** Reads the currency of a price. Throws InvalidInput if only one of them is given. */
function readPriceCurrency(currency: string | null, price: string | null): string | null {
  if ((currency === null) === (price === null)) {
    return currency === null ? null : readCurrency("sale", currency);
  }
  const [field, other] = currency === null ? ["currency", "price"] : ["price", "currency"];
  throw new InvalidInput("sale", field as string, `is required with ${other}`);
}

function readReference(given: string | null | undefined): string | null {
  const reference = readOptional("sale", "reference", given, TEXT_LIMITS.reference);
  if (reference !== RESERVED) return reference;
  const expected = `must not be ${RESERVED}, which is reserved for sales from bundles`;
  throw new InvalidInput("sale", "reference", expected);
}

function readSale(input: SaleInput, now: Date) {
  const price = input.price ?? null;
  const [quantity, soldOn, buyer, exactPrice, currency, reference] = requireValid(
    () => readQuantity("sale", input.quantity),
    () => readPastDay("sale", "soldOn", input.soldOn, now),
    () => readOptional("sale", "buyer", input.buyer, TEXT_LIMITS.name),
    () => readOptionalAmount("sale", "price", price, PRICE),
    () => readPriceCurrency(input.currency ?? null, price),
    () => readReference(input.reference),
  );
  return { quantity, soldOn, buyer, price: exactPrice, currency, reference };
}

/**
 * Sells credits of a batch. An existing sale of the batch with the same reference and content is unchanged. Throws
 * InvalidInput for all faults, NOT_FOUND for an unknown batch, and CONFLICT if too few credits are available or the
 * reference is taken with different content.
 */
export function sellCredits(caller: ActorContext, input: SaleInput): Promise<WriteResult> {
  const { reference, ...sold } = readSale(input, caller.now);
  return writeCredits(caller, async (sql, organizationId) => {
    const batch = await requireBatch(sql, organizationId, input.batchId);
    const existing =
      reference === null ? undefined : await findSale(sql, organizationId, batch.id, reference);
    if (existing) {
      // A repeated request without a day gets the day of the first one.
      const sent = { ...sold, soldOn: input.soldOn ?? existing.soldOn };
      assertIdempotent("sale", `The reference ${reference}`, { ...existing }, sent);
      return { id: existing.id, isNew: false };
    }
    requireAvailable(batch, sold.quantity);
    const sale: SaleContent = { ...sold, batch: batch.id, reference: reference ?? randomUUID() };
    const id = await insertSale(sql, organizationId, sale);
    await notifyOfUse(sql, organizationId, batch, { ...sold, now: caller.now });
    return { id, isNew: true };
  });
}
