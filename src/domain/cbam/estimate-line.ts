import { addDecimals, multiplyDecimals, subtractDecimals } from "../decimals.js";
import type { CbamRules, CbamScenario, CbamSector, CbamSourceKind } from "./cbam-rules.js";
import { findDefaultValue } from "./default-values.js";
import { type Embedded, embedActual, embedByDefault } from "./embedded.js";
import { computeFreeAllocation, type FreeAllocation } from "./free-allocation.js";
import { findGood, isFreeOrigin } from "./goods.js";
import type { CbamLine, CbamNotice } from "./line.js";
import type { CbamPrice } from "./price.js";
import { findCbamFactor } from "./years.js";

/** Estimate for a line of goods; decimals are plain. */
export interface LineEstimate {
  readonly cnCode: string;
  readonly good: string;
  readonly sector: CbamSector;
  /** Tonnes of net mass. */
  readonly massT: string;
  readonly isFreeOrigin: boolean;
  readonly route: string | null;
  readonly embedded: Embedded;
  /** Tonnes of CO2 equivalent per tonne of goods; null for a free origin. */
  readonly benchmark: string | null;
  readonly cbamFactor: string;
  /** Tonnes of CO2 equivalent. */
  readonly freeAllocationAdjustment: string;
  /** Rounded half away from zero to 3 decimals. */
  readonly certificates: string;
  /** Euros per certificate. */
  readonly priceEur: string;
  /** Euros, rounded half away from zero to 2 decimals. */
  readonly costEur: string;
  readonly notices: readonly CbamNotice[];
  readonly sources: readonly CbamSourceKind[];
}

export interface EstimateTerms {
  /** A year of the phase-out, 2026 to 2034. */
  readonly year: number;
  readonly scenario: CbamScenario;
  readonly price: CbamPrice;
}

/**
 * Estimates the certificates for goods: embedded emissions − free allocation − reduction, at least 0, one certificate
 * per tonne. Articles 6, 9, 22 and 31 of Regulation (EU) 2023/956. The arithmetic is exact until the certificates are
 * rounded; the cost is computed from the rounded certificates. Throws CbamFault.
 */
export function estimateLine(
  rules: CbamRules,
  line: CbamLine,
  { year, scenario, price }: EstimateTerms,
): LineEstimate {
  const good = findGood(rules, line.cnCode);
  const cbamFactor = findCbamFactor(rules, scenario, year);
  const isFree = isFreeOrigin(line.country);
  const { name, embedded, free, sources } = isFree
    ? { name: good.name, ...EXEMPT, embedded: { ...EXEMPT.embedded, countryUsed: line.country } }
    : apply(rules, line, year, cbamFactor);
  const due = subtractDecimals(embedded.total, addDecimals([free.adjustment, line.reductionTco2e]));
  const certificates = due.startsWith("-") ? "0" : multiplyDecimals([due], CERTIFICATE_DECIMALS);
  return {
    cnCode: line.cnCode,
    good: name,
    sector: good.sector,
    massT: line.massT,
    isFreeOrigin: isFree,
    route: free.route,
    embedded,
    benchmark: free.benchmark,
    cbamFactor,
    freeAllocationAdjustment: free.adjustment,
    certificates,
    priceEur: price.eur,
    costEur: multiplyDecimals([certificates, price.eur], EURO_DECIMALS),
    notices: [
      ...embedded.notices,
      ...free.notices,
      ...(price.notice && !isFree ? [price.notice] : []),
      ...(scenario === "law" ? [] : (["NOT_LAW"] as const)),
    ],
    sources,
  };
}

const CERTIFICATE_DECIMALS = 3;
export const EURO_DECIMALS = 2;

interface Applied {
  readonly name: string;
  readonly embedded: Embedded;
  readonly free: Omit<FreeAllocation, "benchmark"> & { readonly benchmark: string | null };
  readonly sources: LineEstimate["sources"];
}

function apply(rules: CbamRules, line: CbamLine, year: number, cbamFactor: string): Applied {
  const good = findGood(rules, line.cnCode);
  const found = findDefaultValue(rules, line);
  const isActual = line.basis === "actual";
  const embedded = isActual ? embedActual(line, good) : embedByDefault(rules, line, good, found, year);
  const free = computeFreeAllocation(rules, line, {
    year,
    cbamFactor,
    tableRoute: found?.value.route ?? null,
  });
  return {
    name: found?.value.good ?? good.name,
    embedded,
    free,
    sources: [
      ...(isActual ? [] : (["default_values", "markup"] as const)),
      "benchmarks",
      "cbam_factor",
      "cscf",
    ],
  };
}

/** Result for goods from an exempt country. */
const EXEMPT: Omit<Applied, "name"> = {
  embedded: {
    countryUsed: "",
    specific: "0",
    defaultValue: null,
    markup: null,
    direct: null,
    indirect: null,
    total: "0",
    notices: ["FREE_ORIGIN"],
  },
  free: { route: null, benchmark: null, adjustment: "0", notices: [] },
  sources: [],
};
