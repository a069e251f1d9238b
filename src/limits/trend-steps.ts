/** How many steps a trend has, by their length. */
export type TrendSteps = Readonly<Record<"MONTH" | "QUARTER", number>>;

/** Of the last 12 months, the first and the last of which are cut. */
export const DEFAULT_STEPS: TrendSteps = { MONTH: 13, QUARTER: 5 };
/** Of the ten years that a range may have at most. */
const MOST_STEPS: TrendSteps = { MONTH: 121, QUARTER: 41 };

/** The steps of a range as it was given; the most that there may be where it is none that is answered. */
export function stepsOf(range: unknown): TrendSteps {
  if (range === undefined || range === null) return DEFAULT_STEPS;
  const { from, to } = range as { from?: unknown; to?: unknown };
  const count = (step: keyof TrendSteps, months: number) => {
    const steps = Math.floor(monthOf(to) / months) - Math.floor(monthOf(from) / months) + 1;
    return steps >= 1 && steps <= MOST_STEPS[step] ? steps : MOST_STEPS[step];
  };
  return { MONTH: count("MONTH", 1), QUARTER: count("QUARTER", 3) };
}

/** The number of a day's month, counted from the year 0; NaN for what is no day. */
function monthOf(day: unknown): number {
  return typeof day === "string" ? 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7)) - 1 : Number.NaN;
}
