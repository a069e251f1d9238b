import { randomUUID } from "node:crypto";
import {
  CERTIFICATES,
  findSurrender,
  listCertificates,
  type StoredPeriod,
  sumSurrendered,
} from "../../data/compliance/write-ccts.js";
import { insertRetirement } from "../../data/credits/write-credits.js";
import type { SqlSession } from "../../data/database/types.js";
import { computePosition } from "../../domain/compliance/ccts-position.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { isoDate } from "../../domain/window.js";
import { ActionError, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readQuantity, writeCredits } from "../credits/credit-checks.js";
import { assertIdempotent } from "../idempotency.js";
import { readOptional } from "../read-text.js";
import { requirePeriod } from "./record-ccts.js";

/** Certificates to surrender for a period. */
export interface SurrenderInput {
  readonly periodId: string;
  readonly quantity: number;
  /** Makes the request idempotent; generated if omitted. */
  readonly reference?: string | null | undefined;
}

/** Characters reserved for the slash and number that each retirement appends to the surrender's reference. */
const SUFFIX_LENGTH = 10;

/**
 * Retires all of the given certificates for a period, or none, oldest vintage first. Returns the period's id. An
 * existing surrender with the same reference and content is unchanged. Throws InvalidInput for all faults, and
 * NOT_FOUND for an unknown period. Throws CONFLICT if too few certificates are available, the quantity exceeds the
 * certificates still due, or the reference is taken.
 */
export function surrenderCertificates(caller: ActorContext, input: SurrenderInput): Promise<string> {
  const [quantity, reference] = requireValid(
    () => readQuantity("period", input.quantity),
    () => readOptional("period", "reference", input.reference, TEXT_LIMITS.reference - SUFFIX_LENGTH),
  );
  return writeCredits(caller, async (sql, organizationId) => {
    const period = await requirePeriod(sql, organizationId, input.periodId);
    const existing = reference === null ? undefined : await findSurrender(sql, organizationId, reference);
    if (existing) {
      assertIdempotent(
        "period",
        `The reference ${reference}`,
        { ...existing },
        { period: period.id, quantity },
      );
      return period.id;
    }
    await requireDue(sql, organizationId, period, quantity);
    await retireFor(sql, organizationId, period, {
      quantity,
      reference: reference ?? `CCTS ${period.financialYear} ${randomUUID()}`,
      retiredOn: isoDate(caller.now),
    });
    return period.id;
  });
}

/** Throws CONFLICT if the quantity exceeds the certificates that are still due. */
async function requireDue(
  sql: SqlSession,
  organizationId: string,
  period: StoredPeriod,
  quantity: number,
): Promise<void> {
  const due = computePosition(period).toSurrender - (await sumSurrendered(sql, organizationId, period.id));
  if (BigInt(quantity) <= due) return;
  const message = `Too many certificates: ${due > 0n ? due : 0} are still to be surrendered, got ${quantity}.`;
  throw new ActionError("CONFLICT", "period", message, "quantity");
}

/** Retires certificates batch by batch. Throws CONFLICT if too few are available. */
async function retireFor(
  sql: SqlSession,
  organizationId: string,
  { id, entity, financialYear }: StoredPeriod,
  { quantity, reference, retiredOn }: { quantity: number; reference: string; retiredOn: string },
): Promise<void> {
  const batches = await listCertificates(sql, organizationId);
  let left = quantity;
  for (const [index, { id: batch, available }] of batches.entries()) {
    if (left === 0) return;
    const taken = Math.min(available, left);
    await insertRetirement(sql, organizationId, {
      batch,
      quantity: taken,
      retiredOn,
      beneficiary: entity,
      cctsPeriodId: id,
      reference: `${reference}/${index + 1}`,
      purpose: `Surrendered under CCTS for ${financialYear}`,
    });
    left -= taken;
  }
  if (left === 0) return;
  const message = `Too few certificates: ${quantity - left} of type ${CERTIFICATES} are available, got ${quantity}.`;
  throw new ActionError("CONFLICT", "period", message, "quantity");
}
