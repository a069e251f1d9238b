import type { FactorRow } from "../../../data/factors/factors.js";
import { rankUse } from "../../../domain/factor-search/direct-use.js";
import { seriesOf } from "../../../domain/factor-search/factor-series.js";
import { homeOf } from "../../../domain/factor-search/publications.js";
import { levelsOf } from "../../../domain/factor-search/selector-parts.js";
import { listUnusual } from "../../../domain/factor-search/usual-variant.js";
import { readUnit, type Unit } from "../../../domain/ghg/units.js";
import { once } from "../../../domain/once.js";
import { regionKeyOf } from "../../../regions/regions.js";
import type { ActivityNames } from "./activity-names.js";

/** A factor with its values to compare with a selector. */
export interface Candidate {
  readonly row: FactorRow;
  readonly names: ActivityNames;
  readonly unit: Unit;
  readonly regionKey: string;
  /** Country of the national authority that published it. */
  readonly home: string | null;
  /** Key shared by the editions of its series. */
  readonly series: string;
  readonly publisherCategory: string | null;
  /** Distance from direct use, which is 0. */
  readonly use: () => number;
  /** Words that make it an unusual variant. */
  readonly unusual: () => readonly string[];
}

/** Candidates by factor. Requests share rows, so each row is read once. */
const known = new WeakMap<FactorRow, Candidate>();

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

/** Returns a key shared by a publisher's factors that differ only by a convertible unit. */
export const keyWithoutUnit = ({ row, unit, publisherCategory }: Candidate): string =>
  seriesOf({
    ...row,
    // The gateway clarifies the name and category of some workbook rows, but not of the same rows in another unit.
    activity: row.otherName ?? row.activity,
    category: publisherCategory ?? row.category,
    unit: `${unit.dimension} ${unit.qualifier}`,
  });
