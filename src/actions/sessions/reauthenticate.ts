import { requireRecentProof } from "../../access/principal.js";
import { unauthenticated } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import type { StoredSession } from "../../data/people/sessions.js";
import { findAccountById } from "../../data/people/users.js";
import { endSessionsOf, recordAuthentication, renewSession } from "../../data/people/write-sessions.js";
import { changePassword as storePassword } from "../../data/people/write-users.js";
import { recordFactorGiven } from "../../data/second-factors/factors.js";
import { findPasswordFault } from "../../domain/people/password-rules.js";
import { deadChallenge, noPassword, requireNoFaults, wrongCredentials } from "../accounts/account-errors.js";
import { checkPassword, lockCheckedAccount } from "../accounts/check-password.js";
import { type AccountsContext, type ClientInfo, guessOf, writerOf } from "../accounts/context.js";
import { openChallenge, spendChallenge } from "../second-factors/challenges.js";
import {
  type CodeProof,
  completeProof,
  lockFactors,
  type PasskeyProof,
  useFactor,
} from "../second-factors/use-factor.js";
import { lockActiveSession } from "./active-session.js";
import { notifyUser, userOf } from "./sign-in-methods.js";
import { createTokens, type IssuedSession } from "./tokens.js";

/** A password, or a second factor, given again. */
export type Reauthentication =
  | { readonly password: string }
  | CodeProof
  | (Pick<PasskeyProof, "response"> & { readonly challenge: string });

/** Records that the session's user authenticated again, and replaces the session's tokens. */
export async function reauthenticate(
  context: AccountsContext,
  session: StoredSession,
  given: Reauthentication,
  client: ClientInfo,
): Promise<IssuedSession> {
  const { database, noteChange } = context.resources;
  const { user, organization } = session;
  const { now } = client.request;
  if ("password" in given) await checkOwnPassword(context, session, given.password, client);
  const challenge =
    "challenge" in given ? await openChallenge(context, client, "reauthenticate", given.challenge) : null;
  const result = await write(database, writerOf(user, client), async (sql) => {
    if ("password" in given) return renew(context, sql, session.id, now);
    const factors = await lockFactors(sql, user.id, now);
    if (factors === null) return unauthenticated("The account is disabled.");
    if (challenge !== null) {
      if (challenge.content.sessionId !== session.id || !challenge.isAuthentic(factors))
        return deadChallenge();
      await spendChallenge(sql, challenge);
    }
    const proof = completeProof(given, challenge?.content.webauthn ?? "");
    const refusal = await useFactor({ context, sql, client, account: userOf(session) }, factors, proof);
    if (refusal !== null) return refusal;
    await recordFactorGiven(sql, session.id, now);
    return renew(context, sql, session.id, now);
  });
  noteChange({ table: "sessions", organizationId: organization?.id ?? null });
  // Returned rather than thrown, so that wrong codes are counted.
  if (result instanceof Error) throw result;
  return result;
}

/**
 * Changes a user's password, ends the user's other sessions and replaces the tokens of this one. Rejects with
 * REAUTHENTICATION_REQUIRED if the user has a second factor and has not given it recently.
 */
export async function changePassword(
  context: AccountsContext,
  session: StoredSession,
  { current, next }: { readonly current: string; readonly next: string },
  client: ClientInfo,
): Promise<IssuedSession> {
  const { user, organization } = session;
  if (user.hasFactor) requireRecentProof({ session, hasFactor: true }, client.request.now);
  const owner = { email: user.email, ...(organization && { organization: organization.name }) };
  requireNoFaults({ new: findPasswordFault(next, owner) });
  const account = await checkOwnPassword(context, session, current, client);
  const { database, noteChange } = context.resources;
  const { now } = client.request;
  const hash = await context.passwords.hash(next, guessOf(client, account.email, account));
  const issued = await write(
    database,
    writerOf(account, client),
    async (sql) => {
      const locked = await lockCheckedAccount(sql, account);
      if (locked === null) throw wrongCredentials();
      // A second factor may have been added while the request body was arriving.
      if (locked.hasFactor)
        requireRecentProof({ session: await lockActiveSession(sql, session.id), hasFactor: true }, now);
      const renewed = await renew(context, sql, session.id, now);
      await storePassword(sql, account.id, hash, now);
      await endSessionsOf(sql, account.id, now, session.id);
      await notifyUser({ context, sql, client, account }, "password_changed", "Your password was changed");
      return renewed;
    },
    "user.password_changed",
  );
  noteChange({ table: "sessions", organizationId: null });
  return issued;
}

async function checkOwnPassword(
  context: AccountsContext,
  { user }: StoredSession,
  password: string,
  client: ClientInfo,
) {
  const { request } = client;
  const account = await findAccountById(context.resources.database, user.id, request.address(), request.now);
  if (account?.passwordHash === null) throw noPassword();
  const guess = guessOf(client, user.email, account);
  // This signs nobody in: even in a session started by a provider, users may prove their identity with their password.
  return checkPassword(context, guess, account, password, { isInSession: true });
}

/** Replaces the tokens of a session whose user has just authenticated. */
async function renew({ resources }: AccountsContext, sql: SqlSession, id: string, now: Date) {
  const session = await lockActiveSession(sql, id);
  const { proof, issue } = createTokens(session, resources.pepper, now);
  await renewSession(sql, id, session, proof, now);
  await recordAuthentication(sql, id, now);
  return issue(id);
}
