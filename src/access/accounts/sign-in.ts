import { write } from "../../data/database/transaction.js";
import { findAccountByEmail } from "../../data/people/users.js";
import { updatePasswordHash } from "../../data/people/write-users.js";
import { beginSession, type SignedIn } from "./begin-session.js";
import { checkPassword, holdAccount } from "./check-password.js";
import { type AccountsContext, type Transport, type Visit, writerOf } from "./context.js";
import { wrongCredentials } from "./refusals.js";

export interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly transport: Transport;
}

/** Signs a person in with a password. Its hash is made anew if it was made with other parameters than today's. */
export async function signIn(
  context: AccountsContext,
  { email, password, transport }: SignInRequest,
  visit: Visit,
): Promise<SignedIn> {
  const { resources, passwords } = context;
  const { request } = visit;
  const found = await findAccountByEmail(resources.database, email, request.address(), request.now);
  const account = await checkPassword(context, visit, found, { email, password });
  const isOutdated = account.passwordHash !== null && passwords.isOutdated(account.passwordHash);
  const hash = isOutdated ? await passwords.hash(password) : null;
  return write(resources.database, writerOf(account, visit), async (sql) => {
    if (!(await holdAccount(sql, account))) throw wrongCredentials();
    if (hash !== null) await updatePasswordHash(sql, account.id, hash);
    return beginSession(context, sql, visit, account, transport);
  });
}
