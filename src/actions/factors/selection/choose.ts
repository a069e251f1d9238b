import { publisherOf } from "../../../domain/factor-search/factor-series.js";
import { foldWords } from "../../../domain/factor-search/fold-words.js";
import { rankPublication } from "../../../domain/factor-search/publications.js";
import type { Unit } from "../../../domain/ghg/units.js";
import { groupBy } from "../../../domain/group-by.js";
import type { FactorSelector } from "../activity.js";
import { type Candidate, keyWithoutUnit } from "./candidate.js";

export interface Choice {
  /** One chosen factor, or several that differ only in parts that the selector leaves open. */
  readonly factors: readonly Candidate[];
  /** True if a chosen factor is newer than the activity. */
  readonly isNewer: boolean;
}

/** Keeps the items with the lowest rank. */
function keepLowest<Item>(items: readonly Item[], rankOf: (item: Item) => number): readonly Item[] {
  const ranks = items.map(rankOf);
  const lowest = Math.min(...ranks);
  return items.filter((_, index) => ranks[index] === lowest);
}

/** Returns the latest editions up to the year, or else the oldest. */
export function chooseEdition(candidates: readonly Candidate[], year: number): Choice {
  const years = candidates.map(({ row }) => row.sourceYear);
  const past = years.filter((one) => one <= year);
  const isNewer = past.length === 0 && years.length > 0;
  const chosen = isNewer ? Math.min(...years) : Math.max(...past);
  return { factors: candidates.filter(({ row }) => row.sourceYear === chosen), isNewer };
}

const METRIC = new Set(["kWh", "litre", "m3", "kg", "tonne", "km", "passenger.km", "tonne.km"]);

/** Keeps one of the factors that differ only by a convertible unit: in the amount's unit, or else the metric one. */
export function keepUnit(candidates: readonly Candidate[], unit: Unit): readonly Candidate[] {
  const rank = (one: Candidate) => (one.unit.name === unit.name ? 0 : METRIC.has(one.unit.name) ? 1 : 2);
  return [...groupBy(candidates, keyWithoutUnit).values()].flatMap((group) =>
    keepLowest(keepLowest(group, rank), (one) => Number(one.unit.size)),
  );
}

/** Chooses among factors with the selector's name: by year, unit and publication. */
export function chooseNamed(candidates: readonly Candidate[], unit: Unit, year: number): Choice {
  const { factors, isNewer } = chooseEdition(candidates, year);
  return { factors: keepLowest(keepUnit(factors, unit), rankOf), isNewer };
}

const rankOf = ({ row }: Candidate): number => rankPublication(row);

/** Keeps the factors closest to direct use, as opposed to the supply chain. */
export const keepDirectUse = (candidates: readonly Candidate[]): readonly Candidate[] =>
  keepLowest(candidates, (one) => one.use());

/**
 * Chooses among factors that match by a word: by publication, usual variant, year and unit. Chooses a series before its
 * edition.
 */
export function chooseByWord(
  candidates: readonly Candidate[],
  selector: FactorSelector,
  unit: Unit,
  year: number,
): Choice {
  const first = keepLowest(candidates, rankOf);
  // Travel and freight are scope 3. Scope 1 has factors for the same distances in the organization's own vehicles.
  const travel = keepLowest(first, ({ row, unit: { dimension } }) =>
    row.scope === "scope_1" && dimension.includes("distance") ? 1 : 0,
  );
  const named = new Set(
    [selector.activity, selector.detail, selector.category].flatMap((text) => foldWords(text ?? "")),
  );
  const usual = keepLowest(travel, (one) => one.unusual().filter((word) => !named.has(word)).length);
  const plain = keepLowest(usual, (one) => one.names.further);
  const editions = [...groupBy(plain, ({ series }) => series).values()].map((group) =>
    chooseEdition(group, year),
  );
  const factors = keepUnit(
    editions.flatMap((edition) => edition.factors),
    unit,
  );
  return {
    factors,
    isNewer: editions.some(
      (edition) => edition.isNewer && edition.factors.some((one) => factors.includes(one)),
    ),
  };
}

/** A publication with factors for a selector. */
export interface ConsideredPublication {
  readonly source: string;
  readonly chosen: boolean;
}

/** Lists the publications of candidates in order of precedence, each in the edition for the year. */
export function listPrecedence(
  candidates: readonly Candidate[],
  chosen: Candidate,
  year: number,
): readonly ConsideredPublication[] {
  return [...groupBy(candidates, ({ row }) => publisherOf(row)).values()]
    .map((group) => (group.includes(chosen) ? [chosen] : chooseEdition(group, year).factors))
    .flatMap(([one]) => one ?? [])
    .sort((one, other) => rankOf(one) - rankOf(other))
    .map((one) => ({ source: one.row.source, chosen: one === chosen }));
}
