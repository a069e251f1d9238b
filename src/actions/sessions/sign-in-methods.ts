import type { User } from "../../access/principal.js";
import type { Change } from "../../data/cache/changes.js";
import type { SqlSession } from "../../data/database/types.js";
import { isUniqueViolation } from "../../data/database/unique-violation.js";
import { isProven } from "../../data/domains/write-domains.js";
import { resetPreferences } from "../../data/notifications/preferences.js";
import { acceptInvitation, findOpenInvitation } from "../../data/people/invitations.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { findOpenLink, spendLink } from "../../data/people/sign-in-links.js";
import type { OwnOrganization } from "../../data/people/users.js";
import { confirmEmail } from "../../data/people/write-addresses.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { changePassword } from "../../data/people/write-users.js";
import { findConnection } from "../../data/sso/connections.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { foldEmail } from "../../domain/people/email.js";
import { SsoRefusal } from "../../domain/sso/sso-refusals.js";
import type { AppError } from "../../errors.js";
import { deadChallenge, noInvitation, wrongCredentials, wrongLink } from "../accounts/account-errors.js";
import { type AccountsContext, type ClientInfo, hashesOf } from "../accounts/context.js";
import {
  type CredentialsEvent,
  type CredentialsMailKind,
  notifyOfCredentials,
} from "../notifications/security.js";
import { admitPerson, type NamedPerson, SignInConflict } from "../sso/admit.js";
import type { SessionIdentity } from "./begin-session.js";

/**
 * A sign-in method that a user has passed. Once the user has also given the second factor, its conditions are checked
 * again and its effects applied.
 */
export type SignInMethod =
  | { readonly kind: "password" | "passkey" }
  /** `passwordHash` is that of a new password; null to keep the current one. */
  | { readonly kind: "link"; readonly token: string; readonly passwordHash: string | null }
  | { readonly kind: "invitation"; readonly token: string; readonly organizationId: string }
  /** `version` is that of the connection, `domain` that of the e-mail address that the provider named. */
  | {
      readonly kind: "provider";
      readonly connectionId: string;
      readonly organizationId: string;
      readonly version: number;
      readonly domain: string;
      readonly person: NamedPerson;
    };

/** A user who is signing in or changing credentials, whose row is locked. */
export interface SignInContext {
  readonly context: Pick<AccountsContext, "resources">;
  readonly sql: SqlSession;
  readonly client: ClientInfo;
  readonly account: User & { readonly isConfirmed: boolean };
}

/** Returns the user of a session as the account of a `SignInContext`. */
export const userOf = ({ user }: Pick<StoredSession, "user">): SignInContext["account"] => ({
  ...user,
  isConfirmed: user.restrictedFrom === null,
});

/** Notifies a user that this request changed how they sign in, or misused it. */
export const notifyUser = (
  { context, sql, account, client: { request } }: SignInContext,
  kind: CredentialsMailKind,
  title: string,
  affected: Pick<CredentialsEvent, "addition" | "removed"> = {},
): Promise<void> => {
  const event = { ...affected, account, kind, title, address: request.address(), now: request.now };
  return notifyOfCredentials(context.resources, sql, event);
};

/** Effects of a sign-in method on the session. */
interface SignInEffect {
  /** The organization that is active in the session; by default, the last active one. */
  readonly active?: Pick<OwnOrganization, "id" | "slug" | "name">;
  /** The identity whose provider begins the session. */
  readonly identity?: SessionIdentity;
  /** Change to note after COMMIT. */
  readonly change?: Change;
}

/** Creates the error for an account that has changed since its sign-in method was checked. */
export const refuseSignIn = ({ kind }: SignInMethod): AppError =>
  kind === "link" ? wrongLink() : wrongCredentials();

/** Returns the audit action of a sign-in method's updates. */
export const actionOf = ({ kind }: SignInMethod): AuditAction | undefined =>
  kind === "link" ? "user.password_changed" : undefined;

/**
 * Applies the effects of a sign-in method, and uses up its link or invitation. Throws if that can no longer be used,
 * and INVALID_CREDENTIALS if the provider's settings have changed.
 */
export function applySignInMethod(signIn: SignInContext, entry: SignInMethod): Promise<SignInEffect> {
  if (entry.kind === "link") return useSignInLink(signIn, entry);
  if (entry.kind === "invitation") return useInvitation(signIn, entry);
  if (entry.kind === "provider") return useProvider(signIn, entry);
  return Promise.resolve({});
}

async function useProvider(
  { context, ...signIn }: SignInContext,
  { connectionId, organizationId, version, domain, person }: Extract<SignInMethod, { kind: "provider" }>,
): Promise<SignInEffect> {
  const connection = await findConnection({ select: signIn.sql.query }, connectionId);
  if (connection === null || connection.enabledAt === null || connection.version !== version)
    throw deadChallenge();
  if (!(await isProven({ select: signIn.sql.query }, organizationId, domain))) throw deadChallenge();
  const { resources } = context;
  const admitted = await admitPerson({ ...signIn, resources, connection, person }).catch((error: unknown) => {
    const isRefused =
      error instanceof SsoRefusal || error instanceof SignInConflict || isUniqueViolation(error);
    throw isRefused ? deadChallenge() : error;
  });
  return { ...admitted, change: { table: null, organizationId: connection.organizationId } };
}

async function useSignInLink(
  signIn: SignInContext,
  { token, passwordHash }: Extract<SignInMethod, { kind: "link" }>,
): Promise<SignInEffect> {
  const { context, sql, client, account } = signIn;
  const { now } = client.request;
  const link = await findOpenLink({ select: sql.query }, hashesOf(context, token), now);
  if (link?.userId !== account.id || !(await spendLink(sql, link.id, now))) throw wrongLink();
  // Only commands create these links: the operator vouches for the address.
  if (passwordHash !== null && !account.isConfirmed) await resetPreferences(sql, account.id);
  await confirmEmail(sql, account.id, now);
  if (passwordHash === null) return {};
  await changePassword(sql, account.id, passwordHash, now);
  await endSessionsOf(sql, account.id, now);
  const confirmed = { ...signIn, account: { ...account, isConfirmed: true } };
  await notifyUser(confirmed, "password_changed", "A sign-in link was used, and your password was changed");
  return { change: { table: "sessions", organizationId: null } };
}

async function useInvitation(
  { context, sql, client, account }: SignInContext,
  { token }: Extract<SignInMethod, { kind: "invitation" }>,
): Promise<SignInEffect> {
  const { now } = client.request;
  const invitation = await findOpenInvitation({ select: sql.query }, hashesOf(context, token), now);
  if (invitation === null || foldEmail(invitation.email) !== foldEmail(account.email)) throw noInvitation();
  if (!(await acceptInvitation(sql, invitation, account.id, now))) throw noInvitation();
  const { organization } = invitation;
  return { active: organization, change: { table: null, organizationId: organization.id } };
}
