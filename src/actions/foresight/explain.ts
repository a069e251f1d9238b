import type { FoundAnomaly } from "../../domain/foresight/find-anomalies.js";
import { monthOf } from "../../domain/foresight/monthly-series.js";
import { monthNumber } from "../../domain/window.js";

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/** Formats `2026-05` as `May 2026`. */
export const nameMonth = (month: string): string => MONTH.format(new Date(`${month}-01T00:00:00Z`));

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const digits = (max: number) => new Intl.NumberFormat("en", { maximumSignificantDigits: max });
const [two, three] = [digits(2), digits(3)];

/** Formats an amount for reading: 67.512 as 67.5, 1,234.5 as 1,235, 0.1234 as 0.123. */
const formatAmount = (value: number): string =>
  (value < 10 ? three : value < 1_000 ? oneDecimal : whole).format(value);

/** Formats a usual amount, which is less exact: 21.467 as 21. */
const formatUsual = (value: number): string => (value < 10 ? two : whole).format(value);

const MULTIPLES = [
  "twice",
  "three times",
  "four times",
  "five times",
  "six times",
  "seven times",
  "eight times",
];

/** Describes a ratio in words, such as `almost three times`; null below 1.75. */
function timesOf(ratio: number): string | null {
  const near = Math.floor(ratio + 0.25);
  const words = MULTIPLES[near - 2];
  if (words === undefined) return ratio < 2 ? null : ratio < 100 ? "many times" : "more than a hundred times";
  return `${ratio < 0.95 * near ? "almost " : ratio > 1.05 * near ? "more than " : ""}${words}`;
}

/** Compares an amount with the median of its series, both above 0. */
function compareWithUsual(ratio: number): string {
  const share = ratio < 0.45 ? "less than half" : ratio < 0.55 ? "half" : ratio < 1 ? "below" : "above";
  return `${timesOf(ratio) ?? share} the usual month`;
}

/** From this percentage on, a multiple is easier to read than a change. */
const MULTIPLE_PERCENT = 300;

/**
 * Explains an anomaly in a phrase that follows its month: `three times the usual month (67.5 t, usually about 21 t)`.
 * The phrase for a gap names the months itself: `No records from March to May 2026`.
 */
export function explainAnomaly(
  { type, month, value, expected, changePercent, until }: FoundAnomaly,
  unit: string,
): string {
  const of = unit === "tCO2e" ? "t" : unit;
  const amount = `${formatAmount(value ?? 0)} ${of}`;
  const yearBefore = nameMonth(monthOf(monthNumber(month) - 12));
  switch (type) {
    case "yoy": {
      const percent = changePercent ?? 0;
      const times = percent >= MULTIPLE_PERCENT ? timesOf(1 + percent / 100) : null;
      const change = `${whole.format(Math.abs(percent))} % ${percent < 0 ? "below" : "above"}`;
      return `${times ?? change} ${yearBefore} (${amount} instead of ${formatAmount(expected ?? 0)} ${of})`;
    }
    case "new_source":
      return `${amount}, after none in ${yearBefore}`;
    case "z_score": {
      if (expected === null || expected <= 0) return `${amount}, usually none`;
      const usual = `usually about ${formatUsual(expected)} ${of}`;
      return value ? `${compareWithUsual(value / expected)} (${amount}, ${usual})` : `nothing, ${usual}`;
    }
    case "gap": {
      const first = nameMonth(month);
      if (until === null) return `No records since ${first}`;
      if (until === month) return `No records for ${first}`;
      const isSameYear = until.slice(0, 4) === month.slice(0, 4);
      return `No records from ${isSameYear ? first.slice(0, -5) : first} to ${nameMonth(until)}`;
    }
  }
}

/** Describes an anomaly of a named series as a sentence without its full stop: `May 2026, Pune, scope 2: … `. */
export const describeAnomaly = (
  { type, month, explanation }: Pick<FoundAnomaly, "type" | "month"> & { readonly explanation: string },
  series: string,
): string =>
  type === "gap" ? `${explanation}: ${series}` : `${nameMonth(month)}, ${series}: ${explanation}`;
