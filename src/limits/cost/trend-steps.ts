import { countPeriods, MOST_YEARS, type TrendStep } from "../../domain/window.js";

/** How many steps a trend has, by their length. */
export type TrendSteps = Readonly<Record<TrendStep, number>>;

/** Of the last 12 months, the first and the last of which are cut. */
export const DEFAULT_STEPS: TrendSteps = { month: 13, quarter: 5, year: 2 };
/** Of the longest range that there may be, cut likewise. */
const MOST_STEPS: TrendSteps = {
  month: 12 * MOST_YEARS + 1,
  quarter: 4 * MOST_YEARS + 1,
  year: MOST_YEARS + 1,
};

/** How many there are of a step as it was given: `MONTH`, unless it is another one's name. */
export function stepsIn(steps: TrendSteps, step: unknown): number {
  return steps[step === "QUARTER" ? "quarter" : step === "YEAR" ? "year" : "month"];
}

/** The steps of a range as it was given; the most that there may be where it is none that is answered. */
export function stepsOf(range: unknown): TrendSteps {
  if (range === undefined || range === null) return DEFAULT_STEPS;
  const { from, to } = range as { from?: unknown; to?: unknown };
  const count = (step: TrendStep) => {
    const steps = countPeriods({ from: String(from), to: String(to) }, step);
    return steps >= 1 && steps <= MOST_STEPS[step] ? steps : MOST_STEPS[step];
  };
  return { month: count("month"), quarter: count("quarter"), year: count("year") };
}
