import type { ConsoleInsightFragment } from "../../../generated/console.js";
import { addDays, todayInUtc } from "../days.js";

/** Days from the first to the last. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

const FINDINGS = "/console/records/findings";

/** Where a figure of an insight is shown, with the filters that show it; null if no page does. */
export function linkOf(
  { kind, series, query, sourceUrl, figures }: ConsoleInsightFragment,
  figure: string,
  previous: Days | undefined,
): string | null {
  switch (kind) {
    case "LARGEST_CHANGE":
    case "TOP_CONTRIBUTOR": {
      const days = figure === "previous" ? previous : (query.variables["range"] as Days | undefined);
      if (!days) return null;
      const { facility, scope } = figure === "total" ? {} : (series ?? {});
      return `/console/records?${new URLSearchParams({
        from: days.from,
        to: days.to,
        ...(facility && { facility }),
        ...(scope && { scope }),
      })}`;
    }
    case "COVERAGE":
      return FINDINGS;
    case "NEW_ANOMALIES":
      return query.name === "InsightCreditAnomalies" ? "/console/credits" : FINDINGS;
    case "TREND":
      return "#forecast";
    case "BENCHMARK":
      return figure === "benchmark" ? sourceUrl : null;
    case "DEADLINE":
      return `/console/compliance?year=${addDays(todayInUtc(), figures[0]?.value ?? 0).slice(0, 4)}`;
    case "INTENSITY_TARGET":
      return "/console/compliance#ccts";
    case "CONCENTRATION":
      return "/console/credits";
    case "PRICE_MOVE":
      return "/console/market";
  }
}
