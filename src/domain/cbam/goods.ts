import { type CbamRules, type CbamSector, findLongestPrefix, type Good } from "./cbam-rules.js";
import { CbamFault } from "./fault.js";

/** Codes that Annex I excludes from a heading. The ruleset does not list the codes of its other exclusions. */
const EXCLUDED = ["310560"];

/**
 * Returns the CN code in a text with or without spaces and full stops: 4 to 8 digits, or the first 8 of a TARIC code of
 * 10; undefined for anything else.
 */
export function readCnCode(text: string): string | undefined {
  const digits = text.replaceAll(/[\s.]/g, "");
  return /^(\d{4,8}|\d{10})$/.test(digits) ? digits.slice(0, 8) : undefined;
}

/** Returns the good of a CN code of 4 to 8 digits. Annex I of Regulation (EU) 2023/956. Throws NOT_COVERED. */
export function findGood({ goods }: CbamRules, cnCode: string): Good {
  const [good] = findLongestPrefix(goods, cnCode);
  if (!good || EXCLUDED.some((code) => cnCode.startsWith(code))) {
    throw new CbamFault(
      "NOT_COVERED",
      "cnCode",
      `must be a code in Annex I of Regulation (EU) 2023/956, with at least as many digits as there (got ${cnCode})`,
    );
  }
  if (good.sector === "electricity") {
    const expected = "must not be electricity, which is declared by the MWh";
    throw new CbamFault("NOT_COVERED", "cnCode", `${expected} (got ${cnCode})`);
  }
  return good;
}

/** Goods with the same CN code. */
export interface CbamGood {
  readonly cnCode: string;
  /** Name in the tables of default values, or else of the heading. */
  readonly name: string;
  /** Name of the heading in Annex I of Regulation (EU) 2023/956. */
  readonly heading: string;
  readonly sector: CbamSector;
}

/** Lists the goods of every covered code in the tables, sorted by code. */
export function listGoods(rules: CbamRules): readonly CbamGood[] {
  const names = new Map<string, Set<string>>();
  for (const [code] of [...rules.goods, ...rules.benchmarks]) names.set(code, new Set());
  for (const table of rules.defaultValues.values()) {
    for (const [code, rows] of table) {
      const known = names.get(code) ?? new Set();
      for (const { good } of rows) known.add(good);
      names.set(code, known);
    }
  }
  return [...names]
    .filter(([code]) => isCovered(rules, code))
    .map(([code, known]) => {
      const { name: heading, sector } = findGood(rules, code);
      return { cnCode: code, name: [...known].join(" or ") || heading, heading, sector };
    })
    .toSorted((one, other) => (one.cnCode < other.cnCode ? -1 : 1));
}

export function isCovered(rules: CbamRules, code: string): boolean {
  try {
    findGood(rules, code);
    return true;
  } catch (error) {
    if (error instanceof CbamFault) return false;
    throw error;
  }
}

/** Returns true if indirect emissions count. Article 7(1) and Annex II of Regulation (EU) 2023/956. */
export const countsIndirect = ({ sector }: Good, cnCode: string): boolean =>
  sector === "cement" || sector === "fertilisers" || cnCode.startsWith("26011200");

/**
 * Returns true if mass counts towards the de minimis threshold. Article 2a of Regulation (EU) 2023/956, as amended by
 * Regulation (EU) 2025/2083.
 */
export const countsTowardsThreshold = ({ sector }: Pick<Good, "sector">): boolean =>
  sector !== "hydrogen" && sector !== "electricity";

/** Code for all countries that the tables of default values do not list. */
export const OTHER_COUNTRIES = "ZZ";

const EUROPEAN_UNION = [
  ..."AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" "),
];
/** Countries in point 1 of Annex III of Regulation (EU) 2023/956. */
const EXEMPT = ["IS", "LI", "NO", "CH"];

const FREE: ReadonlySet<string> = new Set([...EUROPEAN_UNION, ...EXEMPT]);

/** Returns true if goods from a country require no certificates. Article 2 of Regulation (EU) 2023/956. */
export const isFreeOrigin = (country: string): boolean => FREE.has(country);
