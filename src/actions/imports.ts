import { plural } from "../commands/plural.js";
import { quoted, showable } from "../commands/terminal.js";
import { analyze } from "../data/database/analyze.js";
import type { Database } from "../data/database/types.js";
import {
  findImport,
  IMPORTED_TABLES,
  type Import,
  listImports,
  undoImport,
} from "../data/imports/imports.js";
import { findOrganizationId, lockOrganization } from "../data/organizations/organizations.js";
import { isUuid } from "../domain/uuid.js";
import { OperatorError } from "../errors.js";
import { refuseUnknown } from "./organizations.js";

/** An import, as the commands print it. */
export interface ImportDescription {
  readonly id: string;
  readonly file: string;
  readonly imported_at: string;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly facilities_created: number;
  readonly undone_at: string | null;
}

/** What taking an import back did; the JSON output of the command. */
export interface UndoSummary {
  readonly id: string;
  readonly organization: string;
  readonly file: string;
  /** Records that the import had added. */
  readonly removed: number;
  /** Records that the import had updated, and that are again what they were before. */
  readonly restored: number;
  /** Records of the import that were changed or removed since, and stay as they are. */
  readonly kept: number;
  readonly facilities_removed: number;
  readonly undone_at: string;
  /** Whether it had been taken back before, so that nothing was changed now. */
  readonly already_undone: boolean;
}

/** An organization's imports, latest first. Throws OperatorError when there is no such organization. */
export async function describeImports(database: Database, slug: string): Promise<ImportDescription[]> {
  const found = await database.transaction(async (sql) => {
    return listImports(sql, (await findOrganizationId(sql, slug)) ?? refuseUnknown(slug));
  });
  return found.map(describeRow);
}

function describeRow({ importedAt, facilitiesCreated, undoneAt, ...rest }: Import): ImportDescription {
  const { id, file, added, updated, unchanged } = rest;
  return {
    ...{ id, file, imported_at: importedAt, added, updated, unchanged },
    facilities_created: facilitiesCreated,
    undone_at: undoneAt,
  };
}

/** One line for each import. */
export function formatImports(imports: readonly ImportDescription[]): string {
  return imports
    .map(({ id, imported_at, file, added, updated, undone_at }) => {
      const undone = undone_at === null ? "" : `, undone ${undone_at}`;
      return `${id}  ${imported_at}  ${showable(file)}: ${added} added, ${updated} updated${undone}`;
    })
    .join("\n");
}

/**
 * Takes an import back, in one transaction; one that was taken back before stays as it is. Throws OperatorError when
 * there is no such import.
 */
export async function undo(database: Database, id: string, now: Date): Promise<UndoSummary> {
  const summary = await database.transaction(async (sql) => {
    const requireImport = async () => {
      const found = isUuid(id) ? await findImport(sql, id) : undefined;
      if (found !== undefined) return found;
      throw new OperatorError(
        `There is no import ${quoted(id)}. To see an organization's imports: npm run gateway -- import list --organization <slug>`,
      );
    };
    await lockOrganization(sql, (await requireImport()).organization);
    const { organizationId, organization, file, added, updated, undoneAt, ...found } = await requireImport();
    const about = { id: found.id, organization, file };
    if (undoneAt !== null) {
      const nothing = { removed: 0, restored: 0, kept: 0, facilities_removed: 0 };
      return { ...about, ...nothing, undone_at: undoneAt, already_undone: true };
    }
    const { removed, restored, facilitiesRemoved } = await undoImport(sql, organizationId, found.id, now);
    return {
      ...about,
      ...{ removed, restored, kept: added + updated - removed - restored },
      facilities_removed: facilitiesRemoved,
      undone_at: now.toISOString(),
      already_undone: false,
    };
  });
  if (summary.removed + summary.restored > 0) {
    await analyze(database, IMPORTED_TABLES);
  }
  return summary;
}

/** What taking an import back did, in one line. */
export function describeUndo(summary: UndoSummary): string {
  const { id, organization, file, removed, restored, kept, facilities_removed, undone_at } = summary;
  if (summary.already_undone) return `Import ${id} was taken back on ${undone_at}; nothing was changed.`;
  const parts = [
    ...(removed > 0 ? [`${plural(removed, "record")} removed`] : []),
    ...(restored > 0 ? [`${plural(restored, "record")} restored to what was there before`] : []),
    ...(kept > 0 ? [`${plural(kept, "record")} left alone, changed or removed since`] : []),
    ...(facilities_removed > 0 ? [`${plural(facilities_removed, "facility")} removed`] : []),
  ];
  const what = parts.join("; ") || "there was nothing to change";
  return `Took back import ${id} of ${showable(file)} (${organization}): ${what}.`;
}
