import { requireRecentProof } from "../../access/principal.js";
import { hashKey } from "../../access/secrets/api-key.js";
import { foldRecoveryCode, generateRecoveryCodes } from "../../access/secrets/recovery-code.js";
import { unauthenticated } from "../../access/session.js";
import { write } from "../../data/database/transaction.js";
import { endPasswordHold } from "../../data/notifications/mail-jobs.js";
import type { StoredSession } from "../../data/people/sessions.js";
import {
  type Factors,
  hasFactor,
  readFactors,
  recordFactorGiven,
  removeFactors,
  updateFactorSince,
} from "../../data/second-factors/factors.js";
import { replaceRecoveryCodes } from "../../data/second-factors/recovery-codes.js";
import { listBreakGlassOf } from "../../data/sso/enforcement.js";
import type { AuditAction } from "../../domain/audit-actions.js";
import { fieldConflict } from "../accounts/account-errors.js";
import { type AccountsContext, type ClientInfo, writerOf } from "../accounts/context.js";
import type { NewAddition } from "../notifications/security.js";
import { lockActiveSession } from "../sessions/active-session.js";
import { notifyUser, type SignInContext, userOf } from "../sessions/sign-in-methods.js";
import { lockFactors } from "./use-factor.js";

/** A user who manages the second factors of their account. */
export interface FactorContext extends SignInContext {
  readonly session: StoredSession;
  readonly factors: Factors;
}

/**
 * Runs a change of the session's user to their own factors, in a transaction that has locked both. Rejects with
 * REAUTHENTICATION_REQUIRED unless the user authenticated recently.
 */
export async function manageFactors<Result>(
  context: AccountsContext,
  session: StoredSession,
  client: ClientInfo,
  change: (context: FactorContext) => Promise<Result>,
  action?: AuditAction,
): Promise<Result> {
  const { database, noteChange } = context.resources;
  const { now } = client.request;
  const { user } = session;
  const result = await write(
    database,
    writerOf(user, client),
    async (sql) => {
      const factors = await lockFactors(sql, user.id, now);
      if (factors === null) throw unauthenticated("The account is disabled.");
      // Both may have changed while the request body was arriving.
      const current = await lockActiveSession(sql, session.id);
      requireRecentProof({ session: current, hasFactor: hasFactor(factors) }, now);
      return change({ context, sql, client, account: userOf(session), session, factors });
    },
    action,
  );
  noteChange({ table: "users", organizationId: null });
  return result;
}

/**
 * Applies the effects of a factor that was just added, and counts it as given. Returns new recovery codes if it is the
 * user's first factor.
 */
export async function afterFactorAdded(
  context: FactorContext,
  addition: NewAddition,
): Promise<readonly string[] | null> {
  const { sql, account, session, factors, client } = context;
  const { now } = client.request;
  await updateFactorSince(sql, account.id, now);
  await endPasswordHold(sql, account.id, now);
  await recordFactorGiven(sql, session.id, now);
  await notifyUser(context, "factor_added", "A second factor was added", { addition });
  return hasFactor(factors) ? null : issueRecoveryCodes(context);
}

/**
 * Applies the effects of a factor that was just removed. Removing the last one also ends the recovery codes. Throws
 * CONFLICT if it was the last one and the user needs one.
 */
export async function afterFactorRemoved(context: FactorContext): Promise<void> {
  const { sql, account, client } = context;
  const { now } = client.request;
  const left = await readFactors(sql, account.id, now);
  if (left !== null && hasFactor(left)) await updateFactorSince(sql, account.id, now);
  else {
    if (left?.requiredFrom || (await listBreakGlassOf(sql, account.id)).length > 0)
      throw fieldConflict(
        "factor",
        "This is your last second factor, and you are required to have one. Add another one first.",
      );
    await removeFactors(sql, account, now);
  }
  await notifyUser(context, "factor_removed", "A second factor was removed");
}

/** Replaces a user's recovery codes, and returns the new ones. */
export async function issueRecoveryCodes({
  context,
  sql,
  account,
  client,
}: SignInContext): Promise<readonly string[]> {
  const codes = generateRecoveryCodes();
  const hashes = codes.map((code) => hashKey(foldRecoveryCode(code), context.resources.pepper));
  await replaceRecoveryCodes(sql, account.id, hashes, client.request.now);
  return codes;
}

/** Replaces the recovery codes of the session's user. Rejects with CONFLICT if the user has no second factor. */
export const renewRecoveryCodes = (
  context: AccountsContext,
  session: StoredSession,
  client: ClientInfo,
): Promise<readonly string[]> =>
  manageFactors(context, session, client, async (context) => {
    if (!hasFactor(context.factors))
      throw fieldConflict("recovery_codes", "You have no second factor. Add one to get recovery codes.");
    const codes = await issueRecoveryCodes(context);
    const addition = { kind: "recovery_codes", id: context.account.id } as const;
    await notifyUser(context, "recovery_codes_created", "New recovery codes were created", { addition });
    return codes;
  });

/** A user's second factors as shown to that user. */
export interface FactorsSummary extends Pick<Factors, "passkeys" | "recoveryCodesLeft" | "requiredFrom"> {
  readonly totp: { readonly confirmedAt: Date } | null;
  readonly hasPassword: boolean;
}

/** Reads the second factors of the user of a session or a challenge. */
export async function readOwnFactors(
  { resources }: AccountsContext,
  { user }: { readonly user: Pick<StoredSession["user"], "id"> },
  { request }: ClientInfo,
): Promise<Factors> {
  const factors = await request.inTime(() =>
    readFactors({ query: resources.database.select }, user.id, request.now),
  );
  if (factors === null) throw unauthenticated("The account was removed.");
  return factors;
}

/** Describes second factors for their user. */
export function summarizeFactors({
  passkeys,
  recoveryCodesLeft,
  requiredFrom,
  passwordHash,
  totp,
}: Factors): FactorsSummary {
  const confirmedAt = totp?.confirmedAt ?? null;
  return {
    passkeys,
    recoveryCodesLeft,
    requiredFrom,
    totp: confirmedAt === null ? null : { confirmedAt },
    hasPassword: passwordHash !== null,
  };
}
