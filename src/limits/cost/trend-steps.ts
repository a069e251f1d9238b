import { countPeriods, MAX_YEARS, type TrendStep } from "../../domain/window.js";

/** Number of steps of a trend, by step length. */
export type TrendSteps = Readonly<Record<TrendStep, number>>;

/** Steps in the last 12 months. The first and the last are partial, so there is one more. */
export const DEFAULT_STEPS: TrendSteps = { month: 13, quarter: 5, year: 2 };
/** Steps in the longest allowed range, with one more for the same reason. */
const MAX_STEPS: TrendSteps = {
  month: 12 * MAX_YEARS + 1,
  quarter: 4 * MAX_YEARS + 1,
  year: MAX_YEARS + 1,
};

/** Returns the number of steps of a length. Anything but `QUARTER` and `YEAR` counts as `MONTH`. */
export function stepsIn(steps: TrendSteps, step: unknown): number {
  return steps[step === "QUARTER" ? "quarter" : step === "YEAR" ? "year" : "month"];
}

/** Returns the number of steps in a given range; the maximum if the range is invalid. */
export function stepsOf(range: unknown): TrendSteps {
  if (range === undefined || range === null) return DEFAULT_STEPS;
  const { from, to } = range as { from?: unknown; to?: unknown };
  const count = (step: TrendStep) => {
    const steps = countPeriods({ from: String(from), to: String(to) }, step);
    return steps >= 1 && steps <= MAX_STEPS[step] ? steps : MAX_STEPS[step];
  };
  return { month: count("month"), quarter: count("quarter"), year: count("year") };
}
