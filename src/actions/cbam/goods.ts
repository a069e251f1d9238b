import { type CbamGood, listGoods } from "../../domain/cbam/goods.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { readOptional } from "../names.js";
import { loadCbamRules } from "./rules.js";

let goods: Promise<readonly CbamGood[]> | undefined;

/** Lists every good of the tables, by code. */
const listAll = () => {
  goods ??= loadCbamRules().then(listGoods);
  return goods;
};

/**
 * Finds goods whose name, heading or group contains every word of a text, or whose code begins with it. For a longer
 * code than the tables have, finds the goods of its longest prefix, with the searched code. Without a text,
 * returns the first goods of all.
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
    .filter(Boolean);
  const code = words.join("");
  if (!/^\d{1,8}$/.test(code)) {
    const described = ({ name, heading, sector }: CbamGood) => `${name} ${heading} ${sector}`.toLowerCase();
    return all.filter((good) => words.every((word) => described(good).includes(word))).slice(0, first);
  }
  const beginning = all.filter(({ cnCode }) => cnCode.startsWith(code));
  const covering = all.findLast(({ cnCode }) => cnCode.length < code.length && code.startsWith(cnCode));
  return [...(covering ? [{ ...covering, cnCode: code }] : []), ...beginning].slice(0, first);
}
