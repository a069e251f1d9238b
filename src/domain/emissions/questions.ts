import { multiplyDecimals, percentOf } from "../decimals.js";

/** Codes of questions that a write may raise about probable errors. The caller accepts each question by its code. */
export const IMPORT_QUESTIONS = [
  "AMOUNT_IS_NOT_CO2E",
  "MONTHLY_TOTAL_UNUSUAL",
  "RECORD_UNUSUAL",
  "ALREADY_UNDER_OTHER_REFERENCE",
] as const;
export type ImportQuestion = (typeof IMPORT_QUESTIONS)[number];

/** An amount compared with the median of its facility and category, in tCO2e. */
export interface UnusualAmount {
  readonly tonnes: number;
  readonly medianTonnes: number;
  readonly ratio: number;
}

/** Figures behind each question. */
export interface QuestionFigures {
  /** The column with the units, the kinds of unit found in it, and the units as written. */
  readonly AMOUNT_IS_NOT_CO2E: {
    readonly column: string;
    readonly says: string;
    readonly units: readonly string[];
  };
  /** The most unusual month in the file, compared with a usual month of the organization. */
  readonly MONTHLY_TOTAL_UNUSUAL: {
    readonly month: string;
    readonly monthTonnes: number;
    readonly usualTonnes: number;
    readonly ratio: number;
  };
  /** Figures of the records in `firstLines`, in the same order. */
  readonly RECORD_UNUSUAL: readonly UnusualAmount[];
  readonly ALREADY_UNDER_OTHER_REFERENCE: { readonly rows: number; readonly sharePct: number };
}

/** A question about a probable error. */
export interface Question<Code extends ImportQuestion = ImportQuestion> {
  readonly code: Code;
  readonly message: string;
  /** Number of rows or records affected. */
  readonly rows: number;
  /** Line numbers of the first affected rows in a file, or their positions in a request, counted from 1. */
  readonly firstLines: readonly number[];
  readonly figures: QuestionFigures[Code];
}

/** Maximum number of `firstLines`. */
export const MAX_FIRST_LINES = 3;

/** A record is unusual from this multiple of the median. */
export const UNUSUAL_RATIO = 10;
/** A month in a file is unusual above this multiple of the organization's usual month. */
export const UNUSUAL_MONTH_RATIO = 3;
/** A file raises a question if at least this share and number of its rows exist under other references. */
export const REPEATED_PERCENT = 20;
export const MIN_REPEATED = 5;
/** Minimum number of amounts for a meaningful median. */
export const MIN_AMOUNTS = 6;
/** Number of months before a record's day to compare it with. */
export const COMPARED_MONTHS = 24;

/** Returns the ratio of an amount to the usual amount, rounded half away from zero to 2 decimals; 0 if that is 0. */
export const ratioOf = (tonnes: string, usual: string): number =>
  percentOf(tonnes, multiplyDecimals([usual, "100"]), 2) ?? 0;
