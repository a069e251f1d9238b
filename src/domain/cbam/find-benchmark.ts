import { type Benchmark, type BenchmarkColumn, type CbamRules, findLongestPrefix } from "./cbam-rules.js";
import { CbamFault } from "./fault.js";

/** Key of a value that applies to all production routes. */
const ANY = "any";

/** Returns the benchmark of a CN code. Annex of Implementing Regulation (EU) 2025/2620. Throws NOT_COVERED. */
export function findBenchmark({ benchmarks }: CbamRules, cnCode: string): Benchmark {
  const [benchmark] = findLongestPrefix(benchmarks, cnCode);
  if (benchmark) return benchmark;
  const expected = "must be a code with a benchmark, with at least as many digits as in the table";
  throw new CbamFault("NOT_COVERED", "cnCode", `${expected} (got ${cnCode})`);
}

/**
 * Returns true if a good has precursors that count: its own benchmark (column A) then differs from the one that
 * includes them (column B).
 */
export const isComplex = ({ actual, byDefault }: Benchmark): boolean =>
  JSON.stringify(actual) !== JSON.stringify(byDefault);

const routesOf = (column: BenchmarkColumn) => Object.keys(column).filter((route) => route !== ANY);

/** Inputs that determine the production route. */
export interface RouteQuery {
  /** Route in the line. */
  readonly named: string | null;
  /** Route in the country's table of default values. */
  readonly ofTable: string | null;
  /** True if the table's route is binding, as it is for default values. Actual emissions use the actual route. */
  readonly isTableBinding: boolean;
}

/**
 * Returns the route that selects a column's value. Point 5.1 of the Annex of Implementing Regulation (EU) 2025/2620. If
 * no input determines the route, throws ROUTE_REQUIRED, or returns null if the column has no routes. Throws
 * VALIDATION_FAILED if the named route is not one of the good's or contradicts a binding table.
 */
export function findRoute(
  { routes: legend }: CbamRules,
  benchmark: Benchmark,
  column: BenchmarkColumn,
  { named, ofTable, isTableBinding }: RouteQuery,
): string | null {
  const routes = routesOf(column);
  const tableRoute = ofTable !== null && (routes.length === 0 || routes.includes(ofTable)) ? ofTable : null;
  const all = [...routesOf(benchmark.actual), ...routesOf(benchmark.byDefault)];
  const possible = isTableBinding && tableRoute !== null ? [tableRoute] : routes.length > 0 ? routes : all;
  if (named !== null && !possible.includes(named) && named !== tableRoute) {
    const expected = possible.length > 0 ? `must be ${describe(legend, possible)}` : "must be omitted";
    throw new CbamFault("VALIDATION_FAILED", "route", `${expected} (got ${named})`);
  }
  const route = named ?? tableRoute;
  if (route !== null || routes.length === 0) return route;
  throw new CbamFault("ROUTE_REQUIRED", "route", `must be ${describe(legend, routes)}`);
}

const describe = (legend: CbamRules["routes"], routes: readonly string[]) =>
  [...new Set(routes)].map((route) => `${route} (${legend[route]})`).join(" or ");

/**
 * Returns a column's value for a year. Later years use the last period. Annex of Implementing Regulation (EU)
 * 2025/2620.
 */
export function readColumn(column: BenchmarkColumn, route: string | null, year: number): string {
  const value = column[route ?? ANY] ?? column[ANY];
  const found = typeof value === "object" ? value[year <= 2027 ? "2026-2027" : "2028-2030"] : value;
  if (found === undefined) throw new Error(`a benchmark has no value for route ${route} in ${year}`);
  return found;
}
