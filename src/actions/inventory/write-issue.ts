import { listClaimsOfYear } from "../../data/inventory/claims-of-year.js";
import { readSpans } from "../../data/inventory/held-entities.js";
import {
  countBoundaryFacilities,
  listNamedEntities,
  listUsedFactors,
} from "../../data/inventory/issued-facts.js";
import type { IssueRow } from "../../data/inventory/issues.js";
import { readInventory } from "../../data/inventory/read-inventory.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { isLifeCycle } from "../../domain/factor-search/publications.js";
import { groupBy } from "../../domain/group-by.js";
import type { Inventory, InventoryGap } from "../../domain/inventory/inventory.js";
import {
  createIssueStatement,
  findFactorGaps,
  type Issued,
  type IssuedClaim,
} from "../../domain/inventory/issue.js";
import { canonicalJson, type Json } from "../../domain/texts/canonical-json.js";
import { mapInTurns, type TimeLimit } from "../../turns.js";
import { ActionError } from "../action-error.js";

/** The number of an issue, and the parts that the caller gives. */
export interface IssueParts extends Pick<IssueRow, "year" | "issue" | "basis" | "reasons" | "note"> {
  /** First day of the month. */
  readonly holdingsAsOf: string | null;
}

/** Maximum length of a statement. Hashing, parsing and sending it each block the event loop. */
const MAX_CHARACTERS = 2_000_000;

/**
 * Computes an inventory from the records that `tenant` reads, and writes the statement of its issue. Throws CONFLICT
 * with one detail for each gap that blocks an issue, and for a statement that would be too long.
 */
export async function writeIssue(
  tenant: TenantReader,
  { year, holdingsAsOf, ...parts }: IssueParts,
  organization: Issued["organization"],
): Promise<string> {
  const inventory = await readInventory(tenant, { year, holdingsAsOf });
  if (inventory === null) throw new Error(`the policy of ${year} disappeared within a snapshot`);
  requireComplete(inventory);
  const { period, policy } = inventory;
  const spansById = await readSpans(tenant, policy, period, holdingsAsOf);
  const spans = [...spansById.values()];
  const records = { period, scopes: policy.scopes, spans: spans.flat() };
  const factors = await listUsedFactors(tenant, records);
  const claims = await listClaimsOfYear(tenant, year);
  const named = await listNamedEntities(tenant);
  const statement = await writeInTurns(
    createIssueStatement({
      ...parts,
      organization,
      inventory,
      gaps: findFactorGaps(factors.map((factor) => ({ ...factor, isLifeCycle: isLifeCycle(factor) }))),
      boundary: {
        approach: policy.approach,
        entities: spans.filter((ofEntity) => ofEntity.some(({ share }) => share !== "0")).length,
        facilities: await countBoundaryFacilities(tenant, records),
      },
      entities: named.map(({ id, ...entity }) => ({
        ...entity,
        shares: (spansById.get(id) ?? []).map(({ from, share }) => ({ from: from.slice(0, 7), share })),
      })),
      claims: claims.map(toIssued),
      publications: sumPublications(factors),
    }),
    tenant,
  );
  if (statement.length <= MAX_CHARACTERS) return statement;
  const size = `The statement would have ${statement.length} characters, and the maximum is ${MAX_CHARACTERS}.`;
  throw new ActionError("CONFLICT", "inventory", `${size} Merge entities or claims.`, "year");
}

/** Throws CONFLICT unless the gaps of an inventory allow an issue. */
function requireComplete({ year, gaps }: Inventory): void {
  const blocking = gaps.filter((gap) => gap.blocking);
  if (blocking.length === 0) return;
  const details = blocking.map((gap) => ({
    path: pathOf(gap),
    message: `INVENTORY_INCOMPLETE: ${gap.code}: ${gap.message}`,
  }));
  const message = `INVENTORY_INCOMPLETE: the inventory of ${year} has ${blocking.length} ${blocking.length === 1 ? "gap" : "gaps"} that must be closed before it can be issued.`;
  throw new ActionError("CONFLICT", "inventory", message, details, { maxDetails: details.length });
}

const pathOf = ({ line, facility, scope, category }: InventoryGap): string => {
  if (facility !== null) return `facilities.${facility}`;
  return line === null ? `streams.${[scope, category].filter(Boolean).join(".")}` : `lines.${line}`;
};

const toIssued = ({
  facilityCode,
  ...claim
}: Awaited<ReturnType<typeof listClaimsOfYear>>[number]): IssuedClaim => ({
  kind: claim.kind,
  reference: claim.reference,
  registry: claim.registry,
  certificateNumber: claim.certificateNumber,
  cancelledOn: claim.cancelledOn,
  cancellation: claim.cancellation,
  facility: facilityCode,
  mwhExact: claim.mwhExact,
  reason: claim.reason,
});

/** Adds up the numbers of records by publication, in the order of the factors. */
const sumPublications = (factors: Awaited<ReturnType<typeof listUsedFactors>>): Issued["publications"] =>
  [...groupBy(factors, ({ source, year }) => JSON.stringify([source, year])).values()].flatMap(
    ([first, ...others]) =>
      first === undefined
        ? []
        : [
            {
              source: first.source,
              year: first.year,
              recordCount: others.reduce((sum, { recordCount }) => sum + recordCount, first.recordCount),
            },
          ],
  );

/** Writes canonical JSON with pauses, because a statement may have many claims, entities and facilities. */
async function writeInTurns(value: Json, timed: TimeLimit): Promise<string> {
  if (value === null || typeof value !== "object") return canonicalJson(value);
  if (Array.isArray(value)) return `[${(await mapInTurns(value, timed, canonicalJson)).join(",")}]`;
  const parts: string[] = [];
  for (const [name, part] of Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) {
    parts.push(`${JSON.stringify(name)}:${await writeInTurns(part, timed)}`);
  }
  return `{${parts.join(",")}}`;
}
