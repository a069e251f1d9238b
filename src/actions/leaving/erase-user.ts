import { write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import { type AccountRow, findAccount } from "../../data/people/accounts.js";
import { countMentions, eraseAccount, listHeldOrganizations } from "../../data/people/erase-account.js";
import { ActionError } from "../action-error.js";
import { refuseUnknownUser } from "../people/sign-in-links.js";

/** An erased account. */
export interface Erasure {
  readonly id: string;
  /** Number of rows that still contain the name or the address, by table and column. */
  readonly mentions: Readonly<Record<string, number>>;
}

/**
 * Erases an account once `confirm` has received it and resolved. Throws ActionError for an unknown address, and for the
 * last owner or a break-glass owner of an organization.
 */
export async function eraseUser(
  database: Database,
  email: string,
  now: Date,
  confirm: (account: AccountRow) => Promise<void>,
): Promise<Erasure> {
  const account = (await findAccount(database, email)) ?? refuseUnknownUser(email);
  await database.transaction((sql) => requireReplaceable(sql, account));
  await confirm(account);
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

async function requireReplaceable(sql: Pick<SqlSession, "query">, { id, email }: AccountRow): Promise<void> {
  const [held] = await listHeldOrganizations(sql, id);
  if (held === undefined) return;
  const message = held.isBreakGlass
    ? `${email} is a break-glass owner of ${held.slug}. First choose others, or run sso disable.`
    : `${email} is the last owner of ${held.slug}. First make someone else an owner (users create --organization ${held.slug} --role owner), or delete the organization.`;
  throw new ActionError("CONFLICT", "user", message);
}
