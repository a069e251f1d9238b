import { setAuditAction } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import {
  type AccountState,
  hasOtherOwner,
  lockAccount,
  setDisabled,
} from "../../data/directory/write-users.js";
import { cancelChangeMails } from "../../data/notifications/mail-jobs.js";
import { resetPreferences } from "../../data/notifications/preferences.js";
import { endLinksOf } from "../../data/people/mail-links.js";
import { lockMember } from "../../data/people/members.js";
import { confirmEmail } from "../../data/people/write-addresses.js";
import { endSessionsOf } from "../../data/people/write-sessions.js";
import { changePassword } from "../../data/people/write-users.js";
import { removeFactors } from "../../data/second-factors/factors.js";
import { isBreakGlass } from "../../data/sso/enforcement.js";
import { ScimFault } from "../../domain/directory/fault.js";

/** A member of an organization, and the time of the request. */
export interface MemberAt {
  readonly organizationId: string;
  readonly userId: string;
  readonly now: Date;
}

async function endAccess(sql: SqlSession, { userId, now }: MemberAt): Promise<void> {
  await endSessionsOf(sql, userId, now);
  await endLinksOf(sql, userId, now);
  await cancelChangeMails(sql, userId);
}

/** Throws a fault for the last owner and for break-glass owners, whom the directory must not disable. */
async function requireMayDisable(sql: SqlSession, { organizationId, userId }: MemberAt): Promise<void> {
  const member = await lockMember(sql, organizationId, userId);
  if (await isBreakGlass(sql, organizationId, userId))
    throw new ScimFault(
      403,
      "mutability",
      "This user is a break-glass owner for single sign-on and cannot be disabled.",
    );
  if (member?.role !== "owner" || (await hasOtherOwner(sql, organizationId, userId))) return;
  throw new ScimFault(403, "mutability", "This is the only owner. Make somebody else an owner first.");
}

/**
 * Enables or disables an account of the directory. Disabling ends its sessions, challenges and links, except one that
 * undoes a change of its address. Throws a fault when enabling an account that the operator disabled, and when disabling
 * the last owner or a break-glass owner.
 */
export async function setActive(sql: SqlSession, target: MemberAt, active: boolean): Promise<void> {
  const { organizationId, userId, now } = target;
  const account = await lockAccount(sql, userId);
  if (account === null || (account.disabledAt === null) === active) return;
  if (active) {
    requireNotDisabledByOperator(account);
    await setDisabled(sql, organizationId, userId, null);
    return;
  }
  await requireMayDisable(sql, target);
  await setDisabled(sql, organizationId, userId, now);
  await endAccess(sql, target);
}

/** Throws a fault for an account that the operator has disabled. */
export function requireNotDisabledByOperator({ disabledAt, disabledBy }: AccountState): void {
  if (disabledAt === null || disabledBy !== null) return;
  throw new ScimFault(403, "mutability", "The operator has disabled this account.");
}

/** Takes over an account with an unconfirmed address: removes its creator's password, factors, sessions and links. */
export async function takeOver(sql: SqlSession, target: MemberAt): Promise<void> {
  const { organizationId, userId, now } = target;
  await setDisabled(sql, organizationId, userId, now);
  await endAccess(sql, target);
  await setDisabled(sql, organizationId, userId, null);
  await setAuditAction(sql, "password.removed");
  await changePassword(sql, userId, null, now);
  await resetPreferences(sql, userId);
  await removeFactors(sql, { id: userId }, now);
  await setAuditAction(sql, "email.confirmed");
  await confirmEmail(sql, userId, now);
}
