import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import type { EntityRow, HoldingRow } from "../../data/inventory/entities.js";
import {
  type EntityValues,
  findEntity,
  readParents,
  setEntity,
} from "../../data/inventory/write-entities.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import {
  chainOf,
  isInCycle,
  longestChain,
  MAX_ENTITIES,
  MAX_HOLDINGS,
  MAX_LEVELS,
} from "../../domain/inventory/entities.js";
import type { FinancialControl } from "../../domain/inventory/inventory.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import {
  ActionError,
  InvalidInput,
  readInput,
  requireSize,
  requireValid,
  requireVersion,
} from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { changesNothing } from "../idempotency.js";
import { readShare } from "../read-amount.js";
import { readName, readOptional, readText } from "../read-text.js";
import { readMonth } from "./year.js";

/** A holding as the caller sends it. */
export interface HoldingInput {
  /** `YYYY-MM`. */
  readonly from: string;
  /** A decimal in any notation. */
  readonly equityShare: string;
  readonly financialControl: FinancialControl;
  readonly operationalControl: boolean;
}

/** An entity as the caller sends it. */
export interface EntityInput {
  readonly code: string;
  readonly name: string;
  readonly country?: string | null | undefined;
  /** Code of the entity that holds it; the organization itself if omitted. */
  readonly parent?: string | null | undefined;
  readonly holdings: readonly HoldingInput[];
}

const SHARE = { max: 1, decimals: 4 };

/**
 * Creates an entity, or replaces its values and its whole history of holdings. Throws VALIDATION_FAILED, also for an
 * unknown parent, a cycle, more than 5 levels or too many entities, and CONFLICT if the version is not the expected
 * one, which is 0 before the entity exists.
 */
export async function saveEntity(
  { resources, writer }: ActorContext,
  input: EntityInput,
  expectedVersion: number | null | undefined,
): Promise<EntityRow> {
  const values = readEntity(input);
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    await lockOrganizationRow(sql, organizationId);
    const existing = await findEntity(sql, organizationId, values.code);
    if (existing && changesNothing(existing, values)) return existing;
    requireVersion("entity", existing?.version ?? 0, expectedVersion);
    await requirePlace(sql, organizationId, values);
    await setEntity(sql, organizationId, values);
    const saved = await findEntity(sql, organizationId, values.code);
    if (!saved) throw new Error(`the entity ${values.code} disappeared`);
    return saved;
  });
}

function readEntity({ country = null, ...input }: EntityInput): EntityValues {
  const [code, name, parent, holdings] = requireValid(
    () => readText("entity", "code", input.code, TEXT_LIMITS.reference),
    () => readName("entity", input.name),
    () => readOptional("entity", "parent", input.parent, TEXT_LIMITS.reference),
    () => readHoldings(input.holdings),
  );
  return { code, name, country, parent, holdings };
}

function readHoldings(given: readonly HoldingInput[]): readonly HoldingRow[] {
  requireSize("entity", "holdings", given.length, MAX_HOLDINGS, "holdings");
  const input = readInput();
  const places = new Map<string, string>();
  const holdings = given.map(({ from, equityShare, financialControl, operationalControl }, index) => {
    const at = (part: keyof HoldingInput) => `holdings[${index}].${part}`;
    input.read(() => requireOwnMonth(from, at("from"), places));
    const equityShareExact =
      input.read(() => readShare("entity", at("equityShare"), equityShare, SHARE)) ?? "0";
    return { from, equityShareExact, financialControl, operationalControl };
  });
  input.finish();
  return holdings.toSorted((a, b) => (a.from < b.from ? -1 : 1));
}

/** Throws InvalidInput for a month outside the supported years, and for one that another holding already has. */
function requireOwnMonth(month: string, path: string, places: Map<string, string>): void {
  readMonth("entity", path, month);
  const first = places.get(month);
  if (first !== undefined) throw new InvalidInput("entity", path, `must differ from ${first} (got ${month})`);
  places.set(month, path);
}

/** Throws VALIDATION_FAILED for an unknown parent, a cycle, too many levels or too many entities. */
async function requirePlace(
  sql: SqlSession,
  organizationId: string,
  { code, parent }: Pick<EntityValues, "code" | "parent">,
): Promise<void> {
  const parents = await readParents(sql, organizationId);
  if (!parents.has(code) && parents.size >= MAX_ENTITIES) {
    throw new InvalidInput("entity", null, `An organization can have at most ${MAX_ENTITIES} entities.`);
  }
  if (parent !== null && parent !== code && !parents.has(parent)) {
    throw new InvalidInput("entity", "parent", `must be the code of an entity (got ${parent})`);
  }
  const changed = new Map(parents).set(code, parent);
  if (isInCycle(changed, code)) {
    const chain = [...chainOf(changed, code), code].join(", ");
    const message = `ENTITY_CIRCLE: parent must not be held by the entity itself (got ${parent}, whose chain is ${chain}).`;
    throw new ActionError("VALIDATION_FAILED", "entity", message, "parent");
  }
  const chain = longestChain(changed);
  if (chain.length > MAX_LEVELS) {
    const fault = `must leave every entity at most ${MAX_LEVELS} levels deep (got ${parent}, with ${chain[0]} at level ${chain.length})`;
    throw new InvalidInput("entity", "parent", fault);
  }
}
