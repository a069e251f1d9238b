import { setAuditAction } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import {
  type AccountState,
  hasOtherOwner,
  lockAccount,
  revokeLinks,
  setDisabled,
} from "../../data/directory/write-users.js";
import { cancelChangeMails } from "../../data/notifications/mail-jobs.js";
import { resetPreferences } from "../../data/notifications/preferences.js";
import { lockMember } from "../../data/people/members.js";
import { confirmEmail } from "../../data/people/write-addresses.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { changePassword } from "../../data/people/write-users.js";
import { removeFactors } from "../../data/second-factors/factors.js";
import { isBreakGlass } from "../../data/sso/enforcement.js";
import { ScimFault } from "../../domain/directory/fault.js";

/** An account in an organization, at a time. */
export interface Place {
  readonly organizationId: string;
  readonly userId: string;
  readonly now: Date;
}

async function endAccess(sql: SqlSession, { userId, now }: Place): Promise<void> {
  await endSessionsOf(sql, userId, now);
  await revokeLinks(sql, userId, now);
  await cancelChangeMails(sql, userId);
}

/** Throws a fault unless the organization may disable a member: the last owner stays, and so do break-glass ones. */
async function requireDispensable(sql: SqlSession, { organizationId, userId }: Place): Promise<void> {
  const member = await lockMember(sql, organizationId, userId);
  if (await isBreakGlass(sql, organizationId, userId))
    throw new ScimFault(403, "mutability", "This is a break-glass owner of single sign-on.");
  if (member?.role !== "owner" || (await hasOtherOwner(sql, organizationId, userId))) return;
  throw new ScimFault(403, "mutability", "This is the only owner. Make somebody else an owner first.");
}

/**
 * Disables or enables an account that the directory holds, and ends its sessions, links and challenges. An account that the
 * operator disabled stays disabled.
 */
export async function setActive(sql: SqlSession, place: Place, active: boolean): Promise<void> {
  const { organizationId, userId, now } = place;
  const account = await lockAccount(sql, userId);
  if (account === null || (account.disabledAt === null) === active) return;
  if (active) {
    requireOwnDisabling(account);
    await setDisabled(sql, organizationId, userId, null);
    return;
  }
  await requireDispensable(sql, place);
  await setDisabled(sql, organizationId, userId, now);
  await endAccess(sql, place);
}

/** Throws a fault for an account that the operator has disabled. */
export function requireOwnDisabling({ disabledAt, disabledBy }: AccountState): void {
  if (disabledAt === null || disabledBy !== null) return;
  throw new ScimFault(403, "mutability", "The operator has disabled this account.");
}

/**
 * Takes over an account whose address nobody has confirmed: its creator loses the password, factors, sessions and
 * links.
 */
export async function takeOver(sql: SqlSession, place: Place): Promise<void> {
  const { organizationId, userId, now } = place;
  await setDisabled(sql, organizationId, userId, now);
  await endAccess(sql, place);
  await setDisabled(sql, organizationId, userId, null);
  await setAuditAction(sql, "password.removed");
  await changePassword(sql, userId, null, now);
  await resetPreferences(sql, userId);
  await removeFactors(sql, { id: userId }, now);
  await setAuditAction(sql, "email.confirmed");
  await confirmEmail(sql, userId, now);
}
