import type { Database } from "../data/database.js";
import { findKeyByHash, isTouchDue, KEY_TABLES, type StoredKey, touchKey } from "../data/keys.js";
import type { Computed, Memory } from "../data/memory.js";
import { AppError } from "../errors.js";
import { hashKey, isWellFormedKey } from "./key.js";

export interface AuthenticateOptions {
  readonly database: Database;
  readonly keys: Memory<StoredKey | null>;
  readonly pepper: string | undefined;
  /** Counts a failure of a client's address; resolves to the seconds it has to wait when it has had too many. */
  readonly countFailure: (address: string) => Promise<number | null>;
  /** Told when noting a key's last use fails; the request goes on. */
  readonly onTouchFailed: (error: unknown) => void;
}

export interface Credentials {
  /** The request's X-API-Key header; of several, their values joined by a comma and a space, as Node does. */
  readonly text: string | undefined;
  /** The client's address. */
  readonly address: () => string;
  readonly now: Date;
}

export type Authenticate = (credentials: Credentials) => Promise<StoredKey>;

/**
 * Makes THE function that lets a caller in, by an API key that exists, is not revoked and has not expired. It throws
 * INVALID_KEY, saying which of these fails; and RATE_LIMIT_EXCEEDED instead once an address has failed too often. A
 * right key passes from any address: others may share it, behind a proxy or a network's gateway.
 */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { database, keys, pepper, countFailure, onTouchFailed } = options;
  const find = async (hash: string): Promise<Computed<StoredKey | null>> => {
    const value = await findKeyByHash(database, hash);
    if (value === null) return { value, basis: null };
    const { id: organizationId } = value.organization;
    return { value, basis: { organizationId, tables: KEY_TABLES, until: Number.POSITIVE_INFINITY } };
  };

  return async ({ text = "", address, now }) => {
    const refusal = (message: string) => refuse(message, () => countFailure(address()));
    if (text === "") throw await refusal("No API key. Send it in the X-API-Key header.");
    if (text.includes(", ")) throw await refusal("More than one X-API-Key header. Send exactly one.");
    if (!isWellFormedKey(text)) {
      throw await refusal("Invalid API key: malformed. Check that it was copied as a whole.");
    }
    const hash = hashKey(text, pepper);
    const key = await keys.recall(hash, null, now, () => find(hash));
    if (key === null) throw await refusal("Invalid API key: unknown.");
    if (key.revokedAt !== null) throw await refusal("Invalid API key: revoked.");
    if (key.expiresAt !== null && key.expiresAt <= now) throw await refusal("Invalid API key: expired.");
    if (isTouchDue(key, now)) {
      key.lastUsedAt = now;
      touchKey(database, key, now).catch(onTouchFailed);
    }
    return key;
  };
}

async function refuse(message: string, countFailure: () => Promise<number | null>): Promise<AppError> {
  const secondsToWait = await countFailure();
  if (secondsToWait === null) {
    return new AppError("INVALID_KEY", message, { headers: { "WWW-Authenticate": "ApiKey" } });
  }
  return new AppError(
    "RATE_LIMIT_EXCEEDED",
    `Too many requests without a valid API key. Try again in ${secondsToWait} seconds. The last one: ${message}`,
    { headers: { "Retry-After": String(secondsToWait) } },
  );
}
