import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type ChainReport,
  type TrailOptions,
  type TrailReport,
  verifyTrail,
} from "../actions/audit-trail.js";
import { countOf } from "../domain/texts/count-of.js";
import { example, jsonOption, organizationOption } from "./options.js";
import type { Runner } from "./runner.js";

/** Adds `audit verify`. */
export function addAuditCommands(program: Command, { withSchema, report }: Runner): void {
  const audit = program.command("audit").description("check the audit trail");

  audit
    .command("verify")
    .description("check that no entry of the audit trail was changed or removed")
    .addOption(
      organizationOption("; all organizations and the platform if omitted").makeOptionMandatory(false),
    )
    .addOption(headOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      example("audit verify --organization acme", `audit verify --head 1:${"0".repeat(64)}`),
    )
    .action(async ({ json, ...question }: TrailOptions & { json?: boolean }) => {
      const result = await withSchema(({ database }) => verifyTrail(database, question));
      report(result, json, describeTrail(result));
      if (!result.ok) process.exitCode = 1;
    });
}

/** `--head`: a number and a hash, as the gateway logs them. */
const headOption = () =>
  new Option(
    "--head <seq:hash>",
    "a head from the gateway's log, to check that it is still in the trail",
  ).argParser((text) => {
    const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
    if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
    throw new InvalidArgumentError("It must be a number, a colon and 64 hexadecimal digits.");
  });

function describeTrail({ chains, noted }: TrailReport): string {
  const lines = chains.map(describeChain);
  if (chains.length === 0) lines.push("The audit trail has no entries.");
  if (noted) {
    const state = noted.found
      ? "is still in the trail"
      : "is missing from the trail: entries were removed or replaced";
    lines.push(`Head ${noted.seq}:${noted.hash} ${state}.`);
  }
  return lines.join("\n");
}

/** Describes a chain, such as `acme: 12 entries, all intact. Last hash: 8107….` */
function describeChain({ organizationId, organization, ...chain }: ChainReport): string {
  const name = organization ?? (organizationId === null ? "platform" : `${organizationId} (deleted)`);
  const { ok, entries, firstBrokenSeq, problem, head } = chain;
  if (!ok) return `${name}: entry ${firstBrokenSeq} is broken: ${problem}.`;
  const last = head === null ? "" : ` Last hash: ${head.hash}.`;
  return `${name}: ${countOf(entries, "entry")}, all intact.${last}`;
}
