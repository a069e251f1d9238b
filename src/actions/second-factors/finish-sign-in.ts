import { write } from "../../data/database/transaction.js";
import { findAccountById } from "../../data/people/users.js";
import { deadChallenge } from "../accounts/account-errors.js";
import { type AccountsContext, type ClientInfo, type Transport, writerOf } from "../accounts/context.js";
import type { SignedIn } from "../sessions/begin-session.js";
import { actionOf } from "../sessions/sign-in-methods.js";
import { completeSignIn, organizationOf } from "../sessions/sign-in-or-challenge.js";
import {
  describeSignInChallenge,
  isSpent,
  noteChallengeFailure,
  openChallenge,
  type SignInChallenge,
  spendChallenge,
} from "./challenges.js";
import { readOwnFactors } from "./own-factors.js";
import { type CodeProof, completeProof, lockFactors, type PasskeyProof, useFactor } from "./use-factor.js";

export type FactorRequest = (CodeProof | Pick<PasskeyProof, "response">) & {
  readonly challenge: string;
  /** Defaults to the transport with which the sign-in began. */
  readonly transport?: Transport | undefined;
};

/**
 * Signs in a user who gives the second factor for a challenge. Rejects with INVALID_CREDENTIALS if the factor is wrong,
 * or if the challenge cannot be used; `details` then name `challenge`. Rejects with RATE_LIMIT_EXCEEDED after too many
 * wrong codes.
 */
export async function finishSignIn(
  context: AccountsContext,
  { challenge: token, transport, ...given }: FactorRequest,
  client: ClientInfo,
): Promise<SignedIn> {
  const { database } = context.resources;
  const { request } = client;
  const { now } = request;
  const challenge = await openChallenge(context, client, "sign-in", token);
  const { userId, entry, transport: initialTransport, webauthn } = challenge.content;
  const account = await findAccountById(database, userId, request.address(), now);
  if (account === null) throw deadChallenge();
  // Failures are returned rather than thrown, so that their count is committed.
  const result = await write(
    database,
    writerOf(account, client, organizationOf(entry)),
    async (sql) => {
      const factors = await lockFactors(sql, userId, now);
      if (factors === null || !challenge.isAuthentic(factors) || (await isSpent(sql, challenge)))
        return deadChallenge();
      const signIn = { context, sql, client, account };
      const refusal = await useFactor(signIn, factors, completeProof(given, webauthn ?? ""));
      if (refusal !== null) {
        await noteChallengeFailure(sql, challenge);
        return refusal;
      }
      await spendChallenge(sql, challenge);
      // Sessions that a provider begins are always browser sessions.
      const sessionTransport = entry.kind === "provider" ? initialTransport : (transport ?? initialTransport);
      return completeSignIn(signIn, { entry, transport: sessionTransport, factorAt: now });
    },
    actionOf(entry),
  );
  if (result instanceof Error) throw result;
  return result.finish();
}

/**
 * Describes a challenge by its token, even a used one. Rejects with INVALID_CREDENTIALS if it is unknown or expired, or
 * if the account has changed.
 */
export async function readSignInChallenge(
  context: AccountsContext,
  token: string,
  client: ClientInfo,
): Promise<SignInChallenge> {
  const { isAuthentic, content, expiresAt } = await openChallenge(context, client, "sign-in", token);
  const factors = await readOwnFactors(context, { user: { id: content.userId } }, client);
  if (!isAuthentic(factors)) throw deadChallenge();
  return describeSignInChallenge(client, { token, expiresAt, webauthn: content.webauthn }, factors);
}
