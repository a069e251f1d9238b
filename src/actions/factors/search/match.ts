import type { FactorIndex } from "../../../data/factors/index/factor-index.js";
import type { QueryTerm } from "./query-terms.js";

/** Results of matching a term with the factors of an index, by the factor's position. */
export interface TermMatch {
  /** Best level, or MISSED. */
  readonly levels: Uint8Array;
  /** 1 if only a synonym matches the factor. */
  readonly synonyms: Uint8Array;
}

export const MISSED = 255;

/** Matches a term with every factor, in time proportional to its options and their factors. */
export function matchTerm({ factors, terms, postings }: FactorIndex, { options }: QueryTerm): TermMatch {
  const levels = new Uint8Array(factors.length).fill(MISSED);
  const synonyms = new Uint8Array(factors.length).fill(1);
  for (const { key, level, isSynonym } of options) {
    const found = postings[terms.get(key) ?? -1];
    if (!found) continue;
    for (const [places, reached] of [
      [found.main, level],
      [found.other, level + 1],
    ] as const) {
      for (const place of places) {
        if (reached < (levels[place] ?? 0)) levels[place] = reached;
        if (!isSynonym) synonyms[place] = 0;
      }
    }
  }
  return { levels, synonyms };
}

/** Flags the terms of an index that occur in a query. */
export function flagNamed({ terms, postings }: FactorIndex, asked: readonly QueryTerm[]): Uint8Array {
  const named = new Uint8Array(postings.length);
  for (const { options } of asked) for (const { key } of options) named[terms.get(key) ?? -1] = 1;
  return named;
}
