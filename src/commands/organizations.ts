import type { Database } from "../data/database.js";
import { insertOrganization, listOrganizations } from "../data/organizations.js";
import { OperatorError } from "../errors.js";

export interface OrganizationDescription {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Throws OperatorError where the slug is malformed or taken. */
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
  try {
    return describe(await insertOrganization(database, slug, name.trim()));
  } catch (error) {
    // Prisma's code for a value that must be unique and is there.
    if ((error as { code?: unknown }).code !== "P2002") throw error;
    throw new OperatorError(`The organization "${slug}" exists already.`);
  }
}

export async function describeOrganizations(database: Database): Promise<OrganizationDescription[]> {
  return (await listOrganizations(database)).map(describe);
}

function describe({ id, slug, name }: OrganizationDescription): OrganizationDescription {
  return { id, slug, name };
}
