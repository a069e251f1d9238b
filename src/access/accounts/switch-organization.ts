import { write } from "../../data/database/transaction.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { findOwnOrganization, type OwnOrganization } from "../../data/people/users.js";
import { activateOrganization } from "../../data/people/write-sessions.js";
import { isSlug } from "../../domain/texts/slug.js";
import { AppError } from "../../errors.js";
import { type AccountsContext, type Visit, writerOf } from "./context.js";

/** Makes another of a person's organizations the active one of their session. Rejects with NOT_FOUND if they belong to none such. */
export async function switchOrganization(
  { resources }: AccountsContext,
  { id, user, organization: former }: StoredSession,
  slug: string,
  visit: Visit,
): Promise<OwnOrganization> {
  const { database, noteChange } = resources;
  const organization = isSlug(slug) ? await findOwnOrganization(database, user.id, slug) : null;
  if (organization === null) {
    throw new AppError("NOT_FOUND", "You belong to no organization with this slug.");
  }
  await write(database, writerOf(user, visit), (sql) => activateOrganization(sql, id, organization.id));
  noteChange({ table: "sessions", organizationId: former?.id ?? null });
  return organization;
}
