import type { ImportSummary } from "../../actions/imports/summary.js";
import { countOf } from "../../domain/texts/count-of.js";
import { printable } from "../output/terminal.js";
import { describeProblem } from "./describe-problems.js";
import { describeQuestions } from "./describe-questions.js";

/** Describes the result of an import or a dry run. */
export function describeImport(summary: ImportSummary & { readonly seconds: number }): string {
  const { file, organization, dryRun, rows, seconds, added, updated, unchanged, id } = summary;
  const parts = [describeCounts(summary)];
  if (added + updated === 0 && unchanged > 0) parts.push("nothing new");
  if (summary.skipped > 0) parts.push(`${countOf(summary.skipped, "blank amount")} skipped`);
  if (summary.rounded > 0) parts.push(`${countOf(summary.rounded, "row")} rounded to 6 decimals`);
  parts.push(...describeIgnored(summary.ignoredColumns));
  const lines = [
    `${file} (${organization}): ${parts.join("; ")} (${countOf(rows, "row")} in ${seconds.toFixed(1)} s)`,
    ...describeContent(summary),
    ...describeRefused(summary),
    ...(dryRun && summary.questions.length > 0 ? [describeQuestions(summary.questions)] : []),
    dryRun
      ? "Dry run: nothing was changed."
      : `Import ${id}. To undo it: npm run gateway -- import undo ${id}`,
  ];
  return lines.join("\n");
}

function describeCounts({ dryRun, added, updated, unchanged }: ImportSummary): string {
  const counted: [number, string][] = [
    [added, dryRun ? `would add ${added}` : `${added} added`],
    [updated, dryRun ? `would update ${updated}` : `${updated} updated`],
    [unchanged, `${unchanged} unchanged`],
  ];
  return counted.flatMap(([count, text]) => (count > 0 ? [text] : [])).join(", ") || "no records";
}

/** Describes the totals and the largest records of the file. */
function describeContent(summary: ImportSummary): string[] {
  const { co2eTonnes, firstDay, lastDay, datedAhead, facilities, facilitiesCreated, largest } = summary;
  if (largest.length === 0) return [];
  const { total, ...scopes } = co2eTonnes;
  const byScope = Object.entries(scopes).map(([scope, tonnes]) => `${scope} ${tonnes} t`);
  const created = summary.dryRun ? `${facilitiesCreated} would be new` : `${facilitiesCreated} new`;
  const lines = [
    `${total} t CO2e from ${firstDay} to ${lastDay}: ${byScope.join(", ")}`,
    countOf(facilities, "facility") + (facilitiesCreated > 0 ? `, ${created}` : ""),
  ];
  if (datedAhead > 0) {
    lines.push(`${countOf(datedAhead, "record")} dated after today; not included in figures before that day`);
  }
  const largestLines = largest.map(({ line, recordedOn, scope, co2eTonnes: tonnes, facility }) => {
    const of = facility === null ? "" : `, ${printable(facility)}`;
    return `  line ${line}: ${recordedOn}, ${scope}, ${tonnes} t${of}`;
  });
  return [...lines, "Largest records:", ...largestLines];
}

/** Maximum number of problems to list. */
const MAX_SHOWN = 100;

function describeRefused({ refused }: ImportSummary): string[] {
  if (refused === undefined || refused.rows === 0) return [];
  const listed = refused.problems.slice(0, MAX_SHOWN).map(describeProblem);
  const rest = refused.problems.length - listed.length;
  return [
    `${countOf(refused.rows, "row")} skipped:`,
    ...listed,
    ...(rest > 0 ? [`… and ${rest} more, which --json lists.`] : []),
  ];
}

function describeIgnored(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 5).map(printable).join(", ") + (names.length > 5 ? ", …" : "");
  return [`${countOf(names.length, "column")} ignored: ${shown}`];
}
