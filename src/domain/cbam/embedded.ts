import { addDecimals, multiplyDecimals } from "../decimals.js";
import type { CbamRules, Good } from "./cbam-rules.js";
import type { FoundDefaultValue } from "./default-values.js";
import { CbamFault } from "./fault.js";
import { countsIndirect, OTHER_COUNTRIES } from "./goods.js";
import type { CbamLine, CbamNotice } from "./line.js";
import { findMarkup } from "./years.js";

/** Embedded emissions of goods, in tonnes of CO2 equivalent. Parts that are unknown or do not count are null. */
export interface Embedded {
  /** Country whose figures apply. */
  readonly countryUsed: string;
  /** Per tonne of goods. */
  readonly specific: string;
  /** Per tonne of goods, before the mark-up; null for actual emissions and exempt countries. */
  readonly defaultValue: string | null;
  readonly markup: string | null;
  readonly direct: string | null;
  readonly indirect: string | null;
  readonly total: string;
  readonly notices: readonly CbamNotice[];
}

/**
 * Computes mass × default value × (1 + mark-up). Article 4 and Annex IV of Implementing Regulation (EU) 2025/2621.
 * Throws NOT_COVERED.
 */
export function embedByDefault(
  rules: CbamRules,
  { cnCode, country, massT }: CbamLine,
  { sector }: Good,
  found: FoundDefaultValue | undefined,
  year: number,
): Embedded {
  if (!found) {
    const expected = `must be a code with a default value for ${country} or for other countries, with at least as many digits as in the table`;
    throw new CbamFault("NOT_COVERED", "cnCode", `${expected} (got ${cnCode})`);
  }
  const { direct, indirect, total } = found.value;
  const markup = findMarkup(rules, sector, year);
  const specific = (value: string) => multiplyDecimals([value, addDecimals(["1", markup])]);
  const embed = (value: string | null) =>
    value === null ? null : multiplyDecimals([massT, specific(value)]);
  return {
    countryUsed: found.country,
    specific: specific(total),
    defaultValue: total,
    markup,
    direct: embed(direct),
    indirect: embed(indirect),
    total: multiplyDecimals([massT, specific(total)]),
    notices:
      found.country === OTHER_COUNTRIES && country !== OTHER_COUNTRIES ? ["OTHER_COUNTRIES_VALUE"] : [],
  };
}

/** Computes mass × actual emissions. Article 7 and Annex IV of Regulation (EU) 2023/956. */
export function embedActual(
  { cnCode, country, massT, directTco2ePerT, indirectTco2ePerT }: CbamLine,
  good: Good,
): Embedded {
  if (directTco2ePerT === null) throw new Error("a line with actual emissions has no direct emissions");
  const isCounted = countsIndirect(good, cnCode);
  const indirect = isCounted ? indirectTco2ePerT : null;
  const specific = addDecimals([directTco2ePerT, indirect ?? "0"]);
  return {
    countryUsed: country,
    specific,
    defaultValue: null,
    markup: null,
    direct: multiplyDecimals([massT, directTco2ePerT]),
    indirect: indirect === null ? null : multiplyDecimals([massT, indirect]),
    total: multiplyDecimals([massT, specific]),
    notices: [
      ...(isCounted && indirect === null ? (["INDIRECT_MISSING"] as const) : []),
      ...(!isCounted && indirectTco2ePerT !== null ? (["INDIRECT_NOT_COUNTED"] as const) : []),
    ],
  };
}
