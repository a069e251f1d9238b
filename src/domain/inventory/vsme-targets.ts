import {
  type Datapoint,
  EMISSIONS,
  type EmissionKind,
  findAmount,
  nameOf,
  type ValueOrReason,
  type VsmeAbsence,
} from "./vsme-facts.js";
import { periodOfYear } from "./year.js";

/** A reduction target with its amounts in tCO2e. */
export interface VsmeTarget extends EmissionKind {
  readonly name: string;
  /** Business metric that emissions are divided by; null for an absolute target. */
  readonly metric: string | null;
  readonly baseYear: number;
  readonly targetYear: number;
  /** Null unless an issue of the base year states the scopes. */
  readonly baseExact: string | null;
  /** Null if it is a percentage of an unknown base. */
  readonly targetExact: string | null;
  /** Main actions to reach the target. */
  readonly actions: string | null;
}

const BASE_YEAR = "vsme:GreenhouseGasEmissionReductionTargetBaseYear";
const TARGET_YEAR = "vsme:GreenhouseGasEmissionReductionTargetYear";
const ACTIONS = "vsme:DisclosureOfListOfMainActionsTheEntitySeeksInOrderToAchieveItsTargets";

/** Paragraph of the standard on targets. */
const PARAGRAPH = "54";

const NO_TARGET = "The organization has no absolute reduction target.";

/**
 * Returns the datapoints of paragraph 54. The taxonomy has room for one base year and one target year, with one value
 * of each kind. The report states the absolute targets of the next target year (or the first, if all have passed) with
 * the earliest base year, and lists the others.
 */
export function listTargets(
  targets: readonly VsmeTarget[],
  year: number,
  yearStartsIn: number,
): { readonly datapoints: readonly Datapoint[]; readonly leftOut: readonly VsmeAbsence[] } {
  const stated = choose(targets, year);
  const first = stated.values().next().value;
  const { to } = periodOfYear(year, yearStartsIn);
  const text = (name: string, value: string | undefined, reason = NO_TARGET): Datapoint => ({
    concept: name,
    unit: null,
    // In the taxonomy, a year is a fact about the end of the period, but a text is about all of it.
    period: { from: null, to },
    dimensions: {},
    paragraph: PARAGRAPH,
    ...(value === undefined ? { reason } : { value }),
  });
  const valuesIn = (of: number | undefined, member: string, key: "baseExact" | "targetExact") => {
    const lookUp = (kind: EmissionKind): ValueOrReason | undefined => {
      const target = stated.get(nameOf(kind));
      const value = target?.[key] ?? null;
      if (value !== null) return { value };
      if (target) return { reason: `No issue of ${target.baseYear} states ${nameOf(kind)}.` };
      if (kind.scopes.length > 1) return undefined;
      return { reason: first ? `No target of these years covers ${nameOf(kind)} alone.` : NO_TARGET };
    };
    return EMISSIONS.map(
      (kind): Datapoint => ({
        concept: kind.concept,
        unit: "utr:tCO2e",
        period: periodOfYear(of ?? year, yearStartsIn),
        dimensions: { "vsme:ReportingScopesAxis": `vsme:${member}` },
        paragraph: PARAGRAPH,
        ...findAmount(kind, lookUp),
      }),
    );
  };
  const actions = [...new Set([...stated.values()].flatMap((target) => target.actions ?? []))];
  return {
    datapoints: [
      text(BASE_YEAR, first && String(first.baseYear)),
      text(TARGET_YEAR, first && String(first.targetYear)),
      ...valuesIn(first?.baseYear, "BaselineYearMember", "baseExact"),
      ...valuesIn(first?.targetYear, "TargetYearMember", "targetExact"),
      {
        ...text(
          ACTIONS,
          actions.length === 0 ? undefined : actions.join("\n"),
          first && "The targets state no actions.",
        ),
        period: periodOfYear(year, yearStartsIn),
      },
    ],
    leftOut: targets
      .filter((target) => stated.get(nameOf(target)) !== target)
      .map((target) => ({
        concept: TARGET_YEAR,
        dimensions: {},
        paragraph: PARAGRAPH,
        reason: `The taxonomy has no place for the target "${target.name}" (${nameOf(target)}, ${target.baseYear} to ${
          target.targetYear
        }${target.metric === null ? "" : `, by ${target.metric}`}).`,
      })),
  };
}

/** Returns the targets that a report of the year states, by kind. */
function choose(targets: readonly VsmeTarget[], year: number): ReadonlyMap<string, VsmeTarget> {
  const isPast = ({ targetYear }: VsmeTarget) => Number(targetYear < year);
  const [first, ...others] = targets
    .filter(({ metric }) => metric === null)
    .toSorted(
      (one, other) =>
        isPast(one) - isPast(other) || one.targetYear - other.targetYear || one.baseYear - other.baseYear,
    );
  if (first === undefined) return new Map();
  const ofYears = others.filter(
    ({ baseYear, targetYear }) => baseYear === first.baseYear && targetYear === first.targetYear,
  );
  // Reversed, so that the first target of a kind wins.
  return new Map([first, ...ofYears].toReversed().map((target) => [nameOf(target), target]));
}
