import type { Concepts } from "../../../domain/factor-search/concepts.js";
import { rankUse } from "../../../domain/factor-search/direct-use.js";
import { seriesOf } from "../../../domain/factor-search/series.js";
import { listUnusual, rankUnit } from "../../../domain/factor-search/usual-variant.js";
import { readUnit, type Unit } from "../../../domain/ghg/units.js";
import { regionKeyOf } from "../../../regions/regions.js";
import { mapInTurns, type Timed } from "../../../turns.js";
import type { FactorRow } from "../factors.js";
import { createDictionary, type Dictionary } from "./dictionary.js";
import { readFactorTerms, type TermKey, wordKey } from "./factor-terms.js";

/** A factor with everything that its rank needs and no query changes. */
export interface IndexedFactor {
  readonly row: FactorRow;
  readonly unit: Unit;
  readonly regionKey: string;
  readonly series: string;
  readonly use: number;
  readonly unitRank: number;
  /** 1 for vehicles of the organization (scope 1) rather than travel and freight (scope 3), which come first. */
  readonly isOwnTransport: number;
  /** 1 for a row of the publisher's workbook that is not in the gateway's own selection. */
  readonly isRare: number;
  readonly publication: number;
  readonly unusual: readonly TermKey[];
  readonly further: readonly (readonly TermKey[])[];
}

/** Places of factors in an index, by where they have a term. */
export interface Postings {
  readonly main: number[];
  readonly other: number[];
}

/** Factors by their terms. */
export interface FactorIndex {
  readonly factors: readonly IndexedFactor[];
  readonly postings: ReadonlyMap<TermKey, Postings>;
  readonly byPublisherId: ReadonlyMap<string, readonly number[]>;
  readonly dictionary: Dictionary;
}

/** Builds the index of some factors, in turns. */
export async function buildFactorIndex(
  rows: readonly FactorRow[],
  concepts: Concepts,
  time: Timed,
): Promise<FactorIndex> {
  const postings = new Map<TermKey, Postings>();
  const byPublisherId = new Map<string, number[]>();
  const words = new Set<string>(concepts.words);
  const add = (key: TermKey, part: keyof Postings, place: number) => {
    const found = postings.get(key) ?? { main: [], other: [] };
    found[part].push(place);
    postings.set(key, found);
    if (key.startsWith("word ")) words.add(key.slice("word ".length));
  };
  let place = 0;
  const factors = await mapInTurns(rows, time, (row): IndexedFactor => {
    const { main, other, further } = readFactorTerms(row, concepts);
    for (const key of main) add(key, "main", place);
    for (const key of other) add(key, "other", place);
    if (row.sourceFactorId !== null) {
      const id = row.sourceFactorId.toLowerCase();
      byPublisherId.set(id, [...(byPublisherId.get(id) ?? []), place]);
    }
    place += 1;
    const unit = readUnit(row.unit);
    return {
      row,
      unit,
      regionKey: regionKeyOf(row.region),
      series: seriesOf(row),
      use: rankUse(row),
      unitRank: rankUnit(row, unit),
      isOwnTransport: Number(row.scope === "scope_1" && unit.dimension.includes("distance")),
      isRare: Number(!/^[a-z_]+$/.test(row.category)),
      publication: rankPublication(row),
      unusual: listUnusual(row, unit).map(wordKey),
      further,
    };
  });
  return { factors, postings, byPublisherId, dictionary: createDictionary(words) };
}

/** The order of publications. */
function rankPublication({ source, isOwn }: FactorRow): number {
  if (isOwn) return 0;
  if (
    /DESNZ|EPA|Environment and Climate Change Canada|Central Electricity Authority|Energy Market Authority/.test(
      source,
    )
  )
    return 1;
  return /Ember|IPCC/.test(source) ? 3 : 2;
}
