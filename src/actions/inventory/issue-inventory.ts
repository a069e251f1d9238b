import { hash } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import { findIssue, type IssueRow, readIssueText } from "../../data/inventory/issues.js";
import { findLatestNumber, insertIssue } from "../../data/inventory/write-issues.js";
import { listOwnPolicies } from "../../data/inventory/write-policies.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { readInTransaction } from "../../data/tenant/reader.js";
import type { InventoryPolicy } from "../../domain/inventory/inventory.js";
import {
  type IssueBasis,
  RESTATEMENT_REASONS,
  type RestatementReason,
} from "../../domain/inventory/issue.js";
import { policyOf } from "../../domain/inventory/policies.js";
import { periodOfYear } from "../../domain/inventory/year.js";
import { isoDate } from "../../domain/window.js";
import { ActionError, InvalidInput, requireValid } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readNote } from "../read-text.js";
import { type IssueParts, writeIssue } from "./write-issue.js";
import { readMonth, readYear } from "./year.js";

/** An issue as the caller sends it. */
export interface IssueInput {
  readonly year: number;
  readonly basis: IssueBasis;
  /** `YYYY-MM`. */
  readonly holdingsAsOf?: string | null | undefined;
  readonly reasons?: readonly RestatementReason[] | null | undefined;
  readonly note?: string | null | undefined;
}

export interface IssuedInventory {
  readonly issue: IssueRow;
  /** False if the same issue already existed. */
  readonly isNew: boolean;
}

/** Maximum wait for the long transactions of the organization and of others, such as issues and imports. */
const WAIT_MS = 10_000;

/**
 * Issues the inventory of a year, which must be over. Repeating an issue changes nothing. Throws InvalidInput, and
 * NOT_FOUND without a policy for the year. Throws CONFLICT if the inventory has gaps that block an issue, if the year
 * was already reported, or if another issue or policy was written in the meantime. Throws RATE_LIMIT_EXCEEDED after a
 * long wait.
 */
export async function issueInventory(caller: ActorContext, input: IssueInput): Promise<IssuedInventory> {
  const { resources, writer, now } = caller;
  const { organizationId } = writer;
  const asked = readIssue(input);
  const draft = await draftIssue(caller, asked);
  if ("issue" in draft) return { issue: draft.issue, isNew: false };
  const { latest, policy, statement } = draft;
  const issue = await write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const policies = await listOwnPolicies(sql, organizationId);
    const isCurrent =
      (await findLatestNumber(sql, organizationId, asked.year)) === latest &&
      policyOf(policies, asked.year)?.chosenAt.getTime() === policy.chosenAt.getTime();
    if (!isCurrent) {
      const message = `Another issue of ${asked.year} or another policy was written in the meantime. Read them, and try again.`;
      throw new ActionError("CONFLICT", "inventory", message, "year");
    }
    return insertIssue(sql, organizationId, {
      ...asked,
      issue: latest + 1,
      statement,
      digest: hash("sha256", statement),
      issuedBy: writer.actor.id,
      issuedAt: now,
    });
  });
  return { issue, isNew: true };
}

function readIssue(input: IssueInput): Omit<IssueParts, "issue"> {
  const { basis, holdingsAsOf: asOf } = input;
  const [year, holdingsAsOf, reasons, note] = requireValid(
    () => readYear("inventory", "year", input.year),
    () => (asOf == null ? null : `${readMonth("inventory", "holdingsAsOf", asOf)}-01`),
    () => readReasons(basis, input.reasons ?? []),
    () => readNote("inventory", "note", input.note),
  );
  return { year, basis, holdingsAsOf, reasons, note };
}

function readReasons(basis: IssueBasis, given: readonly RestatementReason[]): readonly RestatementReason[] {
  const refuse = (fault: string) => new InvalidInput("inventory", "reasons", fault);
  const repeated = given.find((reason, index) => given.indexOf(reason) !== index);
  if (repeated) throw refuse(`must list each reason only once (got ${repeated} twice)`);
  if (basis === "reported" && given.length > 0)
    throw refuse(`must be empty for the first issue (got ${given.join(", ")})`);
  if (basis === "restated" && given.length === 0)
    throw refuse("must have at least one reason for a restatement");
  return RESTATEMENT_REASONS.filter((reason) => given.includes(reason));
}

/** The statement of a new issue, with the policy and the latest issue that it builds on. */
interface IssueDraft {
  readonly latest: number;
  readonly policy: InventoryPolicy;
  readonly statement: string;
}

/**
 * Computes an issue from one snapshot of the data, or returns the existing one if it is the same. Holds no lock. Each
 * organization computes one at a time.
 */
function draftIssue(
  { resources, principal, request, writer, now }: ActorContext,
  asked: Omit<IssueParts, "issue">,
): Promise<IssueDraft | { readonly issue: IssueRow }> {
  const { organizationId } = writer;
  const { database } = resources;
  const { year, basis } = asked;
  const compute = () =>
    database.transaction(
      async (sql) => {
        await sql.script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL jit = off");
        const tenant = readInTransaction(sql, organizationId);
        const policy = policyOf(await listOwnPolicies(sql, organizationId), year);
        if (!policy)
          throw new ActionError("NOT_FOUND", "inventory", `No inventory policy applies to ${year}.`);
        const latest = await findLatestNumber(sql, organizationId, year);
        requireOver(year, policy, now);
        if (latest === 0 && basis === "restated")
          throw new InvalidInput(
            "inventory",
            "basis",
            "must be reported for the first issue of a year (got restated)",
          );

        const former = await findIssue(tenant, year, basis === "reported" ? 1 : latest);
        if (former?.basis === basis && hasSameTerms(former, asked)) {
          const existing = await readIssueText(tenant, former);
          // The organization may have been renamed since.
          const { organization } = JSON.parse(existing);
          const again = await writeIssue(tenant, { ...asked, issue: former.issue }, organization);
          if (again === existing) return { issue: former };
        }
        if (former && basis === "reported") throw alreadyReported(year);
        const { id, name, slug } = principal.organization;
        const statement = await writeIssue(tenant, { ...asked, issue: latest + 1 }, { id, name, slug });
        return { latest, policy, statement };
      },
      { isCheck: true },
    );
  const queued = { ownerId: organizationId, msLeft: WAIT_MS };
  // If the request times out, the queue still waits for the running statement to end.
  return request.inTime(() => database.writeQueues.checks(queued, compute));
}

const hasSameTerms = (former: IssueRow, asked: Omit<IssueParts, "issue">): boolean =>
  former.holdingsAsOf === (asked.holdingsAsOf?.slice(0, 7) ?? null) &&
  former.note === asked.note &&
  former.reasons.join() === asked.reasons.join();

const alreadyReported = (year: number) =>
  new ActionError(
    "CONFLICT",
    "inventory",
    `ALREADY_REPORTED: the reported inventory of ${year} differs from the current one. Issue a restatement with its reasons.`,
    "basis",
  );

function requireOver(year: number, { yearStartsIn }: InventoryPolicy, now: Date): void {
  const { to } = periodOfYear(year, yearStartsIn);
  const today = isoDate(now);
  if (to < today) return;
  throw new InvalidInput("inventory", "year", `must be over (got ${year}, which ends on ${to})`);
}
