import { randomUUID } from "node:crypto";
import { findRetirement, insertRetirement } from "../../data/credits/write-credits.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import type { Acting } from "../acting.js";
import { requireValid } from "../action-error.js";
import { readOptional } from "../names.js";
import { requireSame, type Written } from "../same.js";
import { readPast, readQuantity, requireAvailable, requireBatch, writeCredits } from "./rules.js";

/** A retirement as a person gives it; `batch` is an id. */
export interface RetirementInput {
  readonly batchId: string;
  readonly quantity: number;
  /** Today if it is left out. */
  readonly retiredOn?: string | null | undefined;
  readonly beneficiary?: string | null | undefined;
  readonly purpose?: string | null | undefined;
  /** Makes the retirement repeatable. One is made up if it is left out. */
  readonly reference?: string | null | undefined;
}

function readRetirement(input: RetirementInput, now: Date) {
  const [quantity, retiredOn, beneficiary, purpose, reference] = requireValid(
    () => readQuantity("retirement", input.quantity),
    () => readPast("retirement", "retiredOn", input.retiredOn, now),
    () => readOptional("retirement", "beneficiary", input.beneficiary, TEXT_LIMITS.name),
    () => readOptional("retirement", "purpose", input.purpose, TEXT_LIMITS.note),
    () => readOptional("retirement", "reference", input.reference, TEXT_LIMITS.reference),
  );
  return { quantity, retiredOn, beneficiary, purpose, reference };
}

/**
 * Retires credits of a batch for good; a retirement that is there with the same reference and content stays. Throws
 * InvalidInput for what is wrong with it, NOT_FOUND for an unknown batch, and CONFLICT for too few credits and for a reference
 * that is taken with another content.
 */
export function retireCredits(acting: Acting, input: RetirementInput): Promise<Written> {
  const { reference, ...retired } = readRetirement(input, acting.now);
  return writeCredits(acting, async (sql, organizationId) => {
    const batch = await requireBatch(sql, organizationId, input.batchId);
    const there = reference === null ? undefined : await findRetirement(sql, organizationId, reference);
    if (there) {
      // A day that is left out is that of the first request.
      const sent = { ...retired, batch: batch.id, retiredOn: input.retiredOn ?? there.retiredOn };
      requireSame("retirement", `The reference ${reference}`, { ...there }, sent);
      return { id: there.id, isNew: false };
    }
    requireAvailable(batch, retired.quantity);
    const own = { batch: batch.id, reference: reference ?? randomUUID(), cctsPeriodId: null };
    return { id: await insertRetirement(sql, organizationId, { ...retired, ...own }), isNew: true };
  });
}
