import type { FactorRow } from "../../../data/factors/factors.js";
import { rankUse } from "../../../domain/factor-search/direct-use.js";
import { homeOf } from "../../../domain/factor-search/publications.js";
import { levelsOf } from "../../../domain/factor-search/selector-parts.js";
import { seriesOf } from "../../../domain/factor-search/series.js";
import { listUnusual } from "../../../domain/factor-search/usual-variant.js";
import { readUnit, type Unit } from "../../../domain/ghg/units.js";
import { once } from "../../../domain/once.js";
import { regionKeyOf } from "../../../regions/regions.js";
import type { ActivityNames } from "./names.js";

/** A factor with everything that a selector compares. */
export interface Candidate {
  readonly row: FactorRow;
  readonly names: ActivityNames;
  readonly unit: Unit;
  readonly regionKey: string;
  /** The country of the national authority that published it. */
  readonly home: string | null;
  /** What the editions of its series have in common. */
  readonly series: string;
  readonly publisherCategory: string | null;
  /** How directly it is about a use: 0 for the use itself. */
  readonly use: () => number;
  /** Words that make it another variant than the usual one. */
  readonly unusual: () => readonly string[];
}

/** Factors that were read before: rows are shared by requests. */
const known = new WeakMap<FactorRow, Candidate>();

/** Reads a factor. */
export function readCandidate(row: FactorRow, names: ActivityNames): Candidate {
  const candidate = known.get(row) ?? createCandidate(row, names);
  known.set(row, candidate);
  return candidate;
}

function createCandidate(row: FactorRow, names: ActivityNames): Candidate {
  const unit = readUnit(row.unit);
  const detail = [row.detail ?? "", levelsOf(row.publisherCategory ?? "")[1]].join(" ");
  return {
    row,
    names,
    unit,
    regionKey: regionKeyOf(row.region),
    home: homeOf(row),
    series: seriesOf(row),
    publisherCategory: row.publisherCategory,
    use: once(() => rankUse(row)),
    unusual: once(() => listUnusual({ ...row, detail }, unit)),
  };
}

/** A text that is the same for factors of a publisher that differ by a convertible unit at most. */
export const alikeOf = ({ row, unit, publisherCategory }: Candidate): string =>
  seriesOf({
    ...row,
    // Some rows of a workbook have a clearer name and category, and their like in another unit have the publisher's.
    activity: row.otherName ?? row.activity,
    category: publisherCategory ?? row.category,
    unit: `${unit.dimension} ${unit.qualifier}`,
  });
