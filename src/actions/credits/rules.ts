import { findBatch, lockCredits, type StoredBatch } from "../../data/credits/write-credits.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { type IsoDate, isoDate } from "../../domain/window.js";
import type { Acting } from "../acting.js";
import { ActionError, InvalidInput, requireFound, type Subject } from "../action-error.js";

/** Writes while nobody else changes credits of the person's organization. */
export function writeCredits<T>(
  { resources, writer }: Acting,
  work: (sql: SqlSession, organizationId: string) => Promise<T>,
): Promise<T> {
  return write(resources.database, writer, async (sql) => {
    await lockCredits(sql, writer.organizationId);
    return work(sql, writer.organizationId);
  });
}

/** A batch of the organization. Throws NOT_FOUND. */
export async function requireBatch(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<StoredBatch> {
  return requireFound(await findBatch(sql, organizationId, "id", id), "batch", id);
}

/** Throws CONFLICT if fewer credits of a batch are available. */
export function requireAvailable({ reference, available }: StoredBatch, quantity: number): void {
  if (quantity <= available) return;
  const message = `Too few credits: ${available} of the batch ${reference} are available, got ${quantity}.`;
  throw new ActionError("CONFLICT", "batch", message, "quantity");
}

/** A number of credits. Throws InvalidInput for less than 1. */
export function readQuantity(subject: Subject, quantity: number): number {
  if (quantity >= 1) return quantity;
  throw new InvalidInput(subject, "quantity", `must be a whole number from 1 on (got ${quantity})`);
}

/** Carbon credits are younger than this. */
const EARLIEST_DAY: IsoDate = "1990-01-01";

/** A day; today, in UTC, if it is left out. Throws InvalidInput for one before 1990 or in the future. */
export function readPast(
  subject: Subject,
  field: string,
  day: IsoDate | null | undefined,
  now: Date,
): IsoDate {
  const today = isoDate(now);
  if (day == null) return today;
  if (day >= EARLIEST_DAY && day <= today) return day;
  const expected = `must be from ${EARLIEST_DAY} to today, ${today} in UTC`;
  throw new InvalidInput(subject, field, `${expected} (got ${day})`);
}
