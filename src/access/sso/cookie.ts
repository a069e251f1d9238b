import { z } from "zod";
import { REASON_COOKIE, type RefusalReason } from "../../domain/sso/sso-refusals.js";
import type { Pepper } from "../secrets/api-key.js";
import { seal, unseal } from "../secrets/sealing.js";

/** Name of the cookie of a sign-in in progress. Lax: the provider's page leads back. */
export const SSO_COOKIE = "__Host-cgw_sso";

/** Time in which a sign-in must be completed. */
export const ATTEMPT_MS = 10 * 60_000;

const PENDING = z.strictObject({
  connectionId: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Path of the console to return to. */
  returnTo: z.string(),
  expiresAt: z.number(),
  /** The owner who tests the settings, and their version; null for a sign-in. */
  test: z.strictObject({ userId: z.string(), version: z.number() }).nullable(),
  /** True if the person had to authenticate at the provider now. */
  isFresh: z.boolean(),
});

/** A sign-in in progress. */
export type PendingSignIn = z.infer<typeof PENDING>;

/** Returns the header that stores a sign-in in progress in the browser that began it. */
export const setSsoCookie = (pending: PendingSignIn, pepper: Pepper) =>
  cookie(seal(JSON.stringify(pending), pepper), ATTEMPT_MS / 1_000);

/** Returns the value of the header that removes it. */
export const clearSsoCookie = (): string => cookie("", 0);

const cookie = (value: string, maxAge: number) =>
  `${SSO_COOKIE}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; Secure; SameSite=Lax`;

/** Returns the header with the reason of a refusal, for the console. */
export const setReasonCookie = (reason: RefusalReason): string =>
  `${REASON_COOKIE}=${reason}; Max-Age=60; Path=/; Secure; SameSite=Lax`;

/** Reads the sign-in in progress from a Cookie header; null if none exists, or if it has expired. */
export function readSsoCookie(
  header: string | undefined,
  peppers: readonly Pepper[],
  now: Date,
): PendingSignIn | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const sealed = pairs.find((pair) => pair.startsWith(`${SSO_COOKIE}=`))?.slice(SSO_COOKIE.length + 1);
  const pending = sealed ? readSealed(sealed, peppers, PENDING) : null;
  return pending && pending.expiresAt > now.getTime() ? pending : null;
}

const TEST = z.strictObject({
  connectionId: z.string(),
  userId: z.string(),
  version: z.number(),
  expiresAt: z.number(),
});

/** Permission of an owner to test the settings of a connection, in the URL that begins the test. */
export type TestPass = z.infer<typeof TEST>;

/** Writes a pass, which no database stores. */
export const writeTestPass = (pass: TestPass, pepper: Pepper): string => seal(JSON.stringify(pass), pepper);

/** Reads a pass; null for any other text, and once it has expired. */
export function readTestPass(text: string, peppers: readonly Pepper[], now: Date): TestPass | null {
  const pass = readSealed(text, peppers, TEST);
  return pass && pass.expiresAt > now.getTime() ? pass : null;
}

/** Opens a sealed text of one shape; null for any other. */
function readSealed<T>(sealed: string, peppers: readonly Pepper[], shape: z.ZodType<T>): T | null {
  const text = sealed.length > 4_000 ? null : unseal(sealed, peppers);
  if (text === null) return null;
  try {
    return shape.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Another kind of secret, for which the same key is used.
    return null;
  }
}
