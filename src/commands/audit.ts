import type { Command } from "commander";
import { type ChainReport, type TrailReport, verifyTrail } from "../actions/audit.js";
import { example, jsonOption, organizationOption } from "./options.js";
import { plural } from "./output/plural.js";
import type { Runner } from "./runner.js";

/** Adds `audit verify`. */
export function addAuditCommands(program: Command, { withSchema, report }: Runner): void {
  const audit = program.command("audit").description("check the audit trail");

  audit
    .command("verify")
    .description("check that no entry of the audit trail was changed or removed")
    .addOption(organizationOption().makeOptionMandatory(false))
    .addOption(jsonOption())
    .addHelpText("after", example("audit verify --organization acme"))
    .action(async ({ organization, json }: { organization?: string; json?: boolean }) => {
      const result = await withSchema(({ database }) => verifyTrail(database, organization));
      report(result, json, describeTrail(result));
      if (!result.ok) process.exitCode = 1;
    });
}

function describeTrail({ chains }: TrailReport): string {
  return chains.map(describeChain).join("\n") || "The audit trail has no entries.";
}

/** Such as `acme: 12 entries, all as written. Last hash: 8107….` */
function describeChain({ organizationId, organization, ...chain }: ChainReport): string {
  const name = organization ?? (organizationId === null ? "platform" : `${organizationId} (deleted)`);
  const { ok, entries, firstBrokenSeq, problem, head } = chain;
  if (!ok) return `${name}: entry ${firstBrokenSeq} is broken: ${problem}.`;
  const last = head === null ? "" : ` Last hash: ${head.hash}.`;
  return `${name}: ${plural(entries, "entry")}, all as written.${last}`;
}
