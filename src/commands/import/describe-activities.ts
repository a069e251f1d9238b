import type { ActivityItem, ActivityReport, ShownFactor } from "../../domain/emissions/activity-report.js";
import { countOf } from "../../domain/texts/count-of.js";
import { printable } from "../output/terminal.js";

/** Maximum number of activities to print. --json lists up to 200. */
const MAX_SHOWN = 20;

/** Lists a file's activities with their emission factors, unresolved activities first. */
export function describeActivities({
  distinct,
  unresolved,
  unresolved_rows: rows,
  items,
}: ActivityReport): string {
  const open =
    unresolved === 0 ? "" : `, ${unresolved} of them (${countOf(rows, "row")}) without an emission factor`;
  const lines = items.slice(0, MAX_SHOWN).flatMap(describeItem);
  const more = distinct > MAX_SHOWN ? [`  … and ${distinct - MAX_SHOWN} more; --json lists up to 200`] : [];
  return [`${countOf(distinct, "activity")}${open}:`, ...lines, ...more].join("\n");
}

/** Lists the activities without an emission factor, their candidates, and how to choose one. */
export function describeUnresolved({ unresolved, items }: ActivityReport): string {
  const open = items.filter(({ status }) => status === "unresolved").slice(0, MAX_SHOWN);
  const more =
    unresolved > open.length ? [`  … and ${unresolved - open.length} more; --json lists up to 200`] : [];
  const advice =
    "To choose one: mappings set --organization <slug> --text <text> --unit <unit> [--region <region>] --factor <id>";
  return [...open.flatMap(describeItem), ...more, advice].join("\n");
}

function describeItem({
  text,
  unit,
  region,
  rows,
  first_lines: lines,
  by,
  factors,
  candidates,
  problem,
}: ActivityItem): string[] {
  const name = `  ${printable(text)} (${[unit, region].filter(Boolean).join(", ")}), ${countOf(rows, "row")} from line ${lines[0]}`;
  if (by !== null)
    return [
      `${name}: by ${by.replaceAll("_", " ")}${factors.map((factor) => `, ${nameOf(factor)}`).join("")}`,
    ];
  const reason = problem ? ` (expected ${problem.expected}, got ${problem.got})` : "";
  if (candidates.length === 0) return [`${name}: no emission factor${reason}`];
  return [`${name}:${reason}`, ...candidates.map((factor) => `    ${factor.id}  ${nameOf(factor)}`)];
}

const nameOf = ({ activity, factor_exact: factor, unit, source }: ShownFactor): string =>
  `${printable(activity)}, ${factor} kg per ${unit} (${printable(source)})`;
