import { isToken } from "../../access/secrets/token.js";
import { findOpenInvitation } from "../../data/people/invitations.js";
import { findOpenLink } from "../../data/people/sign-in-links.js";
import { findAccountById, findActiveOrganization } from "../../data/people/users.js";
import type { Role } from "../../domain/people/roles.js";
import { AppError } from "../../errors.js";
import { type AccountsContext, findByToken, hashesOf, type Visit } from "./context.js";
import { requireRegistration } from "./refusals.js";

/** The account and organization of a link, for its holder to check before following it. */
export interface LinkDetails {
  readonly kind: "sign_in" | "invitation";
  readonly email: string;
  /** Name of the organization; null for a user without one. */
  readonly organization: string | null;
  /** Role in the organization. */
  readonly role: Role | null;
  /** Name of the user who invites; null for the operator, and for a sign-in link. */
  readonly inviter: string | null;
}

/**
 * Describes a link that signs in or invites, without using it up. Rejects with LINK_EXPIRED, for every reason alike, if
 * the link cannot be used. Does not reveal if an invited address has an account.
 */
export async function inspectLink(
  context: AccountsContext,
  token: string,
  visit: Visit,
): Promise<LinkDetails> {
  await context.countInspection(visit.request.address());
  const isInvitation = isToken("invitation", token);
  if (isInvitation) requireRegistration(context.registration, "invite");
  const details =
    isInvitation || isToken("link", token)
      ? await findByToken(context, visit, () =>
          isInvitation ? describeInvitation(context, token, visit) : describeSignIn(context, token, visit),
        )
      : null;
  if (details !== null) return details;
  throw new AppError("LINK_EXPIRED", "The link was used, replaced or revoked, or it has expired.");
}

async function describeInvitation(
  context: AccountsContext,
  token: string,
  { request }: Visit,
): Promise<LinkDetails | null> {
  const invitation = await findOpenInvitation(
    context.resources.database,
    hashesOf(context, token),
    request.now,
  );
  if (invitation === null) return null;
  const { email, organization, role, inviter } = invitation;
  return { kind: "invitation", email, organization: organization.name, role, inviter };
}

async function describeSignIn(
  context: AccountsContext,
  token: string,
  { request }: Visit,
): Promise<LinkDetails | null> {
  const { database } = context.resources;
  const link = await findOpenLink(database, hashesOf(context, token), request.now);
  const account = link && (await findAccountById(database, link.userId, request.address(), request.now));
  if (!account || account.disabledAt !== null) return null;
  const organization = await findActiveOrganization({ query: database.select }, account.id);
  return {
    kind: "sign_in",
    email: account.email,
    organization: organization?.name ?? null,
    role: organization?.role ?? null,
    inviter: null,
  };
}
