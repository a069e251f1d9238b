import type { Computed, Memory } from "../data/cache/cache.js";
import type { RequestTime } from "../data/database/time-limit.js";
import type { Database } from "../data/database/types.js";
import { findKeyByHash, KEY_TABLES, type NoteUse, type StoredKey } from "../data/keys/keys.js";
import { AppError } from "../errors.js";
import { hashKey, isWellFormedKey, type Pepper } from "./api-key.js";
import { findMisplacedKey, type KeyBearer } from "./misplaced-key.js";
import { REFUSALS, type Refusal, refuseKey } from "./refusals.js";

export interface AuthenticateOptions {
  readonly database: Database;
  readonly keys: Memory<StoredKey | null>;
  /** What keys may have been hashed with. */
  readonly peppers: readonly Pepper[];
  /** Counts a failure of a client's address; resolves to the seconds it has to wait when it has had too many. */
  readonly countFailure: (address: string) => Promise<number | null>;
  /** Told of every refusal. */
  readonly onRefused: (reason: Refusal) => void;
  /** Told of every use of a key that is accepted. */
  readonly noteUse: NoteUse;
}

/** What is known of who calls. */
export interface Caller extends RequestTime {
  /** Where the key is noted once it is found, whether it is accepted or not. */
  readonly record: { key: StoredKey | undefined };
  /** The client's address. */
  address(): string;
}

/** The key in a request's X-API-Key header: at once if it is remembered. Rejects if the key is not accepted. */
export type Authenticate = (request: KeyBearer, caller: Caller) => StoredKey | Promise<StoredKey>;

/**
 * Makes THE function that lets a caller in, by an API key that exists, is not revoked and has not expired. It throws
 * INVALID_KEY, saying which of these fails; and RATE_LIMIT_EXCEEDED instead once an address has failed too often. A
 * right key passes from any address: others may share it, behind a proxy or a network's gateway.
 */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { database, keys, peppers, countFailure, onRefused, noteUse } = options;
  const find = async (hashes: readonly string[]): Promise<Computed<StoredKey | null>> => {
    const value = await findKeyByHash(database, hashes);
    if (value === null) return { value, basis: null };
    const { id: organizationId } = value.organization;
    return { value, basis: { organizationId, tables: KEY_TABLES, until: Number.POSITIVE_INFINITY } };
  };

  const refuse = async (
    reason: Refusal,
    caller: Caller,
    message: string = REFUSALS[reason],
  ): Promise<never> => {
    onRefused(reason);
    const secondsToWait = await countFailure(caller.address());
    if (secondsToWait === null) throw refuseKey(reason, message);
    throw new AppError(
      "RATE_LIMIT_EXCEEDED",
      `Too many requests without a valid API key. Try again in ${secondsToWait} seconds. Last failure: ${message}`,
      { headers: { "Retry-After": String(secondsToWait) } },
    );
  };

  const accept = (key: StoredKey | null, caller: Caller): StoredKey | Promise<never> => {
    const { now, record } = caller;
    if (key === null) return refuse("unknown", caller);
    record.key = key;
    if (key.revokedAt !== null) return refuse("revoked", caller);
    if (key.expiresAt !== null && key.expiresAt <= now) return refuse("expired", caller);
    noteUse(key, now);
    return key;
  };

  return (request, caller) => {
    // Node joins the values of several such headers with a comma and a space.
    const { "x-api-key": text = "" } = request.headers as Record<string, string | undefined>;
    if (text === "") {
      const place = findMisplacedKey(request);
      if (place === undefined) return refuse("missing", caller);
      return refuse(
        "misplaced",
        caller,
        `The API key was sent in ${place}. Send it in the X-API-Key header.`,
      );
    }
    if (text.includes(", ")) return refuse("repeated", caller);
    const hashes = peppers.map((pepper) => hashKey(text, pepper));
    const found = keys.recall(hashes.join(), null, caller, async () =>
      isWellFormedKey(text) ? caller.inTime(() => find(hashes)) : refuse("malformed", caller),
    );
    return found instanceof Promise ? found.then((key) => accept(key, caller)) : accept(found, caller);
  };
}
