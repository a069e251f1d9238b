import type { Choice } from "../../../data/imports/choices.js";
import { multiplyFractions, readFraction } from "../../../domain/fractions.js";
import { kwhOfUnit } from "../../../domain/ghg/energy.js";
import { conversionOf, readUnit } from "../../../domain/ghg/units.js";
import { AppError } from "../../../errors.js";
import type { Activity } from "../../factors/activity.js";
import type { Calculation } from "../../factors/calculate.js";
import type { FactorSource } from "../../factors/selection/factor-finder.js";
import { calculateAll } from "./calculate-all.js";
import type { Edition } from "./editions.js";
import type { ActivityGroup } from "./groups.js";
import type { Resolution } from "./resolve.js";

/** An activity of a file and its factor. */
export interface ResolvedGroup {
  readonly group: ActivityGroup;
  readonly resolution: Resolution;
}

/**
 * Calculates one unit of each resolved activity, so that its rows only need to be multiplied by their amounts. An
 * activity whose factor cannot be used has no choices.
 */
export async function createChoices(
  factors: FactorSource,
  resolved: readonly ResolvedGroup[],
): Promise<ReadonlyMap<ActivityGroup, readonly Choice[]>> {
  const wanted = resolved.flatMap(({ group, resolution }) =>
    listUsed(group, resolution).map((edition) => ({ group, resolution, edition })),
  );
  const choices = new Map<ActivityGroup, Choice[]>();
  const activities = wanted.map(({ group, resolution, edition }) => oneUnit(group, resolution, edition));
  const calculated = await calculateAll(factors, activities);
  for (const [index, calculation] of calculated.entries()) {
    const one = wanted[index];
    const activity = activities[index];
    if (!one || !activity || calculation instanceof AppError) continue;
    const found = one.group.activities.map((number) => choiceOf(number, one, activity, calculation));
    choices.set(one.group, [...(choices.get(one.group) ?? []), ...found]);
  }
  return choices;
}

/** Lists the editions that records of the file use; a single null for a gas without a factor. */
export function listUsed(
  { firstYear, lastYear, naming }: ActivityGroup,
  { editions }: Resolution,
): readonly (Edition | null)[] {
  if (naming.activity === "" && naming.gas !== "" && editions.length === 0) return [null];
  return editions.filter(({ from, to }) => from <= lastYear && to >= firstYear);
}

function oneUnit({ naming }: ActivityGroup, { unit }: Resolution, edition: Edition | null): Activity {
  const common = { amount: "1", unit: unit.name, gwp: "AR6" as const };
  return edition ? { ...common, factorId: edition.factor.id } : { ...common, gas: naming.gas };
}

function choiceOf(
  activity: number,
  { resolution, edition }: { readonly resolution: Resolution; readonly edition: Edition | null },
  { amount: _, ...stored }: Activity,
  { kg, tonnes, formula, ...calculation }: Calculation,
): Choice {
  const { unit, reason, mappingId } = resolution;
  const { factor, notices } = calculation;
  const kwh = kwhOfUnit(stored.unit);
  const [middle = "", sign] = formula.slice(1).split(/ ([=≈]) /);
  const rate =
    sign === "=" || !factor
      ? { numerator: kg, denominator: "1", rate: kg }
      : { ...fractionOf(factor.factorExact, unit, factor.unit), rate: null };
  return {
    activity,
    from: edition?.from ?? 0,
    to: edition?.to ?? 9_999,
    scope: factor?.scope ?? null,
    category: factor?.category ?? null,
    factorId: factor?.id ?? null,
    ...rate,
    kwhNumerator: kwh ? String(kwh.numerator) : null,
    kwhDenominator: kwh ? String(kwh.denominator) : null,
    stored,
    calculation: {
      ...calculation,
      reason: reason || calculation.reason,
      notices: edition?.isNewer ? ["FACTOR_NEWER_THAN_ACTIVITY", ...notices] : notices,
      ...(mappingId !== null && { mappingId }),
    },
    formula: middle,
  };
}

function fractionOf(factor: string, unit: Resolution["unit"], factorUnit: string) {
  const { numerator, denominator } = multiplyFractions([
    readFraction(factor),
    conversionOf(unit, readUnit(factorUnit)),
  ]);
  return { numerator: String(numerator), denominator: String(denominator) };
}
