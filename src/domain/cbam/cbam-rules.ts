// Figures from EU law on the Carbon Border Adjustment Mechanism (CBAM). Decimals are strings.

export const CBAM_SECTORS = [
  "cement",
  "fertilisers",
  "iron_steel",
  "aluminium",
  "hydrogen",
  "electricity",
] as const;
export type CbamSector = (typeof CBAM_SECTORS)[number];

export const CBAM_SCENARIOS = ["law", "com_2026_616"] as const;
/** The law in force, or the slower phase-out proposed in COM(2026) 616. */
export type CbamScenario = (typeof CBAM_SCENARIOS)[number];

/** Rows by the prefix of the CN codes they apply to. */
export type ByPrefix<Row> = ReadonlyMap<string, readonly Row[]>;

export interface Good {
  readonly name: string;
  readonly sector: CbamSector;
}

/** Tonnes of CO2 equivalent per tonne of a good, before the mark-up. */
export interface DefaultValue {
  readonly good: string;
  readonly direct: string | null;
  readonly indirect: string | null;
  /** May differ from the sum of the two, which are rounded separately. */
  readonly total: string;
  /** A letter in the legend of routes. */
  readonly route: string | null;
}

/** Tonnes of CO2 equivalent per tonne of a good, by production route (`any` without routes) and sometimes by period. */
export type BenchmarkColumn = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

export interface Benchmark {
  /** Column A: for actual emissions, without the good's precursors. */
  readonly actual: BenchmarkColumn;
  /** Column B: for default values, with the precursors. */
  readonly byDefault: BenchmarkColumn;
}

/** Publication of a figure. */
export interface CbamSource {
  readonly source: string;
  readonly sourceUrl: string;
}

export const CBAM_SOURCE_KINDS = [
  "default_values",
  "benchmarks",
  "cbam_factor",
  "cscf",
  "markup",
  "price",
] as const;
/** A set of figures that has its own publication. */
export type CbamSourceKind = (typeof CBAM_SOURCE_KINDS)[number];

export interface QuarterPrice {
  /** Such as `2026-Q3`. */
  readonly quarter: string;
  /** Euros per certificate; null until published. */
  readonly eur: string | null;
}

export interface CbamRules {
  /** Day as of which the figures were current. */
  readonly asOf: string;
  /** SHA-256 of the source file: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly goods: ByPrefix<Good>;
  /** By country; `ZZ` for all others. */
  readonly defaultValues: ReadonlyMap<string, ByPrefix<DefaultValue>>;
  readonly benchmarks: ByPrefix<Benchmark>;
  /** Production routes by their letters. */
  readonly routes: Readonly<Record<string, string>>;
  /** Remaining share of free allocation, by scenario and year. */
  readonly cbamFactors: Readonly<Record<CbamScenario, Readonly<Record<string, string>>>>;
  readonly cscf: string;
  readonly markups: { readonly fertilisers: string; readonly general: Readonly<Record<string, string>> };
  /** One per quarter, earliest first. */
  readonly prices: readonly QuarterPrice[];
  /** Tonnes of net mass. */
  readonly deMinimisThreshold: string;
  readonly sources: Readonly<Record<CbamSourceKind, CbamSource>>;
}

const MIN_PREFIX_LENGTH = 4;

/** Returns the rows of the longest matching prefix of a CN code; empty if none matches. */
export function findLongestPrefix<Row>(rows: ByPrefix<Row> | undefined, cnCode: string): readonly Row[] {
  for (let length = cnCode.length; length >= MIN_PREFIX_LENGTH; length -= 1) {
    const found = rows?.get(cnCode.slice(0, length));
    if (found) return found;
  }
  return [];
}
