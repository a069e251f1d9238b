import { hasCategory, hasDetail } from "../../../domain/factor-search/selector-parts.js";
import { plainGas } from "../../../domain/ghg/gwp.js";
import { isConvertible, type Unit } from "../../../domain/ghg/units.js";
import { GLOBAL, regionKeyOf } from "../../../regions/regions.js";
import type { FactorSelector } from "../activity.js";
import type { Candidate } from "./candidate.js";

/** Parts of a selector that exclude factors, in the order in which they are checked. */
export const CONDITIONS = ["unit", "scope", "category", "detail", "gas"] as const;
export type ConditionName = (typeof CONDITIONS)[number];

interface Condition {
  /** Returns true if the factor meets the condition, or the selector has none. */
  readonly isMet: (one: Candidate, selector: FactorSelector, unit: Unit) => boolean;
  /** The factor's own value; null if it has none. */
  readonly ownValue: (one: Candidate) => string | null;
}

const traitsOf = ({ row, publisherCategory }: Candidate) => ({ ...row, publisherCategory });

export const CONDITION: Readonly<Record<ConditionName, Condition>> = {
  unit: {
    isMet: (one, _selector, unit) => isConvertible(unit, one.unit),
    ownValue: ({ row }) => row.unit,
  },
  scope: {
    isMet: ({ row }, { scope }) => scope == null || row.scope === scope,
    ownValue: ({ row }) => row.scope,
  },
  category: {
    isMet: (one, { category }) => category == null || hasCategory(traitsOf(one), category),
    ownValue: ({ row, publisherCategory }) => publisherCategory ?? row.category,
  },
  detail: {
    isMet: (one, { detail }) => detail == null || hasDetail(one.row, detail),
    ownValue: ({ row }) => row.detail,
  },
  gas: {
    isMet: ({ row }, { gas }) => gas == null || plainGas(row.gas) === plainGas(gas),
    ownValue: ({ row }) => row.gas,
  },
};

/**
 * Groups the factors for a selector's region, best first: those of the region, those of its national authority, and
 * global ones.
 */
export function listByRegion(
  candidates: readonly Candidate[],
  { region, allowGlobal = false }: FactorSelector,
): readonly (readonly Candidate[])[] {
  if (region == null) return [candidates];
  const key = regionKeyOf(region);
  const own = candidates.filter(({ regionKey }) => regionKey === key);
  // The UK authority's factor for a hotel night in Germany belongs to both regions.
  const published = candidates.filter(({ home, regionKey }) => home === key && regionKey !== key);
  const global = allowGlobal ? candidates.filter(({ regionKey }) => regionKey === GLOBAL) : [];
  return [own, published, global].filter((some) => some.length > 0);
}

/** The first condition that no factor met, with the factors that met the earlier ones. */
export interface Failure {
  readonly failedOn: ConditionName;
  readonly left: readonly Candidate[];
}

/** Returns the factors that meet every condition, or the first condition that none of them meets. */
export function applyConditions(
  candidates: readonly Candidate[],
  selector: FactorSelector,
  unit: Unit,
): readonly Candidate[] | Failure {
  let left = candidates;
  for (const failedOn of CONDITIONS) {
    const met = left.filter((one) => CONDITION[failedOn].isMet(one, selector, unit));
    if (met.length === 0) return { failedOn, left };
    left = met;
  }
  return left;
}
