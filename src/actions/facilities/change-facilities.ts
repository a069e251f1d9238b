import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import type { FacilityRow } from "../../data/facilities/facilities.js";
import {
  insertFacility,
  lockFacility,
  type NewFacility,
  updateFacility,
} from "../../data/facilities/write-facilities.js";
import { findEntityId } from "../../data/inventory/write-entities.js";
import { findClaimOutside } from "../../data/inventory/write-instruments.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { ActionError, InvalidInput, requireFound, requireValid, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent, changesNothing } from "../idempotency.js";
import { readMarket } from "../inventory/energy.js";
import { readName, readText } from "../read-text.js";
import { requireFewFacilities } from "./facility-limit.js";

export interface CreatedFacility {
  readonly facility: FacilityRow;
  readonly isNew: boolean;
}

/**
 * Creates a facility, or returns the existing one with the same code and content. Throws VALIDATION_FAILED, also for
 * more than 20,000 facilities, and CONFLICT if the facility exists with different content or is archived.
 */
export async function createFacility(
  { resources, writer }: ActorContext,
  given: Omit<NewFacility, "country"> & { readonly country?: string | null | undefined },
): Promise<CreatedFacility> {
  const [code, name] = requireValid(
    () => readText("facility", "code", given.code, TEXT_LIMITS.reference),
    () => readName("facility", given.name),
  );
  const { country = null } = given;
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    const added = await insertFacility(sql, organizationId, { code, name, country });
    if (added) {
      await requireFewFacilities(sql, organizationId);
      return { facility: added, isNew: true };
    }
    const existing = await lockFacility(sql, organizationId, { code });
    if (!existing) throw new Error(`the facility ${code} disappeared`);
    const { archivedAt } = existing;
    assertIdempotent(
      "facility",
      `The code ${JSON.stringify(code)}`,
      {
        name: existing.name,
        country: existing.country,
        archived: archivedAt === null ? "not archived" : "archived",
      },
      { name, country, archived: "not archived" },
    );
    return { facility: existing, isNew: false };
  });
}

/** Changes to a facility. An omitted value is unchanged; null for a nullable one clears it. */
export interface FacilityChanges {
  readonly name?: string | null | undefined;
  readonly country?: string | null | undefined;
  /** Code of its entity; null for the organization itself. */
  readonly entity?: string | null | undefined;
  /** Null for the market of its country. */
  readonly electricityMarket?: string | null | undefined;
  readonly isArchived?: boolean | null | undefined;
}

/**
 * Changes a facility. A change without effect creates no version. Throws InvalidInput, NOT_FOUND, and CONFLICT if the
 * version is not the expected one, the facility would leave the market of an energy claim, or its name or country would
 * change although a locked period has records of it.
 */
export async function changeFacility(
  { resources, writer, now }: ActorContext,
  id: string,
  changes: FacilityChanges,
  expectedVersion: number | null | undefined,
): Promise<FacilityRow> {
  const { country, entity, isArchived } = changes;
  if (
    changes.name == null &&
    isArchived == null &&
    [country, entity, changes.electricityMarket].every(isOmitted)
  ) {
    const message =
      "Nothing to change: give a new name, country, entity or electricity market, or archive it.";
    throw new InvalidInput("facility", null, message);
  }
  const [name, electricityMarket] = requireValid(
    () => (changes.name == null ? undefined : readName("facility", changes.name)),
    () =>
      changes.electricityMarket == null
        ? changes.electricityMarket
        : readMarket("facility", "electricityMarket", changes.electricityMarket),
  );
  const { organizationId } = writer;
  const mayMove = country !== undefined || electricityMarket !== undefined;
  return write(resources.database, writer, async (sql) => {
    // Energy claims depend on the facility's market. The lock makes them wait for this change.
    if (mayMove) await lockOrganizationRow(sql, organizationId);
    const existing = requireFound(await lockFacility(sql, organizationId, { id }), "facility", id);
    const archivedAt = (isArchived ?? existing.archivedAt !== null) ? (existing.archivedAt ?? now) : null;
    const changed = {
      name: name ?? existing.name,
      country: isOmitted(country) ? existing.country : country,
      entity: isOmitted(entity) ? existing.entity : entity,
      electricityMarket: isOmitted(electricityMarket) ? existing.electricityMarket : electricityMarket,
      archivedAt,
    };
    if (changesNothing(existing, changed)) return existing;
    requireVersion("facility", existing.version, expectedVersion);
    await requireEntity(sql, organizationId, changed.entity);
    if (mayMove) await requireMarketOfClaims(sql, organizationId, id, changed);
    return updateFacility(sql, organizationId, id, changed);
  });
}

const isOmitted = (value: string | null | undefined): value is undefined => value === undefined;

/** Throws InvalidInput unless an entity has this code. */
async function requireEntity(sql: SqlSession, organizationId: string, code: string | null): Promise<void> {
  if (code === null || (await findEntityId(sql, organizationId, code)) !== null) return;
  throw new InvalidInput(
    "facility",
    "entity",
    `must be the code of an entity, or null (got ${code.slice(0, 100)})`,
  );
}

/** Throws CONFLICT if a facility has an energy claim outside its new market. */
async function requireMarketOfClaims(
  sql: SqlSession,
  organizationId: string,
  id: string,
  { country, electricityMarket }: Pick<FacilityRow, "country" | "electricityMarket">,
): Promise<void> {
  const market = electricityMarket ?? country;
  const claim = await findClaimOutside(sql, organizationId, id, market);
  if (!claim) return;
  const claimed = `the facility claims energy in the market ${claim.market} for ${claim.year} with the instrument ${claim.instrument}`;
  const message = `MARKET_MISMATCH: ${claimed}. Withdraw its claims before you move it to ${market ?? "no market"}.`;
  throw new ActionError("CONFLICT", "facility", message, electricityMarket ? "electricityMarket" : "country");
}
