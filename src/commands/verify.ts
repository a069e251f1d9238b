import type { Command } from "commander";
import {
  type Differences,
  hasDifferences,
  type IntegrityReport,
  verifyIntegrity,
} from "../actions/verify-integrity.js";
import type { BalanceDifference } from "../data/credits/verify-balances.js";
import type { Difference, Sum } from "../data/emissions/verify-days.js";
import type { UnorderedRows } from "../data/sync/verify-changes.js";
import { countOf } from "../domain/texts/count-of.js";
import { jsonOption } from "./options.js";
import { printable } from "./output/terminal.js";
import type { Runner } from "./runner.js";

/** Adds `verify`. */
export function addVerifyCommand(program: Command, { withSchema, report }: Runner): void {
  program
    .command("verify")
    .description(
      "check stored sums against the records, credit balances against sales and retirements, and the order of changes",
    )
    .option("--repair", "correct differences, and clear the caches of all gateways")
    .addOption(jsonOption())
    .action(async ({ repair = false, json }: { repair?: boolean; json?: boolean }) => {
      const result = await withSchema(({ database }) => verifyIntegrity(database, repair));
      report(result, json, describeVerification(result));
      if (hasDifferences(result)) process.exitCode = 1;
    });
}

/** Describes the first differences of each kind, one per line, then the remedy. */
export function describeVerification({ repaired, balances, changes, ...sums }: IntegrityReport): string {
  const lines = [
    ...(sums.differences === 0 ? ["All sums match the emission records."] : []),
    ...describe(sums, "sums differ from the emission records", describeSum),
    ...describe(balances, "credit balances differ from the sales and retirements", describeBalance),
    ...describe(changes, "groups of changed rows are missing from the order of changes", describeUnordered),
  ];
  if (balances.overdrawn > 0) {
    lines.push(
      `${countOf(balances.overdrawn, "batch")} with more sold and retired than issued: correct a quantity, sale or retirement, then run verify --repair.`,
    );
  }
  if (repaired)
    lines.push(
      balances.overdrawn > 0 ? "All other differences were repaired." : "All differences were repaired.",
    );
  else if (sums.differences + balances.differences + changes.differences > balances.overdrawn)
    lines.push("To repair them, run verify --repair.");
  return lines.join("\n");
}

function describe<Kind>(
  { differences, first }: Differences<Kind>,
  difference: string,
  describeOne: (one: Kind) => string,
): string[] {
  if (differences === 0) return [];
  const more = differences > first.length ? [`… and ${differences - first.length} more.`] : [];
  return [`${differences} ${difference}:`, ...first.map(describeOne), ...more];
}

function describeSum({
  organization,
  grain,
  recorded_on,
  part,
  subpart,
  scope,
  kept,
  recomputed,
}: Difference): string {
  const parts = grain === "month_cell" ? [part, subpart] : [part];
  const of =
    grain === "day" || grain === "month"
      ? `${grain} as a whole`
      : `${grain} ${parts.map((name) => printable(name) || "(none)").join(" ")}`;
  const sums = `stored ${kept.co2e_tonnes} t of ${countOf(Number(kept.record_count), "record")}, recomputed ${recomputed.co2e_tonnes} t of ${recomputed.record_count}`;
  const [energy, newEnergy] = [describeEnergy(kept), describeEnergy(recomputed)];
  const more = energy === newEnergy ? "" : `; stored ${energy}, recomputed ${newEnergy}`;
  return `${organization} ${recorded_on} ${scope} ${of}: ${sums}${more}`;
}

const describeEnergy = ({ energy_kwh, energy_record_count, biogenic_co2_tonnes }: Sum): string =>
  `${energy_kwh} kWh of ${countOf(energy_record_count, "record")} and ${biogenic_co2_tonnes} t of biogenic CO2`;

function describeBalance({ organization, batch, quantity, kept, recomputed }: BalanceDifference): string {
  const balance = `stored ${kept.sold} sold, ${kept.retired} retired, ${kept.available} available of ${quantity}`;
  return `${organization} batch ${printable(batch)}: ${balance}; recomputed ${recomputed.sold} sold, ${recomputed.retired} retired`;
}

function describeUnordered({ organization, table, stamp, rows }: UnorderedRows): string {
  return `${organization} ${table}: ${countOf(rows, "row")} of transaction ${stamp}`;
}
