import type { CountFailure } from "../../access/authenticate.js";
import type { Resources } from "../../access/context.js";
import { listHashes } from "../../access/secrets/api-key.js";
import type { Passwords } from "../../access/secrets/password.js";
import { countInvalid } from "../../access/session.js";
import type { Account } from "../../data/people/users.js";
import type { PasswordAttempt } from "../../domain/people/password-attempt.js";
import type { RequestInfo } from "../../http/request-info.js";
import type { RelyingParty } from "../../http/site.js";
import type { Registration } from "./account-errors.js";

/** Limits on failed and successful password attempts. */
export interface Guessing {
  /** Counts a guess as a failure. Rejects with RATE_LIMIT_EXCEEDED after too many. */
  attempt(guess: PasswordAttempt): Promise<void>;
  /** Removes a guess that could not be checked from the count. */
  forgive(guess: PasswordAttempt): Promise<void>;
  /**
   * Counts a guess as a success instead of a failure. After too many successes, rejects with RATE_LIMIT_EXCEEDED, and
   * the guess remains a failure.
   */
  succeed(guess: PasswordAttempt): Promise<void>;
}

export const SIGN_IN_RESULTS = ["succeeded", "refused", "limited"] as const;

/** Result of a sign-in attempt; `limited` after too many. */
export type SignInResult = (typeof SIGN_IN_RESULTS)[number];

/**
 * Dependencies of the account actions. The `count` functions, except `countFailure`, reject with RATE_LIMIT_EXCEEDED
 * after too many calls.
 */
export interface AccountsContext {
  readonly resources: Resources;
  readonly passwords: Passwords;
  readonly guessing: Guessing;
  readonly countRegistration: (address: string) => Promise<void>;
  /** Counts a request for a new password. */
  readonly countReset: (address: string) => Promise<void>;
  /** Counts an inspection of a link. */
  readonly countInspection: (address: string) => Promise<void>;
  readonly countSessionChange: (sessionId: string) => Promise<void>;
  readonly registration: Registration;
  readonly countFailure: CountFailure;
  /** Called when a sign-in attempt succeeds, is refused, or exceeds a limit. */
  readonly onSignIn: (result: SignInResult) => void;
}

/** The caller's request and client. */
export interface ClientInfo {
  readonly request: RequestInfo;
  readonly userAgent: string | undefined;
  /** Relying party of passkeys on the client's page; null on an IP address. */
  readonly party: RelyingParty | null;
}

/** Creates a password attempt for an e-mail address and its account, if any. */
export const guessOf = (
  { request }: ClientInfo,
  email: string,
  account: Account | null,
): PasswordAttempt => ({
  email,
  address: request.address(),
  isKnownAddress: account?.isKnownAddress ?? false,
});

/** Way to send a session token: in the Authorization header or in a cookie. */
export type Transport = "bearer" | "cookie";

/** Returns the possible hashes of a token, one per pepper. */
export const hashesOf = ({ resources }: Pick<AccountsContext, "resources">, token: string): string[] =>
  listHashes(token, resources.peppers);

/**
 * Looks up a token with `find`, within the request's time limit. An unknown token counts as a failure of the client's
 * network address; after too many, rejects with RATE_LIMIT_EXCEEDED.
 */
export async function findByToken<Found>(
  { countFailure }: AccountsContext,
  { request }: ClientInfo,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  const found = await request.inTime(find);
  if (found === null) await countInvalid(countFailure, request);
  return found;
}

/** Returns the writer for a user's change to their own account. */
export const writerOf = (
  { id }: Pick<Account, "id">,
  { request }: ClientInfo,
  organizationId: string | null = null,
) => ({
  actor: { type: "user", id } as const,
  organizationId,
  requestId: request.id,
  renewTime: () => request.renewTime(),
});
