import {
  type BatchContent,
  findBatch,
  insertBatch,
  sumIssuedExcept,
} from "../../data/credits/write-credits.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent, type WriteResult } from "../idempotency.js";
import { readText } from "../read-text.js";
import { readQuantity, writeCredits } from "./credit-checks.js";

/** Range of vintages, the same as in bundles. */
const VINTAGES = { first: 1900, last: 2100 };
const MAX_CREDITS = BigInt(Number.MAX_SAFE_INTEGER);

/** A batch as the caller sends it. */
export interface BatchInput extends Omit<BatchContent, "vintage"> {
  readonly vintage?: number | null | undefined;
}

function readBatch(input: BatchInput): BatchContent {
  const [reference, creditType, vintage, quantity] = requireValid(
    () => readText("batch", "reference", input.reference, TEXT_LIMITS.reference),
    () => readText("batch", "creditType", input.creditType, TEXT_LIMITS.name),
    () => readVintage(input.vintage ?? null),
    () => readQuantity("batch", input.quantity),
  );
  return { reference, creditType, vintage, quantity };
}

function readVintage(vintage: number | null): number | null {
  if (vintage === null || (vintage >= VINTAGES.first && vintage <= VINTAGES.last)) return vintage;
  const expected = `must be a year from ${VINTAGES.first} to ${VINTAGES.last}`;
  throw new InvalidInput("batch", "vintage", `${expected} (got ${vintage})`);
}

/**
 * Adds a batch of credits. An existing one with the same reference and content is unchanged. Throws InvalidInput for
 * all faults, and if the organization's credits would exceed the largest safe JSON integer. Throws CONFLICT if the
 * reference is taken with different content.
 */
export function issueCredits(caller: ActorContext, input: BatchInput): Promise<WriteResult> {
  const batch = readBatch(input);
  return writeCredits(caller, async (sql, organizationId) => {
    const existing = await findBatch(sql, organizationId, "reference", batch.reference);
    if (existing) {
      const { creditType, vintage, quantity } = batch;
      assertIdempotent(
        "batch",
        `The reference ${batch.reference}`,
        { ...existing },
        { creditType, vintage, quantity },
      );
      return { id: existing.id, isNew: false };
    }
    const max = MAX_CREDITS - (await sumIssuedExcept(sql, organizationId, []));
    if (BigInt(batch.quantity) > max) {
      const expected = `must be at most ${max}: all batches together can hold at most ${MAX_CREDITS} credits`;
      throw new InvalidInput("batch", "quantity", `${expected} (got ${batch.quantity})`);
    }
    return { id: await insertBatch(sql, organizationId, batch), isNew: true };
  });
}
