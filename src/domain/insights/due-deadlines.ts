import { type CctsFigures, computePosition } from "../compliance/ccts-position.js";
import { countOf } from "../texts/count-of.js";
import { daysBetween, type IsoDate } from "../window.js";
import { formatDay, formatMagnitude, formatPercent, type Insight } from "./insight.js";

/** Days to look ahead for deadlines. Collecting evidence takes at least a month. */
export const DEADLINE_DAYS = 30;
/** Days before a deadline in which it is urgent: the last week. */
const URGENT_DAYS = 7;

/** A deadline that requires action. */
export interface DueDeadline {
  readonly id: string;
  readonly framework: string;
  readonly title: string;
  readonly dueDate: IsoDate;
  readonly sourceUrl: string | null;
}

/** Reports an upcoming or missed deadline, which becomes more serious in the last week. */
export function findDueDeadline(deadline: DueDeadline, today: IsoDate): Insight {
  const { id, framework, title, dueDate, sourceUrl } = deadline;
  const days = daysBetween(today, dueDate);
  const count = countOf(Math.abs(days), "day");
  const when = days < 0 ? `was due ${count} ago` : days === 0 ? "is due today" : `is due in ${count}`;
  return {
    kind: "deadline",
    about: id,
    severity: days <= URGENT_DAYS ? "high" : "medium",
    sourceUrl,
    title: `${title} ${when}`,
    body: `${framework} requires action by ${formatDay(dueDate)}.`,
    figures: [{ name: "days_remaining", value: days, unit: "days" }],
    query: { name: "InsightDeadline", variables: { id } },
  };
}

/** A financial year of an obligated entity in the Carbon Credit Trading Scheme. */
export interface TargetYear extends CctsFigures {
  readonly id: string;
  readonly entity: string;
  readonly financialYear: string;
  readonly targetSourceUrl: string;
}

/** Reports an intensity above its legal target. There is no threshold, because any excess requires certificates. */
export function findMissedTarget(year: TargetYear): Insight | null {
  const surplus = Number(computePosition(year).surplus);
  if (surplus >= 0) return null;
  const [target, achieved] = [Number(year.targetGei), Number(year.achievedGei)];
  // A percentage above a target of zero is undefined.
  const percent = target > 0 ? Number((100 * (achieved / target - 1)).toFixed(2)) : null;
  const difference =
    percent === null ? `${formatMagnitude(achieved - target)} t per unit` : formatPercent(percent);
  return {
    kind: "intensity_target",
    about: year.id,
    severity: "high",
    tonnes: surplus,
    title: `${year.entity} ${year.financialYear}: ${difference} above the target`,
    body: `The intensity is ${formatMagnitude(achieved)} t per unit, the target is ${formatMagnitude(target)} t; the total excess is ${formatMagnitude(surplus)} t.`,
    figures: [
      { name: "intensity", value: achieved, unit: "tCO2e/unit" },
      { name: "target", value: target, unit: "tCO2e/unit" },
      ...(percent === null ? [] : [{ name: "difference_percent", value: percent, unit: "%" }]),
      { name: "surplus", value: surplus, unit: "tCO2e" },
    ],
    query: { name: "InsightIntensityTarget", variables: { id: year.id } },
    sourceUrl: year.targetSourceUrl,
  };
}
