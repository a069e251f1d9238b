import type { Role } from "../../domain/people/roles.js";
import { AppError } from "../../errors.js";
import { requireRegistration } from "./account-errors.js";
import type { AccountsContext, ClientInfo } from "./context.js";
import { findOrganizationOf, findUsableLink } from "./follow-link.js";
import { findInvitation } from "./register-invited.js";

/** Account and organization of a link, shown before its holder follows it. */
export interface LinkDetails {
  readonly kind: "sign_in" | "invitation";
  readonly email: string;
  /** Name of the organization; null for a user without one. */
  readonly organization: string | null;
  readonly role: Role | null;
  /** Name of the inviting user or service account; null if the operator invited, and for a sign-in link. */
  readonly inviter: string | null;
}

/**
 * Describes a sign-in link or an invitation without using it up. Rejects with LINK_EXPIRED, whatever the reason, if the
 * link cannot be used, and with FORBIDDEN for an invitation while registration is closed. Does not reveal whether an
 * invited address has an account.
 */
export async function inspectLink(
  context: AccountsContext,
  token: string,
  client: ClientInfo,
): Promise<LinkDetails> {
  await context.countInspection(client.request.address());
  const invitation = await findInvitation(context, token, client);
  if (invitation !== null) {
    requireRegistration(context.registration, "invite");
    const { email, organization, role, inviter } = invitation;
    return { kind: "invitation", email, organization: organization.name, role, inviter };
  }
  const found = await findUsableLink(context, token, client);
  if (found === null)
    throw new AppError(
      "LINK_EXPIRED",
      "The link was used, replaced or revoked, or it has expired. Ask for another one.",
    );
  const { id, email } = found.account;
  const { name, role } = (await findOrganizationOf(context, id)) ?? {};
  return { kind: "sign_in", email, organization: name ?? null, role: role ?? null, inviter: null };
}
