import { randomUUID } from "node:crypto";
import { setAuditAction } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { findDirectoryUser, listDirectoryUsers } from "../../data/directory/users.js";
import {
  addMembersToDirectory,
  isNameTaken,
  lockAccount,
  lockAccountByEmail,
  readDefaultRole,
  saveDirectoryUser,
} from "../../data/directory/write-users.js";
import { cancelChangeMails } from "../../data/notifications/mail-jobs.js";
import { canBeUndone, endLinksOf, endMailLink } from "../../data/people/mail-links.js";
import { deleteMember, insertMember } from "../../data/people/members.js";
import { renameUser } from "../../data/people/profile.js";
import { changeEmail, confirmEmail } from "../../data/people/write-addresses.js";
import { insertUser } from "../../data/people/write-users.js";
import { readInTransaction } from "../../data/tenant/reader.js";
import { refuse, ScimFault } from "../../domain/directory/fault.js";
import type { ListPage, ListRequest, RequireVersion } from "../../domain/directory/service.js";
import { type DirectoryUser, isSameUser, type UserFields, withActive } from "../../domain/directory/user.js";
import { foldEmail } from "../../domain/people/email.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { notifyOfReplacedAddress } from "../notifications/link-mail.js";
import type { DirectoryCaller } from "./admit.js";
import { requireNotDisabledByOperator, setActive, takeOver } from "./directory-accounts.js";
import { applyRoles, refuseUnknown, writeDirectory } from "./write-directory.js";

export const listUsers = (caller: DirectoryCaller, request: ListRequest): Promise<ListPage<DirectoryUser>> =>
  listDirectoryUsers(caller.tenant, caller.hosts, request);

/** Returns a user. Throws a fault if none in the organization's domains has this id. */
export async function getUser({ tenant, hosts }: DirectoryCaller, id: string): Promise<DirectoryUser> {
  return (isUuid(id) ? await findDirectoryUser(tenant, hosts, id) : null) ?? refuseUnknown("user", id);
}

function requireOwnAddress({ hosts }: DirectoryCaller, { email }: UserFields): void {
  const host = foldEmail(email.slice(email.lastIndexOf("@") + 1));
  if (hosts.includes(host)) return;
  refuse("invalidValue", "emails: expected an address in a proven domain of the organization");
}

const refuseTaken = (): never => {
  throw new ScimFault(409, "uniqueness", "Another user has this userName or this address.");
};

const readUser = async (sql: SqlSession, { writer, hosts }: DirectoryCaller, id: string) =>
  isUuid(id) ? findDirectoryUser(readInTransaction(sql, writer.organizationId), hosts, id) : null;

/**
 * Adds a person with an address in a proven domain as a member. Uses the account with this address if one exists.
 * Throws a fault for an address in another domain, for an account that the operator has disabled, without `active` for
 * a disabled account, and if a member already has the user name or the address.
 */
export function createUser(caller: DirectoryCaller, given: UserFields): Promise<DirectoryUser> {
  requireOwnAddress(caller, given);
  const { now, writer } = caller;
  const { organizationId } = writer;
  return writeDirectory(caller, async (sql) => {
    const account = await lockAccountByEmail(sql, given.email);
    if (await isNameTaken(sql, organizationId, null, given)) return refuseTaken();
    if (account) requireNotDisabledByOperator(account);
    const fields = withActive(given, account !== null && account.disabledAt !== null);
    const userId = account?.id ?? randomUUID();
    const target = { organizationId, userId, now };
    if (account === null) {
      const { email, name } = fields;
      const user = { id: userId, email, name, passwordHash: null };
      if ((await insertUser(sql, user, now)) === null) return refuseTaken();
      await setAuditAction(sql, "account.provisioned");
    }
    await insertMember(sql, organizationId, userId, await readDefaultRole(sql, organizationId));
    await saveDirectoryUser(sql, organizationId, userId, fields, now);
    if (account && !account.isConfirmed) await takeOver(sql, target);
    if (account === null) {
      await setAuditAction(sql, "email.confirmed");
      await confirmEmail(sql, userId, now);
    }
    await renameUser(sql, userId, fields.name);
    await setActive(sql, target, fields.active);
    return (await readUser(sql, caller, userId)) ?? refuseUnknown("user", userId);
  });
}

/**
 * Replaces a user's fields with those that `compute` returns for the current ones. Writes nothing if they are equal.
 * Throws a fault if `active` is missing for a user who is not active.
 */
export function changeUser(
  caller: DirectoryCaller,
  id: string,
  requireVersion: RequireVersion,
  compute: (former: DirectoryUser) => UserFields,
): Promise<DirectoryUser> {
  const { now, writer } = caller;
  const { organizationId } = writer;
  return writeDirectory(caller, async (sql) => {
    const former = (await readUser(sql, caller, id)) ?? refuseUnknown("user", id);
    requireVersion(former.version);
    const fields = withActive(compute(former), !former.active);
    if (isSameUser(former, fields)) return former;
    requireOwnAddress(caller, fields);
    const userId = former.id;
    if (await isNameTaken(sql, organizationId, userId, fields)) return refuseTaken();
    await setAuditAction(
      sql,
      fields.active === former.active
        ? "directory_user.updated"
        : fields.active
          ? "directory_user.reactivated"
          : "directory_user.deactivated",
    );
    // A change that brings a member into the directory counts as a single change.
    await addMembersToDirectory(sql, organizationId, [userId], now);
    await saveDirectoryUser(sql, organizationId, userId, fields, now);
    if (fields.name !== former.name) await renameUser(sql, userId, fields.name);
    if (fields.email !== former.email) await changeAddress(sql, caller, former, fields.email);
    await setActive(sql, { organizationId, userId, now }, fields.active);
    await applyRoles(sql, organizationId, [userId]);
    return (await readUser(sql, caller, userId)) ?? refuseUnknown("user", id);
  });
}

/**
 * Changes the address of an account at once, and notifies both addresses. First takes over an account with an
 * unconfirmed address, whose creator may be a stranger. Throws a fault while the owner of a former address can undo a
 * change.
 */
async function changeAddress(
  sql: SqlSession,
  { resources, request, writer, now }: DirectoryCaller,
  { id: userId, email: former }: DirectoryUser,
  email: string,
): Promise<void> {
  const account = await lockAccount(sql, userId);
  if (account?.isConfirmed === false) {
    requireNotDisabledByOperator(account);
    await takeOver(sql, { organizationId: writer.organizationId, userId, now });
  }
  if (await canBeUndone(sql, { id: userId, email: former }, now))
    throw new ScimFault(
      409,
      "mutability",
      "This user's address was changed less than 7 days ago, and the owner of the former one can undo that. Try again when 7 days have passed.",
    );
  await setAuditAction(sql, "email.changed");
  if (!(await changeEmail(sql, userId, email, now))) refuseTaken();
  await endLinksOf(sql, userId, now);
  await endMailLink(sql, userId, "cancel", now);
  await cancelChangeMails(sql, userId);
  const change = { userId, former, next: email, address: request.address(), now };
  await notifyOfReplacedAddress(resources, sql, change);
}

/**
 * Ends a user's membership and disables the account. Throws a fault for an unknown user, the last owner and break-glass
 * owners.
 */
export function deleteUser(
  caller: DirectoryCaller,
  id: string,
  requireVersion: RequireVersion,
): Promise<void> {
  const { now, writer } = caller;
  const { organizationId } = writer;
  return writeDirectory(caller, async (sql) => {
    const user = (await readUser(sql, caller, id)) ?? refuseUnknown("user", id);
    requireVersion(user.version);
    await addMembersToDirectory(sql, organizationId, [user.id], now);
    await setActive(sql, { organizationId, userId: user.id, now }, false);
    await deleteMember(sql, organizationId, user.id, now);
  });
}
