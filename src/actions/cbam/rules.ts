import { CbamFault } from "../../domain/cbam/fault.js";
import type { CbamRules } from "../../domain/cbam/rules.js";
import { FIRST_CBAM_YEAR, isCbamYear, LAST_CBAM_YEAR } from "../../domain/cbam/years.js";
import { type Assessment, assess, type DeclaredImport } from "../../domain/compliance/cbam-declaration.js";
import { readCbamRules } from "../../files/reference/cbam.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import { ActionError, type Subject } from "../action-error.js";

let rules: Promise<CbamRules> | undefined;

/** Reads the figures of the CBAM acts. The file is read once. */
export function loadCbamRules(): Promise<CbamRules> {
  rules ??= readCbamRules(REFERENCE_FOLDER);
  return rules;
}

/** Returns `year` if it is in the definitive period. Throws NOT_COVERED otherwise. */
export function readYear(subject: Subject, field: string, year: number): number {
  if (isCbamYear(year)) return year;
  const message = `${field} must be from ${FIRST_CBAM_YEAR} to ${LAST_CBAM_YEAR} (got ${year}).`;
  throw new ActionError("NOT_COVERED", subject, message, field);
}

/** Applies rules to the line at `path`. Rethrows a fault of the rules as a refusal that names the field. */
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
 * Assesses the imports of a year. Throws the refusals of the rules, with `imports` and the index in front of the field.
 */
export async function assessImports(year: number, imports: readonly DeclaredImport[]): Promise<Assessment> {
  const rules = await loadCbamRules();
  return applyRules("declaration", "", () => assess(rules, year, imports));
}
