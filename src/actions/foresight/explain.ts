import { roundNumber } from "../../domain/amounts.js";
import type { FoundAnomaly } from "../../domain/foresight/anomalies.js";
import { monthOf } from "../../domain/foresight/series.js";
import { monthNumber } from "../../domain/window.js";

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/** Formats `2026-05` as `May 2026`. */
const nameMonth = (month: string): string => MONTH.format(new Date(`${month}-01T00:00:00Z`));

/** Explains a rounded anomaly, such as `59.09 % above May 2025 (88 t)`. */
export function explainAnomaly(anomaly: FoundAnomaly, unit: string): string {
  const { type, month, value, expected, changePercent, robustZ, periods, trailing } = anomaly;
  const amount = (number: number | null) => `${number ?? 0} ${unit === "tCO2e" ? "t" : unit}`;
  const yearBefore = nameMonth(monthOf(monthNumber(month) - 12));
  switch (type) {
    case "yoy":
      return `${Math.abs(changePercent ?? 0)} % ${(changePercent ?? 0) < 0 ? "below" : "above"} ${yearBefore} (${amount(expected)})`;
    case "new_source":
      return `${amount(value)}, and nothing in ${yearBefore}`;
    case "z_score":
      return `${amount(value)}; the median is ${amount(expected)}, and the robust score ${roundNumber(robustZ ?? 0, 2)}`;
    case "gap": {
      const missing = periods === 1 ? "1 period has no record" : `${periods} periods have no record`;
      return `${missing}, ${trailing ? "since" : "from"} ${nameMonth(month)}${trailing ? "" : " on"}`;
    }
  }
}
