import { randomUUID } from "node:crypto";
import { requireScopes } from "../../access/require-scopes.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { findGroupRole, usesGroups } from "../../data/directory/write-groups.js";
import { lockOrganizationRow } from "../../data/organizations/lock-row.js";
import { deleteMember, hasOwner, lockMember, type MemberRow, updateRole } from "../../data/people/members.js";
import { isBreakGlass } from "../../data/sso/enforcement.js";
import { ROLE_SCOPES, type Role } from "../../domain/people/roles.js";
import { ActionError, requireFound } from "../action-error.js";
import { type ActorContext, describeCaller, requireRecent } from "../actor-context.js";
import { notifyOfSecurity } from "../notifications/security.js";

/** Throws FORBIDDEN unless the caller may change and remove members with a role. */
export function requireAuthority({ principal }: ActorContext, role: Role): void {
  requireScopes(principal, [["manage:members"]]);
  if (role === "owner") requireScopes(principal, [["manage:organization"]]);
}

/** Throws FORBIDDEN unless the caller may give somebody a role: nobody grants a scope that they lack. */
export function requireGrantable(caller: ActorContext, role: Role): void {
  requireAuthority(caller, role);
  const { principal } = caller;
  requireScopes(principal, [ROLE_SCOPES[role].filter((scope) => !principal.scopes.includes(scope))]);
}

/**
 * Changes a member's role. Throws FORBIDDEN unless the caller may take the old role and give the new one, and
 * REAUTHENTICATION_REQUIRED.
 * Throws ActionError if the user is not a member, is the last owner or a break-glass one, or gets a different role from
 * directory groups.
 */
export function changeMemberRole(caller: ActorContext, userId: string, role: Role): Promise<MemberRow> {
  return changeMember(caller, userId, async (sql, member, organizationId) => {
    requireAuthority(caller, member.role);
    requireGrantable(caller, role);
    requireRecent(caller);
    if (role !== "owner") {
      await requireRoleOfGroups(sql, organizationId, userId, role);
      await requireNoBreakGlass(sql, organizationId, userId);
    }
    await updateRole(sql, organizationId, userId, role);
    if (role !== member.role) await notifyOfRole(caller, sql, member, role);
    return { ...member, role };
  });
}

/** Throws CONFLICT if directory groups give a user a different role. */
async function requireRoleOfGroups(
  sql: SqlSession,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  if (!(await usesGroups(sql, organizationId))) return;
  const given = await findGroupRole(sql, organizationId, userId);
  if (given === null || given === role) return;
  const message = `Directory groups give this user the role ${given}. Change the groups at the identity provider, or their roles.`;
  throw new ActionError("CONFLICT", "user", message, "role");
}

/** Throws CONFLICT for a break-glass owner, who must be able to sign in if the provider fails. */
async function requireNoBreakGlass(sql: SqlSession, organizationId: string, userId: string): Promise<void> {
  if (!(await isBreakGlass(sql, organizationId, userId))) return;
  const message =
    "This is a break-glass owner of single sign-on. Enforce single sign-on with other break-glass owners first.";
  throw new ActionError("CONFLICT", "user", message);
}

const notifyOfRole = (caller: ActorContext, sql: SqlSession, member: MemberRow, role: Role) => {
  const { writer, principal, now } = caller;
  return notifyOfSecurity(sql, {
    organizationId: writer.organizationId,
    to: { users: [member.userId] },
    key: `role changed ${randomUUID()}`,
    now,
    title: `Your role in ${principal.organization.name} is now ${role}`,
    summary: `Your role in an organization is now ${role}`,
    body: `It was ${member.role}. ${describeCaller(caller)} changed it.`,
    link: "/console/settings/members",
  });
};

/**
 * Removes a member, and ends the member's sessions in the organization. Any member may leave. Removing other members
 * throws FORBIDDEN unless the user may manage their role, and REAUTHENTICATION_REQUIRED. Throws ActionError if the user
 * is not a member, or is the last owner or a break-glass one.
 */
export function removeMember(caller: ActorContext, userId: string): Promise<MemberRow> {
  const isLeaving = userId.toLowerCase() === caller.writer.actor.id;
  if (!isLeaving) requireScopes(caller.principal, [["manage:members"]]);
  return changeMember(caller, userId, async (sql, member, organizationId) => {
    if (!isLeaving) {
      requireAuthority(caller, member.role);
      requireRecent(caller);
    }
    await requireNoBreakGlass(sql, organizationId, userId);
    await deleteMember(sql, organizationId, userId, caller.now);
    return member;
  });
}

/** Changes a member of the user's organization. Throws ActionError if the change would leave it without an owner. */
function changeMember(
  { resources, writer }: ActorContext,
  userId: string,
  change: (sql: SqlSession, member: MemberRow, organizationId: string) => Promise<MemberRow>,
): Promise<MemberRow> {
  const { organizationId } = writer;
  // Users who leave or change their own role lose the rights that the check after the change would require.
  const { requireRights, ...leaver } = writer;
  const by = userId.toLowerCase() === writer.actor.id ? leaver : writer;
  return write(resources.database, by, async (sql) => {
    // Directory updates of roles wait for the same lock.
    await lockOrganizationRow(sql, organizationId);
    const member = requireFound(await lockMember(sql, organizationId, userId), "user", userId, "member");
    const changed = await change(sql, member, organizationId);
    if (await hasOwner(sql, organizationId)) return changed;
    throw new ActionError("CONFLICT", "user", "This is the only owner. Make somebody else an owner first.");
  });
}
