import { createHash, hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Claim } from "../data/database/transaction.js";
import type { Database } from "../data/database/types.js";
import {
  type ClaimedKey,
  findClaim,
  insertClaim,
  isUnclaimed,
  renewClaim,
  type StoredResponse,
  storeResponse,
} from "../data/idempotency/claims.js";
import { MAX_KEPT_BYTES, readIdempotencyKey } from "../domain/idempotency-key.js";
import { containsWholeSecret } from "../domain/keys/secrets.js";
import { AppError } from "../errors.js";
import { compress, decompress } from "../http/answer/compress.js";
import { JSON_TYPE } from "../http/answer/envelope.js";
import type { SentAnswer } from "../http/answer/replay.js";
import { bodyDigestOf, idempotencyKeysOf } from "../http/body/digest.js";
import type { IncomingCall } from "../http/incoming-call.js";
import { type Principal, requireActor } from "./principal.js";
import { PLATFORM } from "./session.js";

/** The stored answer to an earlier request with the same key. */
export interface Replay {
  readonly replay: SentAnswer;
}

/** A change whose request has an idempotency key. */
export interface Repeatable {
  /** Passed to the writer of the change's transactions. */
  readonly claim: Claim;
  /** True once the GraphQL operation has an error. */
  hasErrors: boolean;
  /**
   * Runs the change. If the same request has succeeded before, returns its answer instead. Throws
   * IDEMPOTENCY_KEY_REUSED if the earlier request was different, IDEMPOTENCY_IN_PROGRESS if it is still running, and
   * IDEMPOTENCY_ANSWER_LOST if its answer cannot be repeated, or if `run` fails after its change is committed. A result
   * for which `hasFailed` returns true counts as a rejection: another request with the key may have committed in the
   * meantime.
   */
  once<Result>(
    run: () => Promise<Result>,
    options?: { readonly hasFailed?: (result: Result) => boolean; readonly readsBodyLater?: boolean },
  ): Promise<Result | Replay>;
  /**
   * Stores the answer if the request has changed something; null for an answer that cannot be repeated. Only logs a
   * failure, because the change is committed already.
   */
  readonly keep: (answer: SentAnswer | null) => Promise<void>;
}

/**
 * Throws BAD_REQUEST if a request has an idempotency key. `where` says which requests cannot have one, such as `to
 * endpoints that end a session`.
 */
export function refuseIdempotencyKey(incoming: IncomingMessage, where: string): void {
  if (idempotencyKeysOf(incoming) === undefined) return;
  throw new AppError("BAD_REQUEST", `Idempotency-Key must not be sent ${where}.`);
}

export type OpenRepeatable = (incomingCall: IncomingCall, principal: Principal) => Repeatable | undefined;

/**
 * Creates the function that returns the repeatable change of a request; undefined without an idempotency key, and for
 * an API key, which changes nothing. It throws BAD_REQUEST if the header is malformed or repeated, or if the caller
 * belongs to no organization.
 */
export const createRepeatables =
  (database: Database): OpenRepeatable =>
  (incomingCall, principal) => {
    const { request, incoming, path, surface } = incomingCall;
    const headers = idempotencyKeysOf(incoming);
    const caller = callerOf(principal);
    if (headers === undefined || caller === undefined) return undefined;
    const { id: organizationId } = principal.organization;
    if (organizationId === PLATFORM.id) refuseIdempotencyKey(incoming, "by a user without an organization");
    const key: ClaimedKey = { organizationId, caller, keyHash: hash("sha256", readKey(headers), "buffer") };
    // An operation of the graph has no path of its own.
    const location = surface === "graphql" ? null : path.slice(0, 2_000);
    const claim: Claim = {
      id: `${caller} ${key.keyHash.toString("hex")}`,
      isCommitted: false,
      async insert(sql) {
        if (!(await insertClaim(sql, key, { fingerprint: fingerprintOf(incomingCall), location })))
          throw requestInProgress();
      },
      renew: (sql) => renewClaim(sql, key),
    };

    const find = async (): Promise<Replay | null> => {
      const found = await request.inTime((msLeft) => findClaim(database, key, msLeft));
      if (found === null) return null;
      const { fingerprint, body, status, contentType, etag, isRecent } = found;
      if (!fingerprintOf(incomingCall).equals(fingerprint)) throw keyReused();
      if (status === null && isRecent) throw requestInProgress();
      if (body === null || status === null || contentType === null) throw answerLost(found.location);
      return {
        replay: { status, location: found.location, etag, contentType, body: await decompress(body) },
      };
    };
    /** Looks for the outcome of another request with the key after this one has failed. */
    const findOther = async () => {
      if (claim.isCommitted) {
        await keep(null);
        throw answerLost(location);
      }
      request.renewTime();
      // In this order, so that an answer committed between the two statements is found.
      if (!(await request.inTime((msLeft) => isUnclaimed(database, key, msLeft)))) throw requestInProgress();
      return find();
    };

    const keep = async (answer: SentAnswer | null) => {
      if (!claim.isCommitted) return;
      const { id: requestId } = request;
      const writer = { actor: requireActor(principal), organizationId, requestId };
      try {
        await storeResponse(database, writer, key, await pack(answer));
      } catch (error) {
        request.log.warn(
          { err: error },
          "the answer of a change with an idempotency key could not be stored",
        );
      }
    };

    return {
      claim,
      hasErrors: false,
      async once(run, { hasFailed = () => false, readsBodyLater = false } = {}) {
        const found = readsBodyLater ? null : await find();
        if (found) return found;
        let result: Awaited<ReturnType<typeof run>>;
        try {
          result = await run();
        } catch (error) {
          if (claim.isCommitted) request.log.error({ err: error }, "a request failed after its change");
          // Without the whole file there is no fingerprint to compare.
          if (readsBodyLater && bodyDigestOf(incoming) === undefined) throw error;
          const other = await findOther();
          if (other) return other;
          throw error;
        }
        return (hasFailed(result) && (await findOther())) || result;
      },
      keep,
    };
  };

/** Compresses an answer. It is stored without its body if the body contains a secret or is too large. */
async function pack(answer: SentAnswer | null): Promise<StoredResponse> {
  if (answer === null) return { status: 409, location: null, etag: null, contentType: JSON_TYPE, body: null };
  const body = containsWholeSecret(answer.body) ? null : await compress(answer.body);
  return { ...answer, body: body !== null && body.length <= MAX_KEPT_BYTES ? body : null };
}

function callerOf({ person, serviceAccount }: Principal): string | undefined {
  if (person) return `user:${person.user.id}`;
  return serviceAccount ? `service_account:${serviceAccount.id}` : undefined;
}

function readKey([header = "", ...others]: readonly string[]): string {
  const key = others.length === 0 ? readIdempotencyKey(header) : undefined;
  if (key !== undefined) return key;
  const got = others.length > 0 ? `${others.length + 1} of them` : `${header.length} characters`;
  throw new AppError(
    "BAD_REQUEST",
    `Idempotency-Key: expected one key of 1 to 255 printable ASCII characters, got ${got}`,
  );
}

/** Returns the SHA-256 of a request, without the boundary of a form, which differs each time. */
function fingerprintOf({ path, incoming }: IncomingCall): Buffer {
  const { method, url = "", headers } = incoming;
  const start = url.indexOf("?");
  const query = new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
  query.sort();
  const { "content-type": given = "" } = headers;
  const type = given.replace(/^(multipart\/form-data)\b.*$/is, "$1");
  // An endpoint has several prefixes, and its path may end with a slash.
  const endpoint = path.replace(/^(?=\/v1\/)/, "/api").replace(/\/$/, "");
  return createHash("sha256")
    .update(JSON.stringify([method, endpoint, query.toString(), type]))
    .update(bodyDigestOf(incoming) ?? "")
    .digest();
}

/** Creates the error for a request whose first attempt is still running. */
export const requestInProgress = () =>
  new AppError(
    "IDEMPOTENCY_IN_PROGRESS",
    "The first request with this Idempotency-Key is still running. Send it again in 1 second.",
    { headers: { "Retry-After": "1" } },
  );

/** Creates the error for a key that was first sent with a different request. */
export const keyReused = () =>
  new AppError(
    "IDEMPOTENCY_KEY_REUSED",
    "Idempotency-Key: expected the request that was first sent with this key, got a different one. Nothing was changed.",
  );

/**
 * Creates the error for an answer that cannot be repeated. `location` is the path of the request, or of what it
 * created.
 */
export const answerLost = (location: string | null) =>
  new AppError(
    "IDEMPOTENCY_ANSWER_LOST",
    "The first request with this Idempotency-Key changed data, and its answer cannot be repeated. Read what it changed instead of sending it again.",
    location === null ? {} : { details: [{ path: "location", message: location }] },
  );
