import type { FactorRow } from "../../../data/factors/factors.js";
import { AppError, type ErrorCode } from "../../../errors.js";
import { regionCodeOf } from "../../../regions/regions.js";

/** Information that helps a caller choose a factor. Omits parts that do not apply. */
export interface SelectionHelp {
  /** First part of the selector that excludes every factor. */
  readonly failedOn?: string;
  /** Available values of that part, most common first; or the units that a word can mean. */
  readonly available?: readonly string[];
  readonly nearest?: readonly FactorRow[];
  /** Parts of a selector in which the candidates differ. */
  readonly differBy?: readonly string[];
  readonly candidates?: readonly FactorRow[];
  readonly candidateCount?: number;
}

/** A failed choice of a factor, with help for choosing one. `at` is the part of the activity at fault. */
export class SelectionError extends AppError {
  readonly help: SelectionHelp;
  /** Undefined for the activity as a whole. */
  readonly at: string | undefined;

  constructor(code: ErrorCode, message: string, at: string | undefined, help: SelectionHelp = {}) {
    super(code, message, { extensions: describeHelp(help) });
    this.name = "SelectionError";
    this.help = help;
    this.at = at;
  }
}

/** An error of a calculation, as a value. */
export interface CalculationFailure extends SelectionHelp {
  readonly code: string;
  readonly message: string;
}

/** Returns the reason why an activity cannot be calculated. */
export const describeFailure = (error: AppError): CalculationFailure => ({
  code: error.code,
  message: error.message,
  ...(error instanceof SelectionError && error.help),
});

const describeHelp = ({ nearest, candidates, ...help }: SelectionHelp): Record<string, unknown> => ({
  ...help,
  ...(nearest && { nearest: nearest.map(describeCandidate) }),
  ...(candidates && { candidates: candidates.map(describeCandidate) }),
});

/** Returns the distinguishing parts of a candidate, and its figure. */
function describeCandidate(row: FactorRow) {
  const { id, activity, detail, region, scope, category, unit } = row;
  const { factorExact, source, sourceYear, sourceFactorId } = row;
  const regionCode = regionCodeOf(region);
  return {
    id,
    activity,
    detail,
    region,
    regionCode,
    scope,
    category,
    unit,
    factorExact,
    source,
    sourceYear,
    sourceFactorId,
  };
}
