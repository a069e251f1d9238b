import type { EmissionScope } from "../../../domain/enums.js";
import { findUnit, listUnitMeanings, readUnit, type Unit } from "../../../domain/ghg/units.js";
import { findRegion } from "../../../regions/regions.js";

/** The parts of a query, in the order of the text. */
export interface SearchQuery {
  readonly parts: readonly QueryPart[];
}

/** A meaningful part of a query. */
export type QueryPart =
  | { readonly kind: "id"; readonly id: string }
  /** Year of a publication. */
  | { readonly kind: "year"; readonly year: number }
  /** Financial year as factors' details write it: `2024-25`. */
  | { readonly kind: "financial year"; readonly text: string; readonly year: number }
  | { readonly kind: "scope"; readonly scope: EmissionScope }
  | { readonly kind: "unit"; readonly name: string; readonly units: readonly Unit[] }
  | { readonly kind: "region"; readonly code: string }
  | { readonly kind: "word"; readonly text: string };

type Found = QueryPart & { readonly start: number };

const PUBLISHER_ID = /(?<!\S)\d+(?:_\d+)+(?!\S)/g;
const FINANCIAL_YEAR = /(?<![\w.-])(?:FY\s*)?((?:20)?\d\d)\s?[-/–]\s?((?:20)?\d\d)(?![\w-])/gi;
const YEAR = /(?<![\w.,+-])(?:FY\s*)?(199\d|20\d\d|2100)(?![\w+%]|[.,]\d)/gi;
const SCOPE = /(?<!\w)scope[\s_-]*([123])(?!\w)/gi;
const TOKEN = /[^\s,;()[\]/"]+/g;
/** "T & D" is one word, and its T does not mean tonne. */
const LOSSES = /(?<!\w)t\s*(?:&|and)\s*d(?!\w)/gi;

/** `r 134a` is one word. */
const SPLIT_CODE = /(?<!\w)(r|h?c?fc)\s+(?=\d{2,4}[a-z]{0,3}(?!\w))/gi;
/** A calorific value before its unit, as in `net kWh`, is moved after it. */
const VALUE_BEFORE_UNIT = /(?<!\w)(gross|net)(?:\s+cv)?\s+(kwh|mwh|gj|tj|mmbtu)(?!\w)/gi;

/**
 * Reads the parts of a query: publishers' ids, years, scopes, units and regions, in this order. The remaining tokens
 * are words.
 */
export function readQuery(query: string, isPhrase: (text: string) => boolean): SearchQuery {
  const found: Found[] = [];
  let rest = query.replace(LOSSES, "T&D").replace(SPLIT_CODE, "$1").replace(VALUE_BEFORE_UNIT, "$2 $1");
  const take = (pattern: RegExp, read: (match: RegExpExecArray) => QueryPart | undefined) => {
    for (const match of [...rest.matchAll(pattern)]) {
      const part = read(match);
      if (part === undefined) continue;
      found.push({ ...part, start: match.index });
      rest = blank(rest, match.index, match.index + match[0].length);
    }
  };
  take(PUBLISHER_ID, ([id]) => ({ kind: "id", id: id.toLowerCase() }));
  take(FINANCIAL_YEAR, ([whole, from = "", to = ""]) => readFinancialYear(whole, from, to));
  take(YEAR, ([, year]) => ({ kind: "year", year: Number(year) }));
  take(SCOPE, ([, number]) => ({ kind: "scope", scope: `scope_${number}` as EmissionScope }));
  const units = takePhrases(rest, MAX_UNIT_WORDS, findUnitPart);
  const regions = takePhrases(units.rest, MAX_REGION_WORDS, (text, next) =>
    findRegionPart(text, next, isPhrase),
  );
  const words = listTokens(regions.rest).map(({ text, start }) => ({ kind: "word" as const, text, start }));
  const parts = [...found, ...units.found, ...regions.found, ...words];
  return { parts: parts.toSorted((one, other) => one.start - other.start) };
}

/** Reads two consecutive years, such as `FY 2024-25`. */
function readFinancialYear(whole: string, from: string, to: string): QueryPart | undefined {
  const isNamed = /^fy/i.test(whole);
  if (!isNamed && from.length !== 4) return undefined;
  const [first, last] = [Number(from.slice(-2)), Number(to.slice(-2))];
  if ((first + 1) % 100 !== last) return undefined;
  const year = 2000 + first;
  return { kind: "financial year", text: `${year}-${String(last).padStart(2, "0")}`, year: year + 1 };
}

const MAX_UNIT_WORDS = 4;
const MAX_REGION_WORDS = 5;

function findUnitPart(text: string): QueryPart | undefined {
  const meanings = listUnitMeanings(text);
  if (meanings.length > 0) return { kind: "unit", name: text.toLowerCase(), units: meanings.map(readUnit) };
  const unit = findUnit(text);
  return unit === null ? undefined : { kind: "unit", name: unit.name, units: [unit] };
}

/** Region codes that are also English words. In lower case they do not mean a region. */
const ENGLISH_WORDS = new Set(
  "am an as at be by do in is it me my no so to and are arm can com cod dom est fin gum guy mac nor per sur ben".split(
    " ",
  ),
);
/**
 * Region codes that are also French, German or Spanish words. In lower case before another word they do not mean a
 * region: `vol de nuit`.
 */
const OTHER_WORDS = new Set("de es et im la ne se si un".split(" "));

/** Finds a region. Returns undefined for `IT` in "IT equipment", a phrase in the table of words. */
function findRegionPart(
  text: string,
  next: string,
  isPhrase: (text: string) => boolean,
): QueryPart | undefined {
  if (ENGLISH_WORDS.has(text)) return undefined;
  if (text.length <= 3 && next !== "" && (OTHER_WORDS.has(text) || isPhrase(`${text} ${next}`)))
    return undefined;
  const region = findRegion(text.replace(/['’]s$/, ""));
  return region === null || text.length < 2 ? undefined : { kind: "region", code: region.code };
}

/** Removes phrases of at most `maxWords` words from a text, longest first, and leaves spaces in their place. */
function takePhrases(
  text: string,
  maxWords: number,
  read: (phrase: string, next: string) => QueryPart | undefined,
): { readonly found: readonly Found[]; readonly rest: string } {
  const tokens = listTokens(text);
  const found: Found[] = [];
  let rest = text;
  for (let place = 0; place < tokens.length; ) {
    let size = Math.min(maxWords, tokens.length - place);
    for (; size > 0; size -= 1) {
      const [first, last] = [tokens[place], tokens[place + size - 1]];
      if (!first || !last) break;
      const end =
        text[last.end] === ")" && text.slice(first.start, last.end).includes("(") ? last.end + 1 : last.end;
      const phrase = text.slice(first.start, end);
      const part = /\s{2}/.test(phrase) ? undefined : read(phrase, tokens[place + size]?.text ?? "");
      if (!part) continue;
      found.push({ ...part, start: first.start });
      rest = blank(rest, first.start, end);
      break;
    }
    place += Math.max(size, 1);
  }
  return { found, rest };
}

const listTokens = (text: string) =>
  [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({
    text: token,
    start: index,
    end: index + token.length,
  }));

/** Replaces a range of a text with spaces. Two or more spaces separate phrases. */
const blank = (text: string, start: number, end: number): string =>
  text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
