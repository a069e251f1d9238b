import type { Cache } from "../data/cache/cache.js";
import type { Computed } from "../data/cache/computations.js";
import { findCaller } from "../data/database/find-caller.js";
import type { Database } from "../data/database/types.js";
import type { RecordUse } from "../data/keys/key-uses.js";
import { findKeyByHash, KEY_TABLES, type StoredKey, sizeOfKey } from "../data/keys/keys.js";
import { containsServiceToken } from "../domain/keys/secrets.js";
import { AppError } from "../errors.js";
import type { RequestRecord } from "../http/request-info.js";
import type { RequestTime } from "../time-limit.js";
import { findMisplacedKey, findMisplacedToken, type KeyBearer } from "./misplaced-key.js";
import type { Principal } from "./principal.js";
import { REFUSALS, type Refusal, refuseKey } from "./refusals.js";
import { findKeyFault, listHashes, type Pepper, principalOfKey } from "./secrets/api-key.js";

/** A cached API key, with its principal; null for an unknown key. */
export type KnownKey = { readonly key: StoredKey; readonly principal: Principal } | null;

/** Returns the memory that a cached key takes, in bytes. */
export const sizeOfKnownKey = (known: KnownKey): number => (known === null ? 0 : sizeOfKey(known.key));

/** Counts a failed attempt from an address. Resolves to the seconds to wait after too many, else to null. */
export type CountFailure = (address: string) => Promise<number | null>;

export interface AuthenticateOptions {
  readonly database: Database;
  readonly keys: Cache<KnownKey>;
  /** Peppers that keys may have been hashed with. */
  readonly peppers: readonly Pepper[];
  readonly countFailure: CountFailure;
  /** Called for every refusal. */
  readonly onRefused: (reason: Refusal) => void;
  /** Called for every use of an accepted key. */
  readonly recordUse: RecordUse;
}

/** The caller of one request. */
export interface Caller extends RequestTime {
  /** Receives the principal once it is found, accepted or not. */
  readonly record: Pick<RequestRecord, "principal">;
  /** Returns the client's address. */
  address(): string;
}

/** Returns the principal of a request, synchronously if its key is cached. Rejects if its credentials are refused. */
export type Authenticate = (request: KeyBearer, caller: Caller) => Principal | Promise<Principal>;

/**
 * Creates the function that authenticates API keys. It accepts a key that exists and is neither revoked nor expired.
 * Others get INVALID_KEY with the reason, or RATE_LIMIT_EXCEEDED after too many failures from their address. A valid
 * key is accepted from any address, because the clients behind a proxy share one.
 */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { database, keys, peppers, countFailure, onRefused, recordUse } = options;
  const find = async (hashes: readonly string[]): Promise<Computed<KnownKey>> => {
    const key = await findCaller(database, (reader) => findKeyByHash(reader, hashes));
    if (key === null) return { value: null, basis: null };
    const basis = {
      organizationId: key.organization.id,
      tables: KEY_TABLES,
      until: Number.POSITIVE_INFINITY,
    };
    return { value: { key, principal: principalOfKey(key) }, basis };
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

  const accept = (known: KnownKey, caller: Caller): Principal | Promise<never> => {
    if (known === null) return refuse("unknown", caller);
    const { now, record } = caller;
    const { key, principal } = known;
    record.principal = principal.log;
    if (key.revokedAt !== null) return refuse("revoked", caller);
    if (key.expiresAt !== null && key.expiresAt <= now) return refuse("expired", caller);
    recordUse(key, now);
    return principal;
  };

  return (request, caller) => {
    // Node joins repeated headers with a comma and a space.
    const { "x-api-key": text = "" } = request.headers as Record<string, string | undefined>;
    if (text === "" || containsServiceToken(text)) {
      const misplaced = findMisplacedToken(request);
      if (misplaced !== undefined) return refuse("misplaced", caller, misplaced);
      const place = findMisplacedKey(request);
      if (place === undefined) return refuse("missing", caller);
      return refuse(
        "misplaced",
        caller,
        `The API key was sent in ${place}. Send it in the X-API-Key header.`,
      );
    }
    if (text.includes(", ")) return refuse("repeated", caller);
    const hashes = listHashes(text, peppers);
    const found = keys.getOrCompute(hashes.join(), null, caller, async () => {
      const fault = findKeyFault(text);
      return fault === undefined ? caller.inTime(() => find(hashes)) : refuse("malformed", caller, fault);
    });
    return found instanceof Promise ? found.then((known) => accept(known, caller)) : accept(found, caller);
  };
}
