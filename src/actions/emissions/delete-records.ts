import { write } from "../../data/database/transaction.js";
import type { RecordRow } from "../../data/emissions/record-rows.js";
import {
  type DeletableRow,
  lockRecordsForDeletion,
  markRecordsDeleted,
} from "../../data/emissions/write-records.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { ActionError, joinMessages, requireSize, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readLines } from "../read-text.js";

/** Maximum number of records to delete at once. Each one adds an entry to the audit trail. */
export const MAX_DELETED = 100;

/**
 * Deletes 1 to 100 records, all or none. The reason replaces their notes. Returns the records that this call deleted,
 * in the order of the ids; the others were already deleted. Throws VALIDATION_FAILED for unknown ids or CONFLICT for
 * locked records, with all problems together.
 */
export async function deleteRecords(
  { resources, writer, now }: ActorContext,
  given: readonly string[],
  reason: string,
): Promise<RecordRow[]> {
  const listed = given.map((id) => id.toLowerCase());
  const ids = [...new Set(listed)];
  const [, note] = requireValid(
    () => requireSize("record", "recordIds", given.length, MAX_DELETED, "ids"),
    () => readLines("record", "reason", reason, TEXT_LIMITS.note),
  );
  return write(resources.database, writer, async (sql) => {
    const rows = await lockRecordsForDeletion(sql, writer.organizationId, ids);
    const found = new Map(rows.map((row) => [row.id, row]));
    const problemsOf = (describe: (id: string) => string | null) =>
      ids.flatMap((id) => {
        const message = describe(id);
        return message === null ? [] : [{ path: `recordIds[${listed.indexOf(id)}]`, message }];
      });
    const unknown = problemsOf((id) =>
      found.has(id) ? null : `There is no emission record with the id ${id}.`,
    );
    const locked = problemsOf((id) => describeLock(found.get(id)));
    const problems = [...unknown, ...locked];
    if (problems.length > 0) {
      const code = unknown.length > 0 ? "VALIDATION_FAILED" : "CONFLICT";
      throw new ActionError(code, "record", joinMessages(problems.map(({ message }) => message)), problems);
    }
    const remaining = ids.filter((id) => found.get(id)?.isDeleted === false);
    const deleted = await markRecordsDeleted(sql, writer.organizationId, remaining, { note, deletedAt: now });
    return deleted.toSorted((one, other) => remaining.indexOf(one.id) - remaining.indexOf(other.id));
  });
}

const describeLock = (record: DeletableRow | undefined): string | null =>
  record === undefined || record.isDeleted || record.lockedBy === null
    ? null
    : `The record of ${record.recordedOn} with the id ${record.id} is locked by verification request ${record.lockedBy}.`;
