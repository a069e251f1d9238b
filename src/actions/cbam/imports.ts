import { type ImportedRow, listStoredImports } from "../../data/compliance/cbam.js";
import { deleteImport, insertImport } from "../../data/compliance/write-cbam.js";
import { write } from "../../data/database/transaction.js";
import { findGood } from "../../domain/cbam/goods.js";
import { MOST_CBAM_LINES } from "../../domain/cbam/line.js";
import type { CbamQuarter } from "../../domain/cbam/price.js";
import { assessImport } from "../../domain/compliance/cbam-declaration.js";
import type { Acting } from "../acting.js";
import { ActionError } from "../action-error.js";
import { requireDeclaration, requireOpen } from "./declarations.js";
import { type LineInput, readAndApply } from "./read-line.js";
import { applyRules, loadCbamRules } from "./rules.js";

/** An import to add to a declaration. */
export interface ImportInput {
  readonly declarationId: string;
  readonly quarter: CbamQuarter;
  readonly goods: LineInput;
  readonly expectedVersion?: number | null | undefined;
}

/**
 * Adds an import to a declaration. Throws the errors of an estimate of the goods, and NOT_FOUND. Throws CONFLICT if the
 * declaration is submitted or full, or its version is not the expected one.
 */
export async function addImport(
  { resources, writer }: Acting,
  { declarationId: id, quarter, goods, expectedVersion }: ImportInput,
): Promise<ImportedRow> {
  const rules = await loadCbamRules();
  const { line } = readAndApply("declaration", "goods.", goods, ({ cnCode }) => findGood(rules, cnCode));
  return write(resources.database, writer, async (sql) => {
    const declaration = await requireDeclaration(sql, writer.organizationId, id, expectedVersion);
    requireOpen(declaration);
    const imported = { ...line, quarter };
    applyRules("declaration", "goods.", () => assessImport(rules, declaration.year, imported));
    const there = await listStoredImports(sql, writer.organizationId, declaration.id);
    if (there.length >= MOST_CBAM_LINES) {
      const message = `A declaration has at most ${MOST_CBAM_LINES} imports. Add up those of one kind and quarter.`;
      throw new ActionError("CONFLICT", "declaration", message, "imports");
    }
    const added = await insertImport(sql, writer.organizationId, declaration.id, imported);
    return { ...imported, id: added, declarationId: declaration.id };
  });
}

/** Removes an import from a declaration and returns the declaration's id. Throws NOT_FOUND and CONFLICT. */
export function removeImport(
  { resources, writer }: Acting,
  { declarationId: id, id: importId, expectedVersion }: RemovedImport,
): Promise<string> {
  return write(resources.database, writer, async (sql) => {
    const declaration = await requireDeclaration(sql, writer.organizationId, id, expectedVersion);
    requireOpen(declaration);
    if (await deleteImport(sql, declaration.id, importId)) return declaration.id;
    const message = `There is no import with the id ${importId} in the declaration of ${declaration.year}.`;
    throw new ActionError("NOT_FOUND", "declaration", message);
  });
}

interface RemovedImport {
  readonly declarationId: string;
  readonly id: string;
  readonly expectedVersion?: number | null | undefined;
}
