import type { FactorRow } from "../../../data/factors/factors.js";
import type { Unit } from "../../../domain/ghg/units.js";
import { AppError } from "../../../errors.js";
import type { FactorSelector } from "../activity.js";
import { isNamed, isWordTier, TIERS, type Tier } from "./activity-names.js";
import type { Candidate } from "./candidate.js";
import {
  type ConsideredPublication,
  chooseByWord,
  chooseNamed,
  keepDirectUse,
  listPrecedence,
} from "./choose.js";
import { applyConditions, type Failure, listByRegion } from "./conditions.js";
import type { FactorFinder } from "./factor-finder.js";
import {
  refuseActivity,
  refuseAmbiguous,
  refuseCondition,
  refuseRegion,
  refuseSourceFactorId,
} from "./selection-refusals.js";

/** A factor with the reason for choosing it. */
export interface SelectedFactor {
  readonly factor: FactorRow;
  readonly reason: string;
  readonly precedence: readonly ConsideredPublication[];
  /** True if the factor is newer than the activity. */
  readonly isNewer: boolean;
}

/**
 * Chooses the factor that a selector describes. Throws FACTOR_NOT_FOUND, AMBIGUOUS_FACTOR, AMBIGUOUS_UNIT, and
 * VALIDATION_FAILED for a selector with neither an activity and a region nor a publisher's id.
 */
export function selectFactor(
  selector: FactorSelector,
  unit: Unit,
  find: FactorFinder,
  defaultYear: number,
): SelectedFactor {
  const { activity, region, sourceFactorId } = selector;
  if (sourceFactorId == null && (activity == null || region == null)) {
    throw new AppError(
      "VALIDATION_FAILED",
      `selector: expected an activity and a region, or the publisher's identifier of a factor; got no ${activity == null ? "activity" : "region"}`,
    );
  }
  const year = selector.year ?? defaultYear;
  const { tier, fitting } = findFitting(selector, unit, find, year);
  const { factors, isNewer } = isWordTier(tier)
    ? chooseByWord(fitting, selector, unit, year)
    : chooseNamed(fitting, unit, year);
  const [only, ...others] = factors;
  if (!only) throw new Error("none of the matching factors was chosen");
  if (others.length > 0) throw refuseAmbiguous(factors);
  const precedence = listPrecedence(fitting, only, year);
  const time = isNewer
    ? `the oldest, as all of its series are newer than ${year}`
    : `the latest up to ${year}`;
  const meaning = isWordTier(tier)
    ? `; ${JSON.stringify(activity)} means its direct use in the usual variant`
    : "";
  const reason = `${time}, of ${only.row.activity} in ${only.row.region}${meaning}`;
  return { factor: only.row, reason, precedence, isNewer };
}

interface Fitting {
  readonly tier: Tier;
  /** Never empty. */
  readonly fitting: readonly Candidate[];
}

/** Finds the factors that match the selector, in the first tier with a factor in the region. */
function findFitting(selector: FactorSelector, unit: Unit, find: FactorFinder, year: number): Fitting {
  const all = find.candidatesOf(selector);
  if (all.length === 0 && selector.sourceFactorId != null) throw refuseSourceFactorId(selector);
  const named = new Set<Candidate>();
  let failure: Failure | undefined;
  for (const tier of TIERS) {
    const matching = listMatching(all, selector, tier, find);
    for (const one of matching) named.add(one);
    const places = listByRegion(matching, selector);
    if (places.length === 0) continue;
    for (const place of places) {
      const found = applyConditions(isWordTier(tier) ? keepDirectUse(place) : place, selector, unit);
      if (!("failedOn" in found)) return { tier, fitting: found };
      failure ??= found;
    }
    // A word such as `van` may also be in the publisher's category.
    if (failure && tier !== "word") throw refuseCondition(selector, unit, failure, year);
  }
  if (failure) throw refuseCondition(selector, unit, failure, year);
  throw named.size > 0 ? refuseRegion(selector, [...named], year) : refuseActivity(selector, find);
}

/**
 * Lists the factors that match the selector's activity in a tier. Without an activity, lists all factors with the
 * publisher's id.
 */
function listMatching(
  all: readonly Candidate[],
  { activity }: FactorSelector,
  tier: Tier,
  find: FactorFinder,
): readonly Candidate[] {
  if (activity == null) return tier === "exact" ? all : [];
  const wanted = find.activityOf(activity);
  return all.filter(({ names }) => isNamed(names, wanted, tier));
}
