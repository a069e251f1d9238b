import { randomUUID } from "node:crypto";
import { findRetirement, insertRetirement } from "../../data/credits/write-credits.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent, type WriteResult } from "../idempotency.js";
import { notifyOfUse } from "../notifications/notify-of-trade.js";
import { readOptional } from "../read-text.js";
import { readPastDay, readQuantity, requireAvailable, requireBatch, writeCredits } from "./credit-checks.js";

/** A retirement as the caller sends it. */
export interface RetirementInput {
  readonly batchId: string;
  readonly quantity: number;
  /** Today if omitted. */
  readonly retiredOn?: string | null | undefined;
  readonly beneficiary?: string | null | undefined;
  readonly purpose?: string | null | undefined;
  /** Makes the request idempotent; generated if omitted. */
  readonly reference?: string | null | undefined;
}

function readRetirement(input: RetirementInput, now: Date) {
  const [quantity, retiredOn, beneficiary, purpose, reference] = requireValid(
    () => readQuantity("retirement", input.quantity),
    () => readPastDay("retirement", "retiredOn", input.retiredOn, now),
    () => readOptional("retirement", "beneficiary", input.beneficiary, TEXT_LIMITS.name),
    () => readOptional("retirement", "purpose", input.purpose, TEXT_LIMITS.note),
    () => readOptional("retirement", "reference", input.reference, TEXT_LIMITS.reference),
  );
  return { quantity, retiredOn, beneficiary, purpose, reference };
}

/**
 * Permanently retires credits of a batch. An existing retirement with the same reference and content is unchanged.
 * Throws InvalidInput for all faults, NOT_FOUND for an unknown batch, and CONFLICT if too few credits are available or
 * the reference is taken with different content.
 */
export function retireCredits(caller: ActorContext, input: RetirementInput): Promise<WriteResult> {
  const { reference, ...retired } = readRetirement(input, caller.now);
  return writeCredits(caller, async (sql, organizationId) => {
    const batch = await requireBatch(sql, organizationId, input.batchId);
    const existing = reference === null ? undefined : await findRetirement(sql, organizationId, reference);
    if (existing) {
      // A repeated request without a day gets the day of the first one.
      const sent = { ...retired, batch: batch.id, retiredOn: input.retiredOn ?? existing.retiredOn };
      assertIdempotent("retirement", `The reference ${reference}`, { ...existing }, sent);
      return { id: existing.id, isNew: false };
    }
    requireAvailable(batch, retired.quantity);
    const own = { batch: batch.id, reference: reference ?? randomUUID(), cctsPeriodId: null };
    const id = await insertRetirement(sql, organizationId, { ...retired, ...own });
    await notifyOfUse(sql, organizationId, batch, { ...retired, now: caller.now });
    return { id, isNew: true };
  });
}
