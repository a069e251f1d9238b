import { type Writer, write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import { analyze } from "../../data/database/upkeep/analyze.js";
import {
  findImport,
  IMPORTED_TABLES,
  type Import,
  listImports as listRows,
  undoImport as undoRows,
} from "../../data/imports/imports.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { quoted } from "../../files/quoted.js";
import { ActionError } from "../action-error.js";
import { requireOrganizationId } from "../people/organizations.js";
import { takeTurn } from "./one-at-a-time.js";

/** Result of undoing an import. */
export interface UndoSummary {
  readonly id: string;
  /** The organization's slug. */
  readonly organization: string;
  readonly file: string;
  /** Records that the import had added. */
  readonly removed: number;
  /** Records that the import had updated, now with their values from before. */
  readonly restored: number;
  /** Records of the import that were changed or removed since. The undo leaves them unchanged. */
  readonly kept: number;
  readonly facilitiesRemoved: number;
  readonly undoneAt: string;
  /** True if the import was undone before; then nothing changed. */
  readonly alreadyUndone: boolean;
}

/** Lists an organization's imports by its slug, latest first. Throws ActionError for an unknown slug. */
export function listImports(database: Database, slug: string): Promise<Import[]> {
  return database.transaction(async (sql) => listRows(sql, await requireOrganizationId(sql, slug)));
}

/**
 * Undoes an import in one transaction; an import that was undone before is unchanged. Throws ActionError if the writer
 * has no import with the id. Throws CONFLICT if a record would change in a locked period. A user's request also throws
 * CONFLICT while an import is in progress.
 */
export async function undoImport(
  database: Database,
  id: string,
  now: Date,
  writer: Writer = "import undo",
): Promise<UndoSummary> {
  const work = async (sql: SqlSession) => {
    await takeTurn(sql, (await requireImport(sql, id, writer)).organization, writer);
    // Another process may have undone it before the lock was free.
    const found = await requireImport(sql, id, writer);
    const about = { id: found.id, organization: found.organization, file: found.file };
    if (found.undoneAt !== null) {
      const nothing = { removed: 0, restored: 0, kept: 0, facilitiesRemoved: 0 };
      return { ...about, ...nothing, undoneAt: found.undoneAt, alreadyUndone: true };
    }
    const done = await undoRows(sql, found.organizationId, found.id, now);
    const { removed, restored, facilitiesRemoved } = done;
    const kept = found.added + found.updated - removed - restored;
    const undoneAt = now.toISOString();
    return { ...about, removed, restored, kept, facilitiesRemoved, undoneAt, alreadyUndone: false };
  };
  const summary = await write(database, writer, work, undefined, {
    mayTakeLong: true,
    scope: "write:emissions",
  });
  if (summary.removed + summary.restored > 0) await analyze(database, IMPORTED_TABLES);
  return summary;
}

async function requireImport(sql: SqlSession, id: string, writer: Writer) {
  const found = isUuid(id) ? await findImport(sql, id) : undefined;
  const isOwn = typeof writer === "string" || found?.organizationId === writer.organizationId;
  if (found === undefined || !isOwn)
    throw new ActionError("NOT_FOUND", "import", `There is no import ${quoted(id)}.`);
  return found;
}
