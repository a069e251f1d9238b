import type { Database } from "../data/database.js";
import { findOrganization, insertOrganization, listOrganizations } from "../data/organizations.js";
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
  if (await findOrganization(database, slug))
    throw new OperatorError(`The organization "${slug}" exists already.`);
  return describe(await insertOrganization(database, slug, name));
}

export async function describeOrganizations(database: Database): Promise<OrganizationDescription[]> {
  return (await listOrganizations(database)).map(describe);
}

function describe({ id, slug, name }: OrganizationDescription): OrganizationDescription {
  return { id, slug, name };
}
