import type { SqlSession } from "../../data/database/types.js";
import type { Account } from "../../data/people/users.js";
import { type LockedUser, lockUser } from "../../data/people/write-users.js";
import { asQueryable, mustUseProvider } from "../../data/sso/enforcement.js";
import type { PasswordAttempt } from "../../domain/people/password-attempt.js";
import { wrongCredentials } from "./account-errors.js";
import type { AccountsContext } from "./context.js";

/**
 * Returns the account if `password` is its password. Rejects with INVALID_CREDENTIALS if there is no account, the
 * password is wrong or the account is disabled, and with RATE_LIMIT_EXCEEDED after too many failures or successes.
 * Every INVALID_CREDENTIALS takes about the same time, so the timing reveals neither who has an account nor whether a
 * password was right. Also refuses the password of a user who must sign in with an identity provider, unless
 * `isInSession` is true.
 */
export const checkPassword = (
  context: AccountsContext,
  guess: PasswordAttempt,
  account: Account | null,
  password: string,
  { isInSession = false }: { readonly isInSession?: boolean } = {},
): Promise<Account> =>
  countGuess(context, guess, async () => {
    const isRight = await context.passwords.verify(password, account?.passwordHash ?? null, guess);
    const isUsable = isRight && account !== null && account.disabledAt === null;
    // Counts as a wrong password, so the response reveals nothing.
    return isUsable && (isInSession || !(await isBound(context, account))) ? account : null;
  });

const isBound = ({ resources }: AccountsContext, account: Account) =>
  mustUseProvider(asQueryable(resources.database), account);

/**
 * Runs `check`, which hashes a password, and returns its result. If the result is null, counts a failure and rejects
 * with INVALID_CREDENTIALS. After too many failures, rejects with RATE_LIMIT_EXCEEDED without calling `check`; after
 * too many successes, it does so after the call.
 */
export async function countGuess<Result>(
  { guessing }: AccountsContext,
  guess: PasswordAttempt,
  check: () => Promise<Result | null>,
): Promise<Result> {
  await guessing.attempt(guess);
  const result = await check().catch(async (error) => {
    await guessing.forgive(guess);
    throw error;
  });
  if (result === null) throw wrongCredentials();
  await guessing.succeed(guess);
  return result;
}

/**
 * Locks an account until the transaction ends. Without the lock, a session that starts with the old password during a
 * password change would survive the change. Returns null if the account is disabled or no longer has the password that
 * was checked.
 */
export async function lockCheckedAccount(
  sql: SqlSession,
  { id, passwordHash }: Account,
): Promise<LockedUser | null> {
  const user = await lockUser(sql, id);
  return user?.passwordHash === passwordHash && user.disabledAt === null ? user : null;
}
