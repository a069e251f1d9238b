import type { Writer } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import {
  countOrganizationRows,
  deleteOrganization,
  findOrganization,
  findOrganizationId,
  insertOrganization,
  listOrganizations as listRows,
  type OrganizationRow,
  renameOrganization,
  updatePlan,
} from "../../data/organizations/organizations.js";
import { EXPECTED_SLUG, isSlug } from "../../domain/texts/slug.js";
import type { Tier } from "../../domain/tiers.js";
import { ActionError, InvalidInput } from "../action-error.js";
import { type ActorContext, requireRecent } from "../actor-context.js";
import { readName } from "../read-text.js";

/** A deleted organization, with the number of its deleted rows by table. */
export interface Deletion extends OrganizationRow {
  readonly deleted: Readonly<Record<string, number>>;
}

/** Creates an organization. Throws InvalidInput for a bad slug or name, and ActionError if the slug is taken. */
export async function createOrganization(
  database: Database,
  { slug, name, plan = "enterprise" }: { slug: string; name: string; plan?: Tier },
): Promise<OrganizationRow> {
  if (!isSlug(slug)) throw new InvalidInput("organization", "slug", `must be ${EXPECTED_SLUG}`);
  const added = await insertOrganization(database, slug, readName("organization", name), plan);
  if (added !== null) return summarize(added);
  throw new ActionError("CONFLICT", "organization", `The organization "${slug}" already exists.`);
}

/**
 * Changes an organization's name. The audit trail names `writer` as the origin. Throws InvalidInput for a bad name, and
 * ActionError for an unknown slug.
 */
export async function changeOrganizationName(
  database: Database,
  slug: string,
  name: string,
  writer: Writer = "organizations rename",
): Promise<OrganizationRow> {
  const renamed = await renameOrganization(database, slug, readName("organization", name), writer);
  return summarize(renamed ?? refuseUnknown(slug));
}

/** Renames the user's organization. Throws REAUTHENTICATION_REQUIRED, and InvalidInput for a bad name. */
export function renameOwnOrganization(caller: ActorContext, name: string): Promise<OrganizationRow> {
  const { resources, principal, writer } = caller;
  requireRecent(caller);
  return changeOrganizationName(resources.database, principal.organization.slug, name, writer);
}

/**
 * Changes the highest tier of an organization's new keys. Existing keys are unchanged. Throws ActionError for an
 * unknown slug.
 */
export async function changePlan(database: Database, slug: string, plan: Tier): Promise<OrganizationRow> {
  return summarize((await updatePlan(database, slug, plan)) ?? refuseUnknown(slug));
}

/**
 * Deletes an organization with all of its data, once `confirm` has received a summary of that data and resolved. Throws
 * ActionError for an unknown slug.
 */
export async function removeOrganization(
  database: Database,
  slug: string,
  confirm: (deletion: Deletion) => Promise<void>,
): Promise<Deletion> {
  const organization = await requireOrganization(database, slug);
  const deleted = await countOrganizationRows(database, organization.id);
  const deletion = { ...summarize(organization), deleted };
  await confirm(deletion);
  await deleteOrganization(database, organization);
  return deletion;
}

/** Lists all organizations, by slug. */
export async function listOrganizations(database: Database): Promise<OrganizationRow[]> {
  return (await listRows(database)).map(summarize);
}

/** Finds an organization by its slug. Throws ActionError for an unknown slug. */
export const requireOrganization = async (database: Database, slug: string): Promise<OrganizationRow> =>
  (await findOrganization(database, slug)) ?? refuseUnknown(slug);

/** Finds the id of the organization with this slug. Throws ActionError for an unknown slug. */
export const requireOrganizationId = async (sql: Pick<SqlSession, "query">, slug: string): Promise<string> =>
  (await findOrganizationId(sql, slug)) ?? refuseUnknown(slug);

/** Throws the ActionError for an unknown slug. */
function refuseUnknown(slug: string): never {
  throw new ActionError("NOT_FOUND", "organization", `There is no organization "${slug}".`);
}

function summarize({ id, slug, name, plan }: OrganizationRow): OrganizationRow {
  return { id, slug, name, plan };
}
