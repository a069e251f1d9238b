import { CbamFault } from "./fault.js";
import { type CbamRules, findLongestPrefix, type Good } from "./rules.js";

/** Codes that Annex I excepts from a heading. Its other exceptions concern headings that it does not list. */
const EXCEPTIONS = ["310560"];

/** Returns the good of a CN code of 4 to 8 digits. Annex I of Regulation (EU) 2023/956. Throws NOT_COVERED. */
export function findGood({ goods }: CbamRules, cnCode: string): Good {
  const [good] = findLongestPrefix(goods, cnCode);
  if (!good || EXCEPTIONS.some((code) => cnCode.startsWith(code))) {
    throw new CbamFault(
      "NOT_COVERED",
      "cnCode",
      `must be a code of Annex I of Regulation (EU) 2023/956, with as many digits as there (got ${cnCode})`,
    );
  }
  if (good.sector === "electricity") {
    const declared = "must not be electricity, which is declared by the MWh";
    throw new CbamFault("NOT_COVERED", "cnCode", `${declared} (got ${cnCode})`);
  }
  return good;
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

/** Stands for all countries that the tables of default values do not list. */
export const OTHER_COUNTRIES = "ZZ";

const EUROPEAN_UNION = [
  ..."AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" "),
];
/** Point 1 of Annex III of Regulation (EU) 2023/956. */
const EXEMPT = ["IS", "LI", "NO", "CH"];

const FREE: ReadonlySet<string> = new Set([...EUROPEAN_UNION, ...EXEMPT]);

/** Returns true if goods from a country require no certificates. Article 2 of Regulation (EU) 2023/956. */
export const isFreeOrigin = (country: string): boolean => FREE.has(country);
