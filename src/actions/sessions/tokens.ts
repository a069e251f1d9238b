import { hashKey, type Pepper } from "../../access/secrets/api-key.js";
import { generateToken } from "../../access/secrets/token.js";
import type { LockedSession, SessionProof } from "../../data/people/write-sessions.js";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const ACCESS_MS = 15 * MINUTE_MS;
const REFRESH_IDLE_MS = 7 * DAY_MS;

/** Maximum lifetimes of sessions. */
const LIFETIMES_MS = { browser: 12 * 60 * MINUTE_MS, token: 30 * DAY_MS } as const;

/** A session with its secrets. */
export interface IssuedSession {
  readonly id: string;
  readonly kind: LockedSession["kind"];
  /** Token for the Authorization header or the cookie. */
  readonly token: string;
  /** In seconds, like `refreshExpiresIn`. */
  readonly expiresIn: number;
  /** Null for a browser's session. */
  readonly refreshToken: string | null;
  readonly refreshExpiresIn: number;
}

type Lifetime = Pick<LockedSession, "kind" | "expiresAt">;

/** Returns the end of a session that starts now. Using the session does not extend it. */
export const endOfSession = (kind: LockedSession["kind"], now: Date): Date => after(now, LIFETIMES_MS[kind]);

/**
 * Returns the time at which a session's refresh token expires: 7 days after both tokens were issued, but no later than
 * the session.
 */
export const endOfRefresh = ({
  tokenExpiresAt,
  expiresAt,
}: Pick<LockedSession, "tokenExpiresAt" | "expiresAt">) =>
  earlier(after(tokenExpiresAt, REFRESH_IDLE_MS - ACCESS_MS), expiresAt);

/**
 * Creates new tokens of a session: `proof` is stored, and `issue` returns the user's response once the session has an
 * id.
 */
export function createTokens({ kind, expiresAt }: Lifetime, pepper: Pepper, now: Date) {
  const token = generateToken("session");
  const refreshToken = kind === "token" ? generateToken("refresh") : null;
  const tokenExpiresAt = kind === "token" ? earlier(after(now, ACCESS_MS), expiresAt) : expiresAt;
  const proof: SessionProof = {
    tokenHash: hashKey(token, pepper),
    tokenExpiresAt,
    refreshHash: refreshToken === null ? null : hashKey(refreshToken, pepper),
  };
  const secondsTo = (end: Date) => Math.floor((end.getTime() - now.getTime()) / 1_000);
  const issue = (id: string): IssuedSession => ({
    id,
    kind,
    token,
    refreshToken,
    expiresIn: secondsTo(tokenExpiresAt),
    refreshExpiresIn: secondsTo(endOfRefresh({ tokenExpiresAt, expiresAt })),
  });
  return { proof, issue };
}

const after = (time: Date, ms: number) => new Date(time.getTime() + ms);
const earlier = (one: Date, other: Date) => (one < other ? one : other);
