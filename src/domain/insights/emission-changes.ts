import type { Changes, Contribution } from "../emissions/contributions.js";
import type { SeriesKey } from "../foresight/anomaly-id.js";
import type { DateRange } from "../window.js";
import { formatMagnitude, formatPercent, type Insight, shareOf } from "./insight.js";

const TONNES = "tCO2e";

/** A part of emissions, such as a scope or a facility. */
export interface Part {
  readonly series: SeriesKey;
  /** Such as `scope 2` or the name of a facility. */
  readonly label: string;
}

/**
 * Reports the largest change and its share of all changes in the same direction. The share itself shows its weight, so
 * there is no threshold. An increase is more serious than a reduction.
 */
export function findLargestChange(
  contributions: Changes<Contribution<Part>>,
  by: "scope" | "facility",
  range: DateRange,
): Insight | null {
  const [largest] = contributions.largest;
  // Without a previous amount, there is no change to explain: the first records may be recent.
  if (!largest || !contributions.hasPrevious) return null;
  // If only one facility changed, this would repeat the change of the total.
  if (by === "facility" && contributions.count === 1) return null;
  const { part, sharePercent } = largest;
  const [before, now, change] = [Number(largest.before), Number(largest.now), Number(largest.change)];
  const falls = change < 0;
  const isAll = Number(falls ? contributions.rises : contributions.falls) === 0;
  const what = `${isAll ? "the" : "all"} ${falls ? "reduction" : "increase"}${isAll ? "" : "s"}`;
  return {
    kind: "largest_change",
    series: part.series,
    severity: falls ? "low" : "medium",
    tonnes: change,
    title: `${formatPercent(sharePercent)} of ${what} comes from ${part.label}`,
    body: `It ${falls ? "fell" : "rose"} by ${formatMagnitude(change)} t from the period before: from ${formatMagnitude(before)} t to ${formatMagnitude(now)} t.`,
    figures: [
      { name: "change", value: change, unit: TONNES },
      { name: "share_percent", value: sharePercent, unit: "%" },
      { name: "previous", value: before, unit: TONNES },
      { name: "current", value: now, unit: TONNES },
    ],
    query: { name: "InsightLargestChange", variables: { range, by: by.toUpperCase() } },
  };
}

/** Above this percentage, one part emits more than all others together, and determines the total. */
const MAJORITY_PERCENT = 50;

/** Reports the facility with the most emissions, if there are others. A share above one half is more serious. */
export function findTopContributor(
  top: Part & { readonly tonnes: number },
  total: number,
  range: DateRange,
): Insight | null {
  if (top.tonnes <= 0 || top.tonnes >= total) return null;
  const share = shareOf(top.tonnes, total);
  return {
    kind: "top_contributor",
    series: top.series,
    tonnes: top.tonnes,
    severity: share > MAJORITY_PERCENT ? "medium" : "low",
    title: `${formatPercent(share)} of emissions come from ${top.label}`,
    body: `It emitted ${formatMagnitude(top.tonnes)} t of ${formatMagnitude(total)} t.`,
    figures: [
      { name: "facility_total", value: top.tonnes, unit: TONNES },
      { name: "total", value: total, unit: TONNES },
      { name: "share_percent", value: share, unit: "%" },
    ],
    query: { name: "InsightTopContributor", variables: { range } },
  };
}

/** Below this percentage, totals lack more than a tenth of the expected records. */
const MIN_COVERAGE = 90;
/** Below this percentage, more than half of the expected records are missing. */
const POOR_COVERAGE = 50;

/** Reports that less than 90 % of the expected periods have a record. */
export function findPoorCoverage(coveragePercent: number | null): Insight | null {
  if (coveragePercent === null || coveragePercent >= MIN_COVERAGE) return null;
  return {
    kind: "coverage",
    severity: coveragePercent < POOR_COVERAGE ? "high" : "medium",
    title: `Only ${formatMagnitude(coveragePercent)} % of the expected records exist`,
    body: "Totals are too low until the missing records are added.",
    figures: [{ name: "coverage_percent", value: coveragePercent, unit: "%" }],
    query: { name: "InsightCoverage", variables: {} },
  };
}

/** Linear trend of the monthly amounts, in tonnes per month. */
export interface TrendLine {
  readonly slope: number;
  readonly pValue: number | null;
  readonly direction: "increasing" | "decreasing" | "flat";
}

/** Reports a trend that is significant at the usual 5 % level, on which `direction` is based. */
export function findTrend({ slope, pValue, direction }: TrendLine): Insight | null {
  if (direction === "flat" || pValue === null) return null;
  const rises = direction === "increasing";
  return {
    kind: "trend",
    severity: rises ? "medium" : "low",
    tonnes: slope,
    title: `Emissions ${rises ? "rise" : "fall"} by ${formatMagnitude(slope)} t a month`,
    body: `This trend is unlikely to be chance (p ${pValue < 0.0001 ? "< 0.0001" : `= ${Number(pValue.toFixed(pValue < 0.01 ? 4 : 2))}`}).`,
    figures: [
      { name: "slope", value: slope, unit: `${TONNES}/month` },
      { name: "p_value", value: pValue, unit: "probability" },
    ],
    query: { name: "InsightTrend", variables: {} },
  };
}
