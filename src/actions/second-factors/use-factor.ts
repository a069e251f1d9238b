import { handleIn, readAssertion, type WebauthnResponse } from "../../access/secrets/passkeys.js";
import { foldRecoveryCode } from "../../access/secrets/recovery-code.js";
import { seal, unseal } from "../../access/secrets/sealing.js";
import { findTotpStep } from "../../access/secrets/totp.js";
import { setAuditAction } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { lockUser } from "../../data/people/write-users.js";
import {
  type Factors,
  readFactors,
  recordCodeLock,
  recordWrongCode,
} from "../../data/second-factors/factors.js";
import { findPasskey, recordPasskeyRefusal, recordPasskeyUse } from "../../data/second-factors/passkeys.js";
import { spendRecoveryCode } from "../../data/second-factors/recovery-codes.js";
import { resealTotpSecret, spendTotpStep } from "../../data/second-factors/totp-secrets.js";
import { AppError, tooMany } from "../../errors.js";
import { wrongFactor } from "../accounts/account-errors.js";
import { hashesOf } from "../accounts/context.js";
import { notifyUser, type SignInContext } from "../sessions/sign-in-methods.js";

/** A code that a user gives as the second factor. */
export type CodeProof = { readonly code: string } | { readonly recovery_code: string };

/** A browser's response with a passkey. */
export interface PasskeyProof {
  readonly response: WebauthnResponse;
  /** The challenge to which it responds. */
  readonly webauthn: string;
  /** True if the passkey also replaces the password: it must verify its user now, as when it was created. */
  readonly isAlone: boolean;
}

export type FactorProof = CodeProof | PasskeyProof;

/** Adds the expected challenge to a browser's response. */
export const completeProof = (
  given: CodeProof | Pick<PasskeyProof, "response">,
  webauthn: string,
): FactorProof => ("response" in given ? { response: given.response, webauthn, isAlone: false } : given);

/** Locks a user until the transaction ends, and reads the second factors; null for an unknown or disabled user. */
export async function lockFactors(sql: SqlSession, userId: string, now: Date): Promise<Factors | null> {
  // Locks first, because a statement that waits for a lock reads other tables as they were before the wait.
  const user = await lockUser(sql, userId);
  return user === null || user.disabledAt !== null ? null : readFactors(sql, userId, now);
}

/**
 * Uses a second factor of a locked user. Returns the refusal if it is wrong or after too many wrong codes. The
 * transaction must then still commit, because it counts them.
 */
export async function useFactor(
  signIn: SignInContext,
  factors: Factors,
  proof: FactorProof,
): Promise<AppError | null> {
  if ("response" in proof) return usePasskey(signIn, factors, proof);
  const { request } = signIn.client;
  const { lockedUntil } = factors;
  if (lockedUntil !== null)
    return tooMany("Too many wrong codes.", lockedUntil.getTime() - request.now.getTime());
  return "code" in proof
    ? useCode(signIn, factors, proof.code)
    : useRecoveryCode(signIn, proof.recovery_code);
}

async function useCode(signIn: SignInContext, { totp }: Factors, code: string): Promise<AppError | null> {
  const { sql, account, client } = signIn;
  const { now } = client.request;
  if (totp === null || totp.confirmedAt === null) return countWrong(signIn, wrongFactor("code"));
  const secret = openSecret(signIn, totp);
  const step = findTotpStep(secret, code, totp.lastStep, now);
  if (step !== null && (await spendTotpStep(sql, account.id, step))) {
    const { pepper } = signIn.context.resources;
    // Encrypts with the current pepper, so that the operator can unset KEY_PEPPER_PREVIOUS some day.
    if (unseal(totp.secretSealed, [pepper]) === null)
      await resealTotpSecret(sql, account.id, seal(secret, pepper));
    return null;
  }
  // A correct code that was used before is not a guess.
  if (findTotpStep(secret, code, -1, now) !== null) return wrongFactor("code");
  return countWrong(signIn, wrongFactor("code"));
}

/** Decrypts the secret of an authenticator app. Throws OPERATOR_REQUIRED if KEY_PEPPER has changed since. */
export function openSecret(
  { context }: Pick<SignInContext, "context">,
  { secretSealed }: Pick<NonNullable<Factors["totp"]>, "secretSealed">,
): string {
  const secret = unseal(secretSealed, context.resources.peppers);
  if (secret !== null) return secret;
  const message =
    "The secret of the authenticator app cannot be read: KEY_PEPPER has changed. Ask your administrator to set KEY_PEPPER_PREVIOUS, or on the server: gateway users reset-factors <email>";
  throw new AppError("OPERATOR_REQUIRED", message, {
    details: [{ path: "KEY_PEPPER_PREVIOUS", message }],
  });
}

async function useRecoveryCode(signIn: SignInContext, code: string): Promise<AppError | null> {
  const { context, sql, account, client } = signIn;
  const { now } = client.request;
  const hashes = hashesOf(context, foldRecoveryCode(code));
  if (!(await spendRecoveryCode(sql, account.id, hashes, now)))
    return countWrong(signIn, wrongFactor("recovery_code"));
  await notifyUser(signIn, "recovery_code_used", "A recovery code was used");
  return null;
}

/** A passkey cannot be guessed, so wrong responses do not count as wrong codes. */
async function usePasskey(
  signIn: SignInContext,
  { webauthnHandle }: Factors,
  { response, webauthn, isAlone }: PasskeyProof,
): Promise<AppError | null> {
  const { sql, account, client } = signIn;
  const { party, request } = client;
  const { now } = request;
  const refusal = wrongFactor("response");
  const passkey = await findPasskey({ select: sql.query }, response.id);
  if (party === null || passkey?.userId !== account.id || (isAlone && !passkey.userVerified)) return refusal;
  const handle = handleIn(response);
  if (handle !== null && handle !== webauthnHandle) return refusal;
  const expected = { party, challenge: webauthn, requiresVerification: isAlone };
  const assertion = await readAssertion(response, passkey, expected);
  if (assertion === null) return refusal;
  const { counter } = assertion;
  // Authenticators that do not count always report 0 (WebAuthn, section 6.1.1).
  const wentBack = (counter > 0 || passkey.counter > 0) && counter <= passkey.counter;
  if (!wentBack) {
    await recordPasskeyUse(sql, passkey.id, assertion, now);
    return null;
  }
  await setAuditAction(sql, "factor.locked");
  await recordPasskeyRefusal(sql, passkey.id, now);
  await notifyUser(signIn, "passkey_refused", "A passkey was refused");
  return refusal;
}

/** Counts a wrong code, and notifies the user once codes are no longer accepted. */
export async function countWrong(signIn: SignInContext, refusal: AppError): Promise<AppError> {
  const { sql, account, client } = signIn;
  const { now } = client.request;
  if (await recordWrongCode(sql, account.id, now)) {
    await setAuditAction(sql, "factor.locked");
    await recordCodeLock(sql, account.id, now);
    await notifyUser(signIn, "codes_wrong", "Wrong codes were entered");
  }
  return refusal;
}
