import { randomUUID } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import { type AccountRow, findAccount } from "../../data/people/accounts.js";
import {
  countMentions,
  eraseAccount,
  erasePerson,
  isInvited,
  isOnlySuperAdmin,
  listHeldOrganizations,
} from "../../data/people/erase-account.js";
import { ActionError } from "../action-error.js";
import { refuseUnknownUser } from "../people/sign-in-links.js";

/** An erased account, or the erased invitations of somebody who has none. */
export interface Erasure {
  /** Null without an account. */
  readonly id: string | null;
  /** Number of rows that still contain the name or the address, by table and column. */
  readonly mentions: Readonly<Record<string, number>>;
}

/** A person to erase. */
export type ErasedPerson = Pick<AccountRow, "email" | "name"> & { readonly isOnlySuperAdmin: boolean };

/**
 * Erases an account, or the invitations of somebody who has none, once `confirm` has received it and resolved. Throws
 * ActionError for an unknown address, and for the last owner or a break-glass owner of an organization.
 */
export async function eraseUser(
  database: Database,
  email: string,
  now: Date,
  confirm: (person: ErasedPerson) => Promise<void>,
): Promise<Erasure> {
  const account = await findAccount(database, email);
  if (account === null) {
    if (!(await database.transaction((sql) => isInvited(sql, email)))) refuseUnknownUser(email);
    return eraseInvited(database, email, confirm);
  }
  const isOnlyAdmin = await database.transaction(async (sql) => {
    await requireReplaceable(sql, account);
    return isOnlySuperAdmin(sql, account.id);
  });
  await confirm({ ...account, isOnlySuperAdmin: isOnlyAdmin });
  return write(
    database,
    "users erase",
    async (sql) => {
      await requireReplaceable(sql, account);
      await eraseAccount(sql, account, now);
      return { id: account.id, mentions: await countMentions(sql, [account.email, account.name]) };
    },
    undefined,
    { mayTakeLong: true },
  );
}

async function eraseInvited(
  database: Database,
  email: string,
  confirm: (person: ErasedPerson) => Promise<void>,
): Promise<Erasure> {
  // Stands for the person in what is kept, such as a request to a verifier.
  const person = { id: randomUUID(), email, name: email };
  await confirm({ ...person, isOnlySuperAdmin: false });
  return write(
    database,
    "users erase",
    async (sql) => {
      if ((await findAccount({ select: sql.query }, email)) !== null)
        throw new ActionError("CONFLICT", "user", `${email} has an account now. Run the command again.`);
      await erasePerson(sql, person);
      return { id: null, mentions: await countMentions(sql, [email]) };
    },
    undefined,
    { mayTakeLong: true },
  );
}

async function requireReplaceable(sql: Pick<SqlSession, "query">, { id, email }: AccountRow): Promise<void> {
  const [held] = await listHeldOrganizations(sql, id);
  if (held === undefined) return;
  const message = held.isBreakGlass
    ? `${email} is a break-glass owner of ${held.slug}. First choose others, or run sso disable.`
    : `${email} is the last owner of ${held.slug}. First make someone else an owner (users create --organization ${held.slug} --role owner), or delete the organization.`;
  throw new ActionError("CONFLICT", "user", message);
}
