import type { FactorRow } from "../../../data/factors/factors.js";
import { listUnitMeanings, type Unit } from "../../../domain/ghg/units.js";
import { groupBy } from "../../../domain/group-by.js";
import { findRegion } from "../../../regions/regions.js";
import type { FactorSelector } from "../activity.js";
import type { Candidate } from "./candidate.js";
import { chooseEdition } from "./choose.js";
import { CONDITION, type Failure } from "./conditions.js";
import type { FactorFinder } from "./factor-finder.js";
import { SelectionError } from "./selection-error.js";

const MAX_CANDIDATES = 10;
const MAX_AVAILABLE = 20;
const MAX_NEAREST = 3;

/** Lists values of candidates, those with the most series first. A series counts once, whatever its editions. */
function listAvailable(
  candidates: readonly Candidate[],
  ownValue: (one: Candidate) => string | null,
): string[] {
  const values = [...groupBy(candidates, ownValue)].flatMap(([value, group]) =>
    value === null ? [] : { value, count: new Set(group.map(({ series }) => series)).size },
  );
  return values
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, MAX_AVAILABLE)
    .map(({ value }) => value);
}

/** Returns one factor for each of the first values, in the edition for the year. */
function listNearest(
  candidates: readonly Candidate[],
  ownValue: (one: Candidate) => string | null,
  year: number,
): readonly FactorRow[] {
  const values = [...listAvailable(candidates, ownValue), null].slice(0, MAX_NEAREST);
  return values.flatMap((value) => {
    const [one] = chooseEdition(
      candidates.filter((candidate) => ownValue(candidate) === value),
      year,
    ).factors;
    return one ? one.row : [];
  });
}

const list = (values: readonly string[]) => values.join(", ");

/** Creates FACTOR_NOT_FOUND for an activity without factors. */
export function refuseActivity({ activity }: FactorSelector, find: FactorFinder): SelectionError {
  const nearest = find.nearestTo(activity ?? "").map(({ row }) => row);
  const available = find.listNames(MAX_AVAILABLE);
  const advice =
    available.length === 0
      ? "No emission factors are loaded. The gateway's operator can load them with load-factors."
      : nearest.length > 0
        ? `The most similar names are ${list(nearest.map((row) => JSON.stringify(row.activity)))}.`
        : "Search for names with GET /v1/emission-factors or emissionFactors.";
  const fault = `selector.activity: there is no verified emission factor for ${JSON.stringify(activity)}.`;
  return new SelectionError("FACTOR_NOT_FOUND", `${fault} ${advice}`, "selector.activity", {
    failedOn: "activity",
    available,
    nearest,
  });
}

/** Creates FACTOR_NOT_FOUND for a publisher's identifier that no factor has. */
export const refuseSourceFactorId = ({ sourceFactorId }: FactorSelector): SelectionError =>
  new SelectionError(
    "FACTOR_NOT_FOUND",
    `No emission factor has the publisher's identifier ${JSON.stringify(sourceFactorId)}.`,
    "selector.sourceFactorId",
    { failedOn: "sourceFactorId", available: [], nearest: [] },
  );

/** Creates FACTOR_NOT_FOUND for an activity without a factor in the region. */
export function refuseRegion(
  { activity, region }: FactorSelector,
  named: readonly Candidate[],
  year: number,
): SelectionError {
  const ownValue = ({ row }: Candidate) => row.region;
  const available = listAvailable(named, ownValue);
  const name = activity ?? named[0]?.row.activity;
  const isRegion = findRegion(region ?? "") !== null || available.includes(region ?? "");
  const fault = isRegion ? `${name} has no factor for ${region}` : `${region} is not a region`;
  return new SelectionError(
    "FACTOR_NOT_FOUND",
    `${fault}. ${name} has factors for: ${list(available)}.`,
    "selector.region",
    { failedOn: "region", available, nearest: listNearest(named, ownValue, year) },
  );
}

/**
 * Creates FACTOR_NOT_FOUND for a condition that no factor of the activity and region meets, or AMBIGUOUS_UNIT for an
 * ambiguous unit.
 */
export function refuseCondition(
  selector: FactorSelector,
  unit: Unit,
  { failedOn, left }: Failure,
  year: number,
): SelectionError {
  if (failedOn === "unit" && listUnitMeanings(unit.name).length > 0) return refuseUnit(unit.name);
  const { ownValue } = CONDITION[failedOn];
  const available = listAvailable(left, ownValue);
  const name = selector.activity ?? left[0]?.row.activity;
  const place = selector.region ?? left[0]?.row.region;
  const wanted = failedOn === "unit" ? unit.name : selector[failedOn];
  const fault =
    failedOn === "unit"
      ? `${name} in ${place} has: ${list(available)}.${adviseUnit(unit, left)}`
      : `${name} in ${place} has no ${failedOn} ${wanted}. It has: ${list(available) || "none"}.`;
  return new SelectionError(
    "FACTOR_NOT_FOUND",
    fault,
    failedOn === "unit" ? "unit" : `selector.${failedOn}`,
    {
      failedOn,
      available,
      nearest: listNearest(left, ownValue, year),
    },
  );
}

/** Returns advice for an energy unit without a calorific value. */
function adviseUnit(unit: Unit, left: readonly Candidate[]): string {
  const isOpen =
    unit.qualifier === null &&
    left.some((one) => one.unit.dimension === unit.dimension && one.unit.qualifier !== null);
  if (!isOpen) return "";
  return left.some(({ regionKey }) => regionKey === "GB")
    ? " A UK bill states gross calorific value."
    : " The energy bill says which calorific value it uses.";
}

/** Creates AMBIGUOUS_UNIT for a word that means several units. */
export function refuseUnit(word: string): SelectionError {
  const available = listUnitMeanings(word);
  const [first = "", ...others] = [...available].reverse();
  return new SelectionError(
    "AMBIGUOUS_UNIT",
    `unit: ${JSON.stringify(word)} can mean a ${[others.reverse().join(", "), first].join(" or ")}.`,
    "unit",
    { available },
  );
}

/** Selector parts by which factors can differ, with their values. */
const DIFFERENCES: Readonly<Record<string, (one: Candidate) => string | null>> = {
  // Compares the publisher's name, which a factor renamed by the gateway has as its other name.
  activity: ({ row }) => row.otherName ?? row.activity,
  category: ({ row, publisherCategory }) => publisherCategory ?? row.category,
  detail: ({ row }) => row.detail,
  gas: ({ row }) => row.gas,
  region: ({ regionKey }) => regionKey,
  scope: ({ row }) => row.scope,
  sourceFactorId: ({ row }) => row.sourceFactorId,
};

/** Creates AMBIGUOUS_FACTOR for several matching factors. */
export function refuseAmbiguous(factors: readonly Candidate[]): SelectionError {
  const candidates = factors.slice(0, MAX_CANDIDATES).map(({ row }) => row);
  const differing = Object.keys(DIFFERENCES).filter(
    (part) => new Set(factors.map((one) => DIFFERENCES[part]?.(one))).size > 1,
  );
  const distinctive = differing.filter((part) => part !== "sourceFactorId");
  const described = candidates.map(({ id, activity, detail, scope, category, gas, unit, sourceYear }) => {
    const traits = [detail, scope.replace("_", " "), category, `kg ${gas} per ${unit}`, sourceYear];
    return `${id} (${[activity, ...traits].filter(Boolean).join("; ")})`;
  });
  const more = factors.length - candidates.length;
  return new SelectionError(
    "AMBIGUOUS_FACTOR",
    `${factors.length} emission factors match. Choose one by its id: ${list(described)}${more > 0 ? `, and ${more} more` : ""}.`,
    undefined,
    {
      differBy: distinctive.length > 0 ? distinctive : differing,
      candidates,
      candidateCount: factors.length,
    },
  );
}
