import { type CbamGood, isCovered, listGoods, readCnCode } from "../../domain/cbam/goods.js";
import { once } from "../../domain/once.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { readOptional } from "../read-text.js";
import { loadCbamRules } from "./apply-rules.js";

/** Lists all goods by code, each with its searchable text. */
const listAll = once(async () =>
  listGoods(await loadCbamRules()).map((good) => ({
    ...good,
    text: `${good.name} ${good.heading} ${good.sector}`.toLowerCase(),
  })),
);

/** Maximum number of words in a search; others are ignored. */
const MAX_WORDS = 10;

/**
 * Finds goods whose name, heading or sector contains every word of the text; for a text of 1 to 8 digits, goods whose
 * code begins with it. A code longer than those in the tables matches the good whose code is its longest prefix,
 * returned under the searched code, unless CBAM does not cover it. Without a text, returns the first goods.
 */
export async function findGoods(
  text: string | null | undefined,
  first: number,
): Promise<readonly CbamGood[]> {
  const wanted = readOptional("estimate", "search", text || null, TEXT_LIMITS.name) ?? "";
  const all = await listAll();
  const words = wanted
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
  const code = readCnCode(wanted) ?? words.join("");
  if (!/^\d{1,8}$/.test(code)) {
    return all
      .filter(({ text: described }) => words.every((word) => described.includes(word)))
      .slice(0, first);
  }
  const beginning = all.filter(({ cnCode }) => cnCode.startsWith(code));
  const covering = all.findLast(({ cnCode }) => cnCode.length < code.length && code.startsWith(cnCode));
  const isRefused = covering && !isCovered(await loadCbamRules(), code);
  return [...(covering && !isRefused ? [{ ...covering, cnCode: code }] : []), ...beginning].slice(0, first);
}
