import { CbamFault } from "./fault.js";
import { type Benchmark, type BenchmarkColumn, type CbamRules, findLongestPrefix } from "./rules.js";

/** The key of a column that has one value for all production routes. */
const ANY = "any";

/** The benchmark of a CN code. Annex of Implementing Regulation (EU) 2025/2620. Throws NOT_COVERED. */
export function findBenchmark({ benchmarks }: CbamRules, cnCode: string): Benchmark {
  const [benchmark] = findLongestPrefix(benchmarks, cnCode);
  if (benchmark) return benchmark;
  const expected = "must be a code with a benchmark, with as many digits as that has";
  throw new CbamFault("NOT_COVERED", "cnCode", `${expected} (got ${cnCode})`);
}

/** Whether precursors count in a good: then its own benchmark (column A) is not the whole one (column B). */
export const isComplex = ({ actual, byDefault }: Benchmark): boolean =>
  JSON.stringify(actual) !== JSON.stringify(byDefault);

const routesOf = (column: BenchmarkColumn) => Object.keys(column).filter((route) => route !== ANY);

/** What decides on the route by which a column of a benchmark is read. */
export interface RouteWish {
  /** The route that a line names. */
  readonly named: string | null;
  /** The route of the default values for the country. */
  readonly ofTable: string | null;
  /** Whether the table's route decides: for default values it does, and actual emissions are of the route that they are of. */
  readonly isTableBinding: boolean;
}

/**
 * The route by which a column is read; null if the good has none. Point 5.1 of the Annex of Implementing Regulation (EU)
 * 2025/2620. Throws ROUTE_REQUIRED if nothing decides, and VALIDATION_FAILED for a route that contradicts the table's or that
 * the good has not.
 */
export function findRoute(
  { routes: legend }: CbamRules,
  benchmark: Benchmark,
  column: BenchmarkColumn,
  { named, ofTable, isTableBinding }: RouteWish,
): string | null {
  const routes = routesOf(column);
  const tables = ofTable !== null && (routes.length === 0 || routes.includes(ofTable)) ? ofTable : null;
  const all = [...routesOf(benchmark.actual), ...routesOf(benchmark.byDefault)];
  const possible = isTableBinding && tables !== null ? [tables] : routes.length > 0 ? routes : all;
  if (named !== null && !possible.includes(named) && named !== tables) {
    const expected = possible.length > 0 ? `must be ${describe(legend, possible)}` : "must be left out";
    throw new CbamFault("VALIDATION_FAILED", "route", `${expected} (got ${named})`);
  }
  const route = named ?? tables;
  if (route !== null || routes.length === 0) return route;
  throw new CbamFault("ROUTE_REQUIRED", "route", `must be ${describe(legend, routes)}`);
}

const describe = (legend: CbamRules["routes"], routes: readonly string[]) =>
  [...new Set(routes)].map((route) => `${route} (${legend[route]})`).join(" or ");

/** The value of a column in a year: the last period goes on. Annex of Implementing Regulation (EU) 2025/2620. */
export function readColumn(column: BenchmarkColumn, route: string | null, year: number): string {
  const value = column[route ?? ANY] ?? column[ANY];
  const found = typeof value === "object" ? value[year <= 2027 ? "2026-2027" : "2028-2030"] : value;
  if (found === undefined) throw new Error(`a benchmark has no value of the route ${route} in ${year}`);
  return found;
}
