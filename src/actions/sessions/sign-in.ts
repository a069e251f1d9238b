import { write } from "../../data/database/transaction.js";
import { findAccountByEmail } from "../../data/people/users.js";
import { updatePasswordHash } from "../../data/people/write-users.js";
import { checkPassword, holdAccount } from "../accounts/check-password.js";
import { type AccountsContext, guessOf, type Transport, type Visit, writerOf } from "../accounts/context.js";
import { wrongCredentials } from "../accounts/refusals.js";
import { beginSession, type SignedIn } from "./begin-session.js";

export interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly transport: Transport;
}

/** Signs a user in with a password. Hashes the password again if the parameters have changed since. */
export async function signIn(
  context: AccountsContext,
  { email, password, transport }: SignInRequest,
  visit: Visit,
): Promise<SignedIn> {
  const { resources, passwords } = context;
  const { request } = visit;
  const found = await findAccountByEmail(resources.database, email, request.address(), request.now);
  const guess = guessOf(visit, email, found);
  const account = await checkPassword(context, guess, found, password);
  const isOutdated = account.passwordHash !== null && passwords.isOutdated(account.passwordHash);
  const hash = isOutdated ? await passwords.hash(password, guess) : null;
  return write(resources.database, writerOf(account, visit), async (sql) => {
    if (!(await holdAccount(sql, account))) throw wrongCredentials();
    if (hash !== null) await updatePasswordHash(sql, account.id, hash);
    return beginSession(context, sql, visit, account, transport);
  });
}
