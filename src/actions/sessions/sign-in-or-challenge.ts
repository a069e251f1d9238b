import { write } from "../../data/database/transaction.js";
import type { Account } from "../../data/people/users.js";
import { recordAuthentication } from "../../data/people/write-sessions.js";
import { updatePasswordHash } from "../../data/people/write-users.js";
import { hasFactor, readFactors } from "../../data/second-factors/factors.js";
import { lockCheckedAccount } from "../accounts/check-password.js";
import { type AccountsContext, type ClientInfo, type Transport, writerOf } from "../accounts/context.js";
import { createSignInChallenge, type SignInChallenge } from "../second-factors/challenges.js";
import { beginSession, type SignedIn } from "./begin-session.js";
import {
  actionOf,
  applySignInMethod,
  notifyUser,
  refuseSignIn,
  type SignInContext,
  type SignInMethod,
} from "./sign-in-methods.js";

/** A sign-in that needs a second factor. */
export interface Challenged {
  readonly challenge: SignInChallenge;
}

export type SignInOutcome = SignedIn | Challenged;

/**
 * Signs in a user who has passed the first step, or returns a challenge if the user has a second factor. With a
 * challenge, the sign-in method, such as a link, is not used up yet.
 */
export async function signInOrChallenge(
  context: AccountsContext,
  client: ClientInfo,
  account: Account,
  { entry, transport, rehashed = null }: SignInAttempt,
): Promise<SignInOutcome> {
  const { database } = context.resources;
  const { request } = client;
  const outcome = await write(
    database,
    writerOf(account, client, organizationOf(entry)),
    async (sql) => {
      if (!(await lockCheckedAccount(sql, account))) throw refuseSignIn(entry);
      if (rehashed !== null) await updatePasswordHash(sql, account.id, rehashed);
      const factors = await readFactors(sql, account.id, request.now);
      if (factors === null || !hasFactor(factors))
        return completeSignIn({ context, sql, client, account }, { entry, transport });
      const { id: userId } = account;
      return {
        challenge: await createSignInChallenge(context, client, { userId, entry, transport }, factors),
      };
    },
    actionOf(entry),
  );
  if ("challenge" in outcome) return outcome;
  return outcome.finish();
}

export interface SignInAttempt {
  readonly entry: SignInMethod;
  readonly transport: Transport;
  /** New hash of the same password, to store. */
  readonly rehashed?: string | null;
}

export const organizationOf = (entry: SignInMethod): string | null =>
  "organizationId" in entry ? entry.organizationId : null;

/**
 * Applies a sign-in method and begins the session, in the transaction that has locked the user. Call `finish` after
 * COMMIT. `factorAt` is the time at which the user gave a second factor.
 */
export async function completeSignIn(
  signIn: SignInContext & { readonly context: AccountsContext },
  { entry, transport, factorAt = null }: SignInAttempt & { readonly factorAt?: Date | null },
): Promise<{ readonly finish: () => SignedIn }> {
  const { context, sql, client, account } = signIn;
  const { active, identity, change } = await applySignInMethod(signIn, entry);
  const start = { transport, active, factorAt, identity };
  const signedIn = await beginSession(context, sql, client, account, start);
  if (entry.kind === "link" && entry.passwordHash === null) {
    const addition = { kind: "session", id: signedIn.session.id } as const;
    const confirmed = { ...signIn, account: { ...account, isConfirmed: true } };
    await notifyUser(confirmed, "sign_in_link_used", "A sign-in link was used", { addition });
  }
  // The provider authenticated the user, and then the gateway did as well.
  if (identity && factorAt) await recordAuthentication(sql, signedIn.session.id, factorAt);
  return {
    finish() {
      if (change) context.resources.noteChange(change);
      return signedIn;
    },
  };
}
