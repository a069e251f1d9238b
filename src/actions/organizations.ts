import type { Database } from "../data/database/types.js";
import {
  countOrganizationRows,
  deleteOrganization,
  findOrganization,
  insertOrganization,
  listOrganizations,
  renameOrganization,
} from "../data/organizations/organizations.js";
import { isWithinLimit, TEXT_LIMITS } from "../domain/text-limits.js";
import { OperatorError } from "../errors.js";

export interface OrganizationDescription {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** An organization that is deleted, and how many rows of each table go with it. */
export interface Deletion extends OrganizationDescription {
  readonly deleted: Readonly<Record<string, number>>;
}

/** Throws OperatorError if the slug is malformed or taken, or the name is blank or too long. */
export async function createOrganization(
  database: Database,
  { slug, name }: { slug: string; name: string },
): Promise<OrganizationDescription> {
  if (!SLUG.test(slug) || slug.length > 63) {
    throw new OperatorError(
      "--slug must be lower-case letters, digits and single hyphens, at most 63 characters",
      2,
    );
  }
  if (name.trim() === "") throw new OperatorError("--name must not be blank", 2);
  if (!isWithinLimit(name.trim(), TEXT_LIMITS.name)) {
    throw new OperatorError(
      `--name must have at most ${TEXT_LIMITS.name} characters, and has ${[...name.trim()].length}`,
      2,
    );
  }
  try {
    return describe(await insertOrganization(database, slug, name.trim()));
  } catch (error) {
    // Prisma's code for a value that must be unique and is there.
    if ((error as { code?: unknown }).code !== "P2002") throw error;
    throw new OperatorError(`The organization "${slug}" exists already.`);
  }
}

/** Gives an organization another name. Throws OperatorError if there is none with that slug. */
export async function changeOrganizationName(
  database: Database,
  slug: string,
  name: string,
): Promise<OrganizationDescription> {
  return describe((await renameOrganization(database, slug, name)) ?? refuseUnknown(slug));
}

/**
 * Deletes an organization with all its data, once `confirm`, which is told what that takes away, has resolved. Throws
 * OperatorError if there is none with that slug.
 */
export async function removeOrganization(
  database: Database,
  slug: string,
  confirm: (deletion: Deletion) => Promise<void>,
): Promise<Deletion> {
  const organization = (await findOrganization(database, slug)) ?? refuseUnknown(slug);
  const deleted = await countOrganizationRows(database, organization.id);
  const deletion = { ...describe(organization), deleted };
  await confirm(deletion);
  await deleteOrganization(database, organization);
  return deletion;
}

/** Throws the OperatorError for a slug that no organization has. */
export function refuseUnknown(slug: string): never {
  throw new OperatorError(`There is no organization "${slug}". See: npm run gateway -- organizations list`);
}

/** Organizations by slug. */
export async function describeOrganizations(database: Database): Promise<OrganizationDescription[]> {
  return (await listOrganizations(database)).map(describe);
}

function describe({ id, slug, name }: OrganizationDescription): OrganizationDescription {
  return { id, slug, name };
}
