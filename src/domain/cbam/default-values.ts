import { type CbamRules, type DefaultValue, findLongestPrefix } from "./cbam-rules.js";
import { CbamFault } from "./fault.js";
import { OTHER_COUNTRIES } from "./goods.js";

/** Goods to find a default value for. */
export interface DefaultValueQuery {
  readonly cnCode: string;
  readonly country: string;
  /** Distinguishes goods of one CN code, such as `white clinker`. */
  readonly good: string | null;
  readonly route: string | null;
}

export interface FoundDefaultValue {
  readonly value: DefaultValue;
  /** Country whose table lists the good, or `ZZ`. */
  readonly country: string;
}

const list = (texts: readonly (string | null)[]) =>
  [...new Set(texts)].filter(Boolean).toSorted().join(" or ");

/**
 * Returns the default value of goods from their country's table, or else from the table for all other countries;
 * undefined if neither lists the code. Annex I of Implementing Regulation (EU) 2025/2621. A code with several goods
 * requires the good or its route: throws ROUTE_REQUIRED without either, and VALIDATION_FAILED if no good matches.
 */
export function findDefaultValue(rules: CbamRules, query: DefaultValueQuery): FoundDefaultValue | undefined {
  const { cnCode, good, route } = query;
  const found = [query.country, OTHER_COUNTRIES]
    .map((country) => ({ country, rows: findLongestPrefix(rules.defaultValues.get(country), cnCode) }))
    .filter(({ rows }) => rows.length > 0);
  const isSplit = found.some(({ rows }) => rows.length > 1);
  // A country may list only one good of a code that covers two.
  const tables = isSplit ? found : found.slice(0, 1);
  const listed = tables.flatMap(({ rows }) => rows);
  const goods = list(listed.map((row) => row.good));
  if (isSplit && good === null && route === null) {
    const routes = list(listed.map((row) => row.route && `${row.route} (${rules.routes[row.route]})`));
    throw new CbamFault("ROUTE_REQUIRED", "route", `must be ${routes}, or set good to ${goods} instead`);
  }
  for (const { country, rows } of tables) {
    const named = rows.filter((row) => good === null || row.good === good);
    const [value] = isSplit && route !== null ? named.filter((row) => row.route === route) : named;
    if (value) return { value, country };
  }
  if (listed.length === 0) return undefined;
  if (good !== null && !listed.some((row) => row.good === good)) {
    throw new CbamFault("VALIDATION_FAILED", "good", `must be ${goods} (got ${good})`);
  }
  const fitting = list(listed.filter((row) => good === null || row.good === good).map((row) => row.route));
  throw new CbamFault("VALIDATION_FAILED", "route", `must be ${fitting} (got ${route})`);
}
