import { findBatch, lockCredits, type StoredBatch } from "../../data/credits/write-credits.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { type IsoDate, isoDate } from "../../domain/window.js";
import { ActionError, InvalidInput, requireFound, type Subject } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";

/** Runs `work` in a transaction that locks the credits of the user's organization. */
export function writeCredits<T>(
  { resources, writer }: ActorContext,
  work: (sql: SqlSession, organizationId: string) => Promise<T>,
): Promise<T> {
  return write(resources.database, writer, async (sql) => {
    await lockCredits(sql, writer.organizationId);
    return work(sql, writer.organizationId);
  });
}

/** Returns a batch of the organization. Throws NOT_FOUND. */
export async function requireBatch(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<StoredBatch> {
  return requireFound(await findBatch(sql, organizationId, "id", id), "batch", id);
}

/** Throws CONFLICT if a batch has fewer than `quantity` available credits. */
export function requireAvailable({ reference, available }: StoredBatch, quantity: number): void {
  if (quantity <= available) return;
  const message = `Too few credits: ${available} of the batch ${reference} are available, got ${quantity}.`;
  throw new ActionError("CONFLICT", "batch", message, "quantity");
}

/** Returns `quantity` if it is at least 1. Throws InvalidInput otherwise. */
export function readQuantity(subject: Subject, quantity: number): number {
  if (quantity >= 1) return quantity;
  throw new InvalidInput(subject, "quantity", `must be at least 1 (got ${quantity})`);
}

/** Carbon credits did not exist before this day. */
const EARLIEST_DAY: IsoDate = "1990-01-01";

/** Reads a past day; today in UTC if omitted. Throws InvalidInput for a day before 1990 or in the future. */
export function readPastDay(
  subject: Subject,
  field: string,
  day: IsoDate | null | undefined,
  now: Date,
): IsoDate {
  const today = isoDate(now);
  if (day == null) return today;
  if (day >= EARLIEST_DAY && day <= today) return day;
  const expected = `must be from ${EARLIEST_DAY} to today (${today} in UTC)`;
  throw new InvalidInput(subject, field, `${expected} (got ${day})`);
}
