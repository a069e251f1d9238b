import { CbamFault } from "../../domain/cbam/fault.js";
import { FIRST_CBAM_YEAR, isCbamYear, LAST_CBAM_YEAR } from "../../domain/cbam/years.js";
import {
  type Assessment,
  assessDeclaration,
  assessImport,
  type DeclaredImport,
  type ImportEstimate,
} from "../../domain/compliance/cbam-declaration.js";
import { once } from "../../domain/once.js";
import { readCbamRules } from "../../files/reference/cbam-reference.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import { mapInTurns, type TimeLimit } from "../../turns.js";
import { ActionError, readInput, type Subject } from "../action-error.js";

/** Reads the figures of the CBAM acts, once. */
export const loadCbamRules = once(() => readCbamRules(REFERENCE_FOLDER));

/** Returns `year` if it is in the definitive period. Throws NOT_COVERED otherwise. */
export function readYear(subject: Subject, field: string, year: number): number {
  if (isCbamYear(year)) return year;
  const message = `${field} must be from ${FIRST_CBAM_YEAR} to ${LAST_CBAM_YEAR} (got ${year}).`;
  throw new ActionError("NOT_COVERED", subject, message, field);
}

/** Runs `apply` for the line at `path`. Rethrows a CbamFault as an ActionError that names the field. */
export function applyRules<Result>(subject: Subject, path: string, apply: () => Result): Result {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof CbamFault)) throw error;
    const field = `${path}${error.field}`;
    throw new ActionError(error.code, subject, `${field} ${error.message}.`, field);
  }
}

/**
 * Estimates imports of a year, yielding to other requests in between. Throws the refusals of all imports together.
 * `pathOf` returns the input path of an import's goods by its index.
 */
export async function estimateImports(
  year: number,
  imports: readonly DeclaredImport[],
  request: TimeLimit,
  pathOf: (index: number) => string,
): Promise<readonly ImportEstimate[]> {
  const rules = await loadCbamRules();
  const input = readInput();
  const lines = await mapInTurns(imports.entries(), request, ([index, imported]) =>
    input.read(() => applyRules("declaration", pathOf(index), () => assessImport(rules, year, imported))),
  );
  input.finish();
  return lines.filter((line) => line !== undefined);
}

/** Assesses the imports of a declaration. Throws if the rules refuse one. */
export async function assessImports(
  year: number,
  imports: readonly DeclaredImport[],
  request: TimeLimit,
): Promise<Assessment> {
  const lines = await estimateImports(year, imports, request, (index) => `imports[${index}].`);
  return assessDeclaration(await loadCbamRules(), year, lines);
}
