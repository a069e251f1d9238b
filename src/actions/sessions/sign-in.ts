import { findAccountByEmail } from "../../data/people/users.js";
import { checkPassword } from "../accounts/check-password.js";
import { type AccountsContext, type ClientInfo, guessOf, type Transport } from "../accounts/context.js";
import { type SignInOutcome, signInOrChallenge } from "./sign-in-or-challenge.js";

export interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly transport: Transport;
}

/**
 * Signs a user in with a password, or returns a challenge for the second factor. Hashes the password again if the
 * parameters have changed since.
 */
export async function signIn(
  context: AccountsContext,
  { email, password, transport }: SignInRequest,
  client: ClientInfo,
): Promise<SignInOutcome> {
  const { resources, passwords } = context;
  const { request } = client;
  const found = await findAccountByEmail(resources.database, email, request.address(), request.now);
  const guess = guessOf(client, email, found);
  const account = await checkPassword(context, guess, found, password);
  const isOutdated = account.passwordHash !== null && passwords.isOutdated(account.passwordHash);
  const rehashed = isOutdated ? await passwords.hash(password, guess) : null;
  return signInOrChallenge(context, client, account, { entry: { kind: "password" }, transport, rehashed });
}
