import type { Concepts } from "../../../domain/factor-search/concepts.js";
import { rankUse } from "../../../domain/factor-search/direct-use.js";
import { seriesOf } from "../../../domain/factor-search/factor-series.js";
import { rankPublication } from "../../../domain/factor-search/publications.js";
import { listUnusual, rankUnit } from "../../../domain/factor-search/usual-variant.js";
import { readUnit, type Unit } from "../../../domain/ghg/units.js";
import { regionKeyOf } from "../../../regions/regions.js";
import { mapInTurns, type TimeLimit } from "../../../turns.js";
import type { FactorRow } from "../factors.js";
import { createDictionary, type Dictionary } from "./dictionary.js";
import { createTermReader, type TermKey, wordKey } from "./factor-terms.js";

/** A factor with the parts of its rank that do not depend on the query. Terms are given by number. */
export interface IndexedFactor {
  readonly row: FactorRow;
  readonly unit: Unit;
  readonly regionKey: string;
  /** Number of its series. */
  readonly series: number;
  readonly use: number;
  readonly unitRank: number;
  /** 1 for the organization's own vehicles (scope 1). Travel and freight (scope 3) rank first. */
  readonly isOwnTransport: number;
  /** 1 for a row of the publisher's workbook outside the gateway's own selection. */
  readonly isRare: number;
  readonly publication: number;
  readonly unusual: readonly number[];
  /** Keys of each term of its name that goes beyond the usual variant. */
  readonly further: readonly (readonly number[])[];
}

/** Positions of the factors with a term, by where the term occurs. */
export interface Postings {
  readonly main: number[];
  readonly other: number[];
}

export interface FactorIndex {
  readonly factors: readonly IndexedFactor[];
  /** Number of each term. */
  readonly terms: ReadonlyMap<TermKey, number>;
  /** Indexed by term number. */
  readonly postings: readonly Postings[];
  readonly byPublisherId: ReadonlyMap<string, readonly number[]>;
  readonly dictionary: Dictionary;
}

/** Returns the approximate size of an index in bytes: some 2 kB for each factor with its row, terms and postings. */
export const sizeOfIndex = ({ factors, terms }: FactorIndex): number =>
  2_000 * factors.length + 200 * terms.size;

/** Builds an index of factors, letting other requests run in between. */
export async function buildFactorIndex(
  rows: readonly FactorRow[],
  concepts: Concepts,
  time: TimeLimit,
): Promise<FactorIndex> {
  const terms = new Map<TermKey, number>();
  const postings: Postings[] = [];
  const series = new Map<string, number>();
  const byPublisherId = new Map<string, number[]>();
  const readTerms = createTermReader(concepts);
  const numberOf = (key: TermKey): number => {
    const known = terms.get(key);
    if (known !== undefined) return known;
    terms.set(key, postings.length);
    return postings.push({ main: [], other: [] }) - 1;
  };
  const add = (keys: Iterable<TermKey>, part: keyof Postings, place: number) => {
    for (const key of keys) postings[numberOf(key)]?.[part].push(place);
  };
  let place = 0;
  const factors = await mapInTurns(rows, time, (row): IndexedFactor => {
    const { main, other, further } = readTerms(row);
    add(main, "main", place);
    add(other, "other", place);
    if (row.sourceFactorId !== null) {
      const id = row.sourceFactorId.toLowerCase();
      byPublisherId.set(id, [...(byPublisherId.get(id) ?? []), place]);
    }
    place += 1;
    const unit = readUnit(row.unit);
    const seriesKey = seriesOf(row);
    if (!series.has(seriesKey)) series.set(seriesKey, series.size);
    return {
      row,
      unit,
      regionKey: regionKeyOf(row.region),
      series: series.get(seriesKey) ?? 0,
      use: rankUse(row),
      unitRank: rankUnit(row, unit),
      isOwnTransport: Number(row.scope === "scope_1" && unit.dimension.includes("distance")),
      isRare: Number(!/^[a-z_]+$/.test(row.category)),
      publication: rankPublication(row),
      unusual: listUnusual(row, unit).map((word) => numberOf(wordKey(word))),
      further: further.map((keys) => keys.map(numberOf)),
    };
  });
  const words = [...terms.keys()].flatMap((key) => (key.startsWith(WORD) ? key.slice(WORD.length) : []));
  const dictionary = await createDictionary([...concepts.words, ...words]);
  return { factors, terms, postings, byPublisherId, dictionary };
}

const WORD = wordKey("");
