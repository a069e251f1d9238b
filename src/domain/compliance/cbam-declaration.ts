import type { CbamRules } from "../cbam/cbam-rules.js";
import { estimateLine, type LineEstimate } from "../cbam/estimate-line.js";
import { CBAM_NOTICES, type CbamLine, type CbamNotice } from "../cbam/line.js";
import { CBAM_QUARTERS, type CbamQuarter, findPrice } from "../cbam/price.js";
import { findDeMinimis, listNonExempt, sumLines } from "../cbam/totals.js";
import { addDecimals, isLarger, multiplyDecimals, roundUp } from "../decimals.js";
import type { IsoDate } from "../window.js";

export const DECLARATION_STATUSES = ["draft", "submitted", "amended"] as const;
export type DeclarationStatus = (typeof DECLARATION_STATUSES)[number];

export const CBAM_OBLIGATIONS = ["surrender", "none_de_minimis"] as const;
export type CbamObligation = (typeof CBAM_OBLIGATIONS)[number];

/** Goods imported in a quarter. */
export interface DeclaredImport extends CbamLine {
  readonly quarter: CbamQuarter;
}

/** Assessment of a year's imports, stored as JSON; decimals are plain. */
export interface Assessment {
  /** Tonnes of net mass that count towards the de minimis threshold. */
  readonly massT: string;
  readonly embeddedEmissions: string;
  readonly certificates: string;
  readonly costEur: string;
  readonly certificatesToBuy: string;
  /** Missing from assessments stored by earlier versions. */
  readonly costToBuyEur?: string;
  /** Results in the order of the imports. Missing from assessments stored by earlier versions. */
  readonly imports?: readonly AssessedImport[];
  readonly obligation: CbamObligation;
  readonly notices: readonly CbamNotice[];
  readonly holdings: readonly Holding[];
  readonly rulesetAsOf: IsoDate;
  readonly rulesetDigest: string;
}

/** Result for an import; decimals are plain. */
export interface AssessedImport extends Pick<LineEstimate, "certificates" | "costEur"> {
  /** Name of the good in the tables of default values, or else of its heading. */
  readonly name: string;
  readonly embeddedEmissions: string;
}

/** Number of certificates to hold at the end of a quarter. */
export interface Holding {
  readonly quarter: CbamQuarter;
  readonly endsOn: IsoDate;
  readonly certificates: string;
}

/**
 * Returns 30 September of the next year. Article 6(1) of Regulation (EU) 2023/956, as amended by Regulation (EU)
 * 2025/2083.
 */
export const dueOn = (year: number): IsoDate => `${year + 1}-09-30`;

/** Returns true if a year has ended before `today`. */
export const isOver = (year: number, today: IsoDate): boolean => today > `${year}-12-31`;

/** Tonnes at which an exempt importer gets a warning. */
const NEAR_THRESHOLD = "40";

export type ImportEstimate = LineEstimate & Pick<DeclaredImport, "quarter">;

/** Estimates the certificates for an import under the law in force. Throws CbamFault. */
export const assessImport = (
  rules: CbamRules,
  year: number,
  { quarter, ...line }: DeclaredImport,
): ImportEstimate => {
  const price = findPrice(rules, { year, quarter }, null);
  return { quarter, ...estimateLine(rules, line, { year, scenario: "law", price }) };
};

export function assessDeclaration(
  rules: CbamRules,
  year: number,
  lines: readonly ImportEstimate[],
): Assessment {
  const deMinimis = findDeMinimis(rules, lines);
  const needed = listNonExempt(lines, deMinimis);
  const { certificatesToBuy, ...sums } = sumLines(lines, deMinimis);
  const isNear = deMinimis.isExempt && !isLarger(NEAR_THRESHOLD, deMinimis.massT);
  const found = new Set<CbamNotice>([
    ...lines.flatMap(({ notices }) => notices),
    ...(isNear ? (["NEAR_DE_MINIMIS"] as const) : []),
  ]);
  return {
    massT: deMinimis.massT,
    ...sums,
    certificatesToBuy: String(certificatesToBuy),
    imports: lines.map(({ good, embedded, certificates, costEur }) => ({
      name: good,
      embeddedEmissions: embedded.total,
      certificates,
      costEur,
    })),
    obligation: deMinimis.isExempt && needed.length === 0 ? "none_de_minimis" : "surrender",
    notices: CBAM_NOTICES.filter((notice) => found.has(notice)),
    holdings: listHoldings(year, needed),
    rulesetAsOf: rules.asOf,
    rulesetDigest: rules.digest,
  };
}

const FIRST_HOLDING_YEAR = 2027;
const SHARE_TO_HOLD = "0.5";
const LAST_DAYS: Readonly<Record<CbamQuarter, string>> = {
  Q1: "03-31",
  Q2: "06-30",
  Q3: "09-30",
  Q4: "12-31",
};

/**
 * Lists the certificates to hold at the end of each quarter: from 2027, 50 % of the emissions embedded in imports since
 * 1 January. Article 22(2) of Regulation (EU) 2023/956, as amended by Regulation (EU) 2025/2083.
 */
function listHoldings(year: number, lines: readonly ImportEstimate[]): readonly Holding[] {
  if (year < FIRST_HOLDING_YEAR || lines.length === 0) return [];
  return CBAM_QUARTERS.map((quarter) => {
    const soFar = lines.filter((line) => line.quarter <= quarter).map((line) => line.embedded.total);
    const certificates = String(roundUp(multiplyDecimals([addDecimals(soFar), SHARE_TO_HOLD])));
    return { quarter, endsOn: `${year}-${LAST_DAYS[quarter]}`, certificates };
  });
}
