import type { ImportSummary } from "../actions/import.js";
import { plural } from "./plural.js";
import { showable } from "./terminal.js";

/** What an import did, or would do, in lines for people. */
export function describeImport(summary: ImportSummary): string {
  const { file, organization, dry_run, rows, seconds, added, updated, unchanged, id } = summary;
  const parts = [describeCounts(summary)];
  if (added + updated === 0 && unchanged > 0) parts.push("nothing is new");
  if (summary.skipped > 0) parts.push(`${plural(summary.skipped, "blank amount")} skipped`);
  if (summary.rounded > 0) parts.push(`${plural(summary.rounded, "row")} rounded to 6 decimals`);
  parts.push(...describeIgnored(summary.ignored_columns));
  const lines = [
    `${file} (${organization}): ${parts.join("; ")} (${plural(rows, "row")} in ${seconds.toFixed(1)} s)`,
    ...describeContent(summary),
    dry_run
      ? "This was a dry run: nothing was changed."
      : `Import ${id}. To take it back: npm run gateway -- import undo ${id}`,
  ];
  return lines.join("\n");
}

function describeCounts({ dry_run, added, updated, unchanged }: ImportSummary): string {
  const counted: [number, string][] = dry_run
    ? [
        [added, `would add ${added}`],
        [updated, `would update ${updated}`],
        [unchanged, `${unchanged} unchanged`],
      ]
    : [
        [added, `${added} added`],
        [updated, `${updated} updated`],
        [unchanged, `${unchanged} unchanged`],
      ];
  return counted.flatMap(([count, text]) => (count > 0 ? [text] : [])).join(", ") || "no records";
}

/** What the file's records come to. */
function describeContent(summary: ImportSummary): string[] {
  const { co2e_tonnes, first_day, last_day, dated_ahead, facilities, facilities_created, largest } = summary;
  if (largest.length === 0) return [];
  const { total, ...scopes } = co2e_tonnes;
  const byScope = Object.entries(scopes).map(([scope, tonnes]) => `${scope} ${tonnes} t`);
  const created = summary.dry_run ? `${facilities_created} would be new` : `${facilities_created} new`;
  const lines = [
    `${total} t CO2e from ${first_day} to ${last_day}: ${byScope.join(", ")}`,
    plural(facilities, "facility") + (facilities_created > 0 ? `, ${created}` : ""),
  ];
  if (dated_ahead > 0) {
    const are = dated_ahead === 1 ? "record is" : "records are";
    lines.push(`${dated_ahead} ${are} dated after today: the figures count each from its day on`);
  }
  const largestLines = largest.map(({ line, recorded_on, scope, co2e_tonnes, facility }) => {
    const of = facility === null ? "" : `, ${showable(facility)}`;
    return `  line ${line}: ${recorded_on}, ${scope}, ${co2e_tonnes} t${of}`;
  });
  return [...lines, "Largest records:", ...largestLines];
}

function describeIgnored(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 5).map(showable).join(", ") + (names.length > 5 ? ", …" : "");
  return [`${plural(names.length, "column")} ignored: ${shown}`];
}
