import { addDecimals, multiplyDecimals } from "../decimals.js";
import type { CbamRules } from "./cbam-rules.js";
import { applyWithin } from "./fault.js";
import { findBenchmark, findRoute, isComplex, readColumn } from "./find-benchmark.js";
import { findGood } from "./goods.js";
import type { CbamLine, CbamNotice, CbamPrecursor } from "./line.js";
import { LAST_BENCHMARK_YEAR } from "./years.js";

/** Adjustment for free allocation, which reduces the number of certificates. */
export interface FreeAllocation {
  readonly route: string | null;
  /** Tonnes of CO2 equivalent per tonne of goods. */
  readonly benchmark: string;
  /** Tonnes of CO2 equivalent. */
  readonly adjustment: string;
  readonly notices: readonly CbamNotice[];
}

/**
 * Computes mass × CBAM factor × cross-sectoral correction factor × benchmark. The benchmark is column B for default
 * values (equations 1 and 6), and column A of the good and of each precursor for actual emissions (equation 2). Annex
 * of Implementing Regulation (EU) 2025/2620. `tableRoute` is the route of the default value. Throws NOT_COVERED,
 * ROUTE_REQUIRED and VALIDATION_FAILED.
 */
export function computeFreeAllocation(
  rules: CbamRules,
  line: CbamLine,
  { year, cbamFactor, tableRoute }: { year: number; cbamFactor: string; tableRoute: string | null },
): FreeAllocation {
  const benchmark = findBenchmark(rules, line.cnCode);
  const isActual = line.basis === "actual";
  const column = isActual ? benchmark.actual : benchmark.byDefault;
  const query = { named: line.route, ofTable: tableRoute, isTableBinding: !isActual };
  const route = findRoute(rules, benchmark, column, query);
  const value = readColumn(column, route, year);
  const shareOf = (massT: string, each: string) => multiplyDecimals([massT, cbamFactor, rules.cscf, each]);
  const ofPrecursors = line.precursors.map((precursor, index) =>
    applyWithin(`precursors[${index}]`, () =>
      shareOf(precursor.massT, benchmarkOfPrecursor(rules, precursor, year)),
    ),
  );
  const lacksPrecursors = isActual && isComplex(benchmark) && ofPrecursors.length === 0;
  return {
    route,
    benchmark: value,
    adjustment: addDecimals([shareOf(line.massT, value), ...ofPrecursors]),
    notices: [
      ...(lacksPrecursors ? (["PRECURSORS_MISSING"] as const) : []),
      ...(ofPrecursors.length > 0 ? (["PRECURSORS_ARE_OUR_READING"] as const) : []),
      ...(year > LAST_BENCHMARK_YEAR ? (["BENCHMARK_PERIOD_ENDED"] as const) : []),
    ],
  };
}

/**
 * Returns column A of a precursor's benchmark. The regulation prints the equation for complex goods as an image; column
 * A is our reading of it.
 */
function benchmarkOfPrecursor(
  rules: CbamRules,
  { cnCode, route: named }: CbamPrecursor,
  year: number,
): string {
  findGood(rules, cnCode);
  const benchmark = findBenchmark(rules, cnCode);
  const query = { named, ofTable: null, isTableBinding: false };
  const route = findRoute(rules, benchmark, benchmark.actual, query);
  return readColumn(benchmark.actual, route, year);
}
