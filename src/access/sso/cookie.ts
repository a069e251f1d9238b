import { z } from "zod";
import { REASON_COOKIE, type RefusalReason } from "../../domain/sso/sso-refusals.js";
import { readCookie } from "../cookie.js";
import type { Pepper } from "../secrets/api-key.js";
import { seal, unseal } from "../secrets/sealing.js";

/** Name of the cookie with a sign-in in progress. It is Lax because the provider's page links back. */
export const SSO_COOKIE = "__Host-cgw_sso";

/** Time limit for completing a sign-in. */
export const ATTEMPT_MS = 10 * 60_000;

const PENDING = z.strictObject({
  connectionId: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Path in the console to return to. */
  returnTo: z.string(),
  expiresAt: z.number(),
  /** The owner who tests the settings, and the version of the settings; null for a sign-in. */
  test: z.strictObject({ userId: z.string(), version: z.number() }).nullable(),
  /** True if the provider had to authenticate the user again. */
  isFresh: z.boolean(),
});

/** A sign-in in progress. */
export type PendingSignIn = z.infer<typeof PENDING>;

/** Returns the header that stores a sign-in in progress in the browser that began it. */
export const setSsoCookie = (pending: PendingSignIn, pepper: Pepper) =>
  cookie(seal(JSON.stringify(pending), pepper), ATTEMPT_MS / 1_000);

/** Returns the header that deletes the cookie of a sign-in in progress. */
export const clearSsoCookie = (): string => cookie("", 0);

const cookie = (value: string, maxAge: number) =>
  `${SSO_COOKIE}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; Secure; SameSite=Lax`;

/** Returns the header that passes the reason of a refusal to the console. */
export const setReasonCookie = (reason: RefusalReason): string =>
  `${REASON_COOKIE}=${reason}; Max-Age=60; Path=/; Secure; SameSite=Lax`;

/** Reads the sign-in in progress from a Cookie header; null if it is missing, invalid or expired. */
export function readSsoCookie(
  header: string | undefined,
  peppers: readonly Pepper[],
  now: Date,
): PendingSignIn | null {
  const sealed = readCookie(header ?? "", SSO_COOKIE);
  const pending = sealed ? readSealed(sealed, peppers, PENDING) : null;
  return pending && pending.expiresAt > now.getTime() ? pending : null;
}

const TEST = z.strictObject({
  connectionId: z.string(),
  userId: z.string(),
  version: z.number(),
  expiresAt: z.number(),
});

/** An owner's permission to test the settings of a connection. The URL that starts the test contains it. */
export type TestPass = z.infer<typeof TEST>;

/** Seals a pass. It is not stored anywhere. */
export const writeTestPass = (pass: TestPass, pepper: Pepper): string => seal(JSON.stringify(pass), pepper);

/** Reads a pass; null if it is invalid or expired. */
export function readTestPass(text: string, peppers: readonly Pepper[], now: Date): TestPass | null {
  const pass = readSealed(text, peppers, TEST);
  return pass && pass.expiresAt > now.getTime() ? pass : null;
}

/** Opens a sealed string; null if it is invalid or its content has a different shape. */
function readSealed<T>(sealed: string, peppers: readonly Pepper[], shape: z.ZodType<T>): T | null {
  const text = sealed.length > 4_000 ? null : unseal(sealed, peppers);
  if (text === null) return null;
  try {
    return shape.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Another kind of secret sealed with the same key.
    return null;
  }
}
