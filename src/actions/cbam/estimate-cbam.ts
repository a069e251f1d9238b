import type { CbamRules, CbamScenario } from "../../domain/cbam/cbam-rules.js";
import { type EstimateTerms, estimateLine, type LineEstimate } from "../../domain/cbam/estimate-line.js";
import { MAX_CBAM_LINES } from "../../domain/cbam/line.js";
import { type CbamPrice, type CbamQuarter, findPrice } from "../../domain/cbam/price.js";
import { type DeMinimis, type EstimateTotal, findDeMinimis, sumLines } from "../../domain/cbam/totals.js";
import { FIRST_CBAM_YEAR, LAST_CBAM_YEAR } from "../../domain/cbam/years.js";
import { mapInTurns, type TimeLimit } from "../../turns.js";
import { readInput, requireSize } from "../action-error.js";
import { readOptionalAmount } from "../read-amount.js";
import { loadCbamRules, readYear } from "./apply-rules.js";
import { type LineInput, PRICE, readAndApply } from "./read-line.js";

/** Goods whose certificates are to be estimated. */
export interface EstimateInput {
  readonly year: number;
  readonly quarter?: CbamQuarter | null | undefined;
  readonly lines: readonly LineInput[];
  /** Euros per certificate, instead of a published price. */
  readonly certificatePriceEur?: string | null | undefined;
  /** `law` if omitted. */
  readonly scenario?: CbamScenario | undefined;
  /** Further years to estimate. */
  readonly years?: readonly number[] | null | undefined;
}

export interface YearEstimate {
  readonly year: number;
  readonly lines: readonly LineEstimate[];
  readonly total: EstimateTotal;
}

export interface CbamEstimate extends YearEstimate {
  readonly scenario: CbamScenario;
  readonly price: CbamPrice;
  readonly deMinimis: DeMinimis;
  readonly byYear: readonly YearEstimate[];
  readonly rules: CbamRules;
}

const MAX_YEARS = LAST_CBAM_YEAR - FIRST_CBAM_YEAR + 1;

/**
 * Estimates the CBAM certificates for goods, yielding to other requests in between. Stores nothing. Throws NOT_COVERED,
 * ROUTE_REQUIRED or VALIDATION_FAILED; several problems become one VALIDATION_FAILED.
 */
export async function estimateCbam(request: TimeLimit, given: EstimateInput): Promise<CbamEstimate> {
  const rules = await loadCbamRules();
  const { scenario = "law", quarter = null } = given;
  requireSize("estimate", "lines", given.lines.length, MAX_CBAM_LINES);
  if (given.years) requireSize("estimate", "years", given.years.length, MAX_YEARS);
  const input = readInput();
  const year = input.read(() => readYear("estimate", "year", given.year)) ?? FIRST_CBAM_YEAR;
  const { certificatePriceEur: price } = given;
  const ownPrice =
    input.read(() => readOptionalAmount("estimate", "certificatePriceEur", price, PRICE)) ?? null;
  const years = given.years?.map(
    (each, index) => input.read(() => readYear("estimate", `years[${index}]`, each)) ?? FIRST_CBAM_YEAR,
  );
  const termsOf = (each: number): EstimateTerms => {
    const price = findPrice(rules, { year: each, quarter }, ownPrice);
    return { year: each, scenario, price };
  };
  const terms = termsOf(year);
  const lines = await mapInTurns(given.lines.entries(), request, ([index, line]) =>
    input.read(() => {
      const path = `lines[${index}].`;
      return readAndApply("estimate", path, line, (read) => estimateLine(rules, read, terms));
    }),
  );
  input.finish();
  const read = lines.filter((line) => line !== undefined);
  const estimated = read.map(({ result }) => result);
  const deMinimis = findDeMinimis(rules, estimated);
  const byYear: YearEstimate[] = [];
  for (const each of years ?? []) {
    const inYear = termsOf(each);
    const ofYear = await mapInTurns(read, request, ({ line }) => estimateLine(rules, line, inYear));
    byYear.push({ year: each, lines: ofYear, total: sumLines(ofYear, deMinimis) });
  }
  return {
    year,
    scenario,
    price: terms.price,
    deMinimis,
    lines: estimated,
    total: sumLines(estimated, deMinimis),
    byYear,
    rules,
  };
}
