import { requireOwnProof } from "../../access/principal.js";
import { write } from "../../data/database/transaction.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { findOwnOrganization, type OwnOrganization } from "../../data/people/users.js";
import { activateOrganization } from "../../data/people/write-sessions.js";
import { isSlug } from "../../domain/texts/slug.js";
import { AppError } from "../../errors.js";
import { type AccountsContext, type ClientInfo, writerOf } from "../accounts/context.js";
import { requireProviderSession } from "../sso/enforcement-checks.js";

/**
 * Switches a user's session to another of the user's organizations. Rejects with NOT_FOUND if the user does not belong
 * to the organization, with REAUTHENTICATION_REQUIRED as `requireOwnProof` does, with FORBIDDEN if the organization
 * requires its own provider and that provider did not begin the session, and with RATE_LIMIT_EXCEEDED after too many
 * changes of the session.
 */
export async function switchOrganization(
  { resources, countSessionChange }: AccountsContext,
  session: StoredSession,
  slug: string,
  client: ClientInfo,
): Promise<OwnOrganization> {
  const { id, user, organization: former } = session;
  const { database, noteChange } = resources;
  await countSessionChange(id);
  const organization = isSlug(slug) ? await findOwnOrganization(database, user.id, slug) : null;
  if (organization === null) {
    throw new AppError("NOT_FOUND", "You are not a member of an organization with this slug.");
  }
  if (organization.id !== former?.id) requireOwnProof(session, client.request.now);
  await write(database, writerOf(user, client), async (sql) => {
    await requireProviderSession(sql, session, organization.id);
    await activateOrganization(sql, id, organization.id);
  });
  noteChange({ table: "sessions", organizationId: former?.id ?? null });
  return organization;
}
