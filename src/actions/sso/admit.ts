import type { SqlSession } from "../../data/database/types.js";
import { findGroupRole, usesGroups } from "../../data/directory/write-groups.js";
import { readDefaultRole } from "../../data/directory/write-users.js";
import { findOrganizationById } from "../../data/organizations/organizations.js";
import { insertMember, lockMember, updateRole } from "../../data/people/members.js";
import type { Connection } from "../../data/sso/connections.js";
import { recordEvent } from "../../data/sso/events.js";
import {
  findIdentity,
  findIdentityOf,
  insertIdentity,
  recordIdentityUse,
} from "../../data/sso/identities.js";
import type { Role } from "../../domain/people/roles.js";
import type { ClaimedRole } from "../../domain/sso/role-rules.js";
import { SsoRefusal } from "../../domain/sso/sso-refusals.js";
import type { ClientInfo } from "../accounts/context.js";
import type { MailQueue } from "../notifications/link-mail.js";
import { notifyOfCredentials } from "../notifications/security.js";

/** A person as described by a provider. */
export interface NamedPerson {
  readonly subject: string;
  /** Hash of the provider's id of the session; null without one. */
  readonly sidHash: string | null;
  /** Role derived from the claims. */
  readonly role: ClaimedRole;
}

/** A sign-in by a provider to an account whose row is locked. */
export interface ProviderAdmission {
  readonly resources: MailQueue;
  readonly sql: SqlSession;
  readonly client: ClientInfo;
  readonly account: { readonly id: string; readonly email: string; readonly isConfirmed: boolean };
  readonly connection: Pick<Connection, "id" | "organizationId">;
  readonly person: NamedPerson;
}

/** Another sign-in added or linked the account after the lookup. */
export class SignInConflict extends Error {}

/**
 * Finds the identity of the account at the provider; null if the account can be linked. Throws SsoRefusal if the
 * account's address is unconfirmed or it has another subject, and SignInConflict if the subject belongs to another
 * account.
 */
export async function findOwnIdentity({
  sql,
  account,
  connection,
  person,
}: ProviderAdmission): Promise<string | null> {
  const existing = await findIdentity(sql, connection.id, person.subject);
  if (existing !== null && existing.userId !== account.id) throw new SignInConflict();
  if (existing !== null) return existing.id;
  if (!account.isConfirmed) throw new SsoRefusal("account_unconfirmed");
  if ((await findIdentityOf(sql, connection.id, account.id)) !== null)
    throw new SsoRefusal("identity_conflict");
  return null;
}

/**
 * Applies the effects of a sign-in by a provider: links the account at the first sign-in, and makes the person a member
 * with the role of the groups or claims. Returns the organization and identity of the session to begin. Throws like
 * `findOwnIdentity`.
 */
export async function admitPerson(admission: ProviderAdmission) {
  const { sql, client, account, connection, person } = admission;
  const { organizationId } = connection;
  const { now } = client.request;
  const id = (await findOwnIdentity(admission)) ?? (await link(admission));
  await recordIdentityUse(sql, id, now);
  await setRole(sql, organizationId, account.id, person.role);
  await recordEvent(sql, { organizationId, action: "sso.signed_in", targetId: account.id }, now);
  const active = await findOrganizationById(sql, organizationId);
  if (active === null) throw new SsoRefusal("state");
  return { active, identity: { id, sidHash: person.sidHash } };
}

/** Links an account to the subject, and notifies its user. */
async function link({
  resources,
  sql,
  client,
  account,
  connection,
  person,
}: ProviderAdmission): Promise<string> {
  const { id: userId } = account;
  const { id: connectionId, organizationId } = connection;
  const { now } = client.request;
  const id = await insertIdentity(sql, { connectionId, subject: person.subject, userId }, now);
  await recordEvent(sql, { organizationId, action: "sso.linked", targetId: userId }, now);
  const title = "Single sign-on was added to your account";
  const address = client.request.address();
  const addition = { kind: "identity", id } as const;
  await notifyOfCredentials(resources, sql, { account, kind: "sso_linked", title, address, addition, now });
  return id;
}

/** Makes a user a member with the role of the groups or claims. Owners keep their role. */
async function setRole(
  sql: SqlSession,
  organizationId: string,
  userId: string,
  claimed: ClaimedRole,
): Promise<void> {
  const member = await lockMember(sql, organizationId, userId);
  const role = await findRole(sql, organizationId, userId, claimed);
  if (member === null) await insertMember(sql, organizationId, userId, role);
  else if (member.role !== "owner" && member.role !== role)
    await updateRole(sql, organizationId, userId, role);
}

/**
 * Returns the role of a non-owner. If the organization uses groups, it comes from them, or else is the default role;
 * otherwise it comes from the claims.
 */
export async function findRole(
  sql: SqlSession,
  organizationId: string,
  userId: string | undefined,
  claimed: ClaimedRole,
): Promise<Role> {
  if (!(await usesGroups(sql, organizationId))) return claimed;
  return (
    (userId && (await findGroupRole(sql, organizationId, userId))) || readDefaultRole(sql, organizationId)
  );
}
