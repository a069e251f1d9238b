import { seal } from "../../access/secrets/sealing.js";
import { findTotpStep, generateTotpSecret, writeTotpUri } from "../../access/secrets/totp.js";
import type { StoredSession } from "../../data/people/sessions.js";
import {
  confirmTotpSecret,
  deleteTotpSecret,
  spendTotpStep,
  storeTotpSecret,
} from "../../data/second-factors/totp-secrets.js";
import { AppError, tooMany } from "../../errors.js";
import { fieldConflict, pepperRequired, wrongFactor } from "../accounts/account-errors.js";
import type { AccountsContext, ClientInfo } from "../accounts/context.js";
import { afterFactorAdded, afterFactorRemoved, manageFactors } from "./own-factors.js";
import { countWrong, openSecret } from "./use-factor.js";

/** The secret of a new authenticator app. It is unused until a code has confirmed it. */
export interface NewTotp {
  readonly secret: string;
  readonly uri: string;
  /** A QR code of `uri`. */
  readonly qrSvg: string;
}

const CONFIRMED = "You already have an authenticator app. Remove it before you add another one.";

/**
 * Creates the secret of an authenticator app, which replaces an unconfirmed one. Rejects with CONFLICT if the user has
 * an app, and with OPERATOR_REQUIRED if the gateway cannot encrypt the secret.
 */
export async function createTotp(
  context: AccountsContext,
  session: StoredSession,
  client: ClientInfo,
): Promise<NewTotp> {
  const { pepper, sealsSecrets } = context.resources;
  if (!sealsSecrets) throw pepperRequired();
  const secret = generateTotpSecret();
  await manageFactors(context, session, client, async ({ sql, account }) => {
    if (!(await storeTotpSecret(sql, account.id, seal(secret, pepper))))
      throw fieldConflict("totp", CONFIRMED);
  });
  const uri = writeTotpUri(secret, session.user.email);
  // Loaded only when needed.
  const { toString: drawCode } = await import("qrcode");
  return { secret, uri, qrSvg: await drawCode(uri, { type: "svg", errorCorrectionLevel: "M" }) };
}

/**
 * Confirms the secret of an authenticator app with a code, which cannot be used again. Returns recovery codes if it is
 * the user's first factor.
 */
export async function confirmTotp(
  context: AccountsContext,
  session: StoredSession,
  code: string,
  client: ClientInfo,
): Promise<readonly string[] | null> {
  const result = await manageFactors(
    context,
    session,
    client,
    async (context) => {
      const { sql, account, factors } = context;
      const { now } = client.request;
      const { totp, lockedUntil } = factors;
      if (totp === null)
        throw fieldConflict("totp", "There is no secret to confirm. Request one with POST /v1/auth/totp.");
      if (totp.confirmedAt !== null) throw fieldConflict("totp", CONFIRMED);
      if (lockedUntil !== null)
        return tooMany("Too many wrong codes.", lockedUntil.getTime() - now.getTime());
      const step = findTotpStep(openSecret(context, totp), code, totp.lastStep, now);
      if (step === null) return countWrong(context, wrongFactor("code"));
      await spendTotpStep(sql, account.id, step);
      await confirmTotpSecret(sql, account.id, now);
      return afterFactorAdded(context, { kind: "totp", id: account.id });
    },
    "factor.added",
  );
  if (result instanceof Error) throw result;
  return result;
}

/** Removes the authenticator app of the session's user. Rejects with NOT_FOUND if none exists. */
export const removeTotp = (
  context: AccountsContext,
  session: StoredSession,
  client: ClientInfo,
): Promise<void> =>
  manageFactors(
    context,
    session,
    client,
    async (context) => {
      if (!(await deleteTotpSecret(context.sql, context.account.id)))
        throw new AppError("NOT_FOUND", "You have no authenticator app.");
      await afterFactorRemoved(context);
    },
    "factor.removed",
  );
