import type { SqlSession } from "../../data/database/types.js";
import type { Account } from "../../data/people/users.js";
import { lockUser } from "../../data/people/write-users.js";
import type { AccountsContext, Visit } from "./context.js";
import { wrongCredentials } from "./refusals.js";

/**
 * Returns the account whose password was given. Rejects with INVALID_CREDENTIALS if there is none, the password is wrong or
 * the account is disabled, always after as long, and with RATE_LIMIT_EXCEEDED after too many failures. So nobody learns
 * who has an account, or that a password was right.
 */
export async function checkPassword(
  { passwords, guessing }: AccountsContext,
  { request }: Visit,
  account: Account | null,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Account> {
  const guess = { email, address: request.address(), isKnownAddress: account?.isKnownAddress ?? false };
  await guessing.attempt(guess);
  const isRight = await passwords.verify(password, account?.passwordHash ?? null).catch(async (error) => {
    await guessing.forgive(guess);
    throw error;
  });
  if (!isRight || account === null || account.disabledAt !== null) throw wrongCredentials();
  await guessing.forgive(guess);
  return account;
}

/**
 * Whether an account still has the password that was checked, and is not disabled; it stays so until the transaction ends.
 * Otherwise a session could begin with a password that is being changed, and outlive the change.
 */
export async function holdAccount(sql: SqlSession, { id, passwordHash }: Account): Promise<boolean> {
  const user = await lockUser(sql, id);
  return user !== null && user.passwordHash === passwordHash && user.disabledAt === null;
}
