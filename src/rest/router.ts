import { hash } from "node:crypto";
import { z } from "zod";
import type { Admit } from "../access/admission.js";
import { once } from "../domain/once.js";
import { AppError } from "../errors.js";
import {
  JSON_TYPE,
  listHeaders,
  type SerializedData,
  sendChunks,
  sendData,
  sendError,
  serializeData,
  successBody,
} from "../http/answer/envelope.js";
import { matchesEtag } from "../http/answer/etag.js";
import { INTERNAL_ERROR_MESSAGE, pathNotFound, toAppError } from "../http/answer/failure.js";
import { rateLimitHeaders, varyByPerson } from "../http/answer/headers.js";
import { sendReplay } from "../http/answer/replay.js";
import { answersOptions, type IncomingCall } from "../http/incoming-call.js";
import { acceptsBasic, type Endpoint, type EndpointGroup, isAboutSession } from "./endpoint.js";
import { createResources } from "./resources.js";
import { createRoute, type RouteOptions } from "./route.js";

/** Offers authentication by API key, also in HTTP Basic, to a caller whose credentials are missing or refused. */
const CHALLENGE = { "WWW-Authenticate": 'ApiKey, Basic realm="carbon-gateway"' };

/** Returns the ETag of an answer. Where answers of one version can differ, it has a digest as well. */
function etagOf({ json, isVersioned }: SerializedData, version: number): string {
  if (isVersioned) return `"${version}"`;
  return `"${version}-${hash("sha256", json, "base64url").slice(0, 22)}"`;
}

/** Query parameters of pages, which make no answer cheaper to compute. */
const PAGING = ["cursor", "after", "before"];

/** Returns a failure that may pass as 503, with what to try instead. */
function asUnavailable(failure: AppError, { method, input }: Endpoint): AppError {
  const { code, status, message, headers, cause } = failure;
  if (status !== 500 || headers["Retry-After"] === undefined) return failure;
  const { query } = input;
  const names =
    query instanceof z.ZodObject ? Object.keys(query.shape).filter((name) => !PAGING.includes(name)) : [];
  const narrower = names.length === 0 ? "" : ` or ask for less, with ${names.join(", ")}`;
  const advice =
    method === "GET"
      ? `The answer was not ready in time, or the database is unavailable. Try again in a moment${narrower}.`
      : "The database is unavailable or overloaded. Try again in a moment, with the same reference or Idempotency-Key.";
  const isMasked = message === INTERNAL_ERROR_MESSAGE || method === "GET";
  return new AppError(code, isMasked ? advice : message, { status: 503, headers, cause });
}

export interface RestOptions extends Omit<RouteOptions, "cacheName" | "admit" | "refusesUnknown"> {
  readonly groups: readonly EndpointGroup[];
  /** Authenticates requests with an API key. */
  readonly admitKey: Admit;
  /** Authenticates requests with an API key, a session or a service account token. */
  readonly admit: Admit;
  /** Authenticates requests about the caller's own account. */
  readonly admitToAccount: Admit;
  /** Like `admit`, but also accepts a key or token in HTTP Basic. */
  readonly admitBasic: Admit;
}

/** Answers one request. Handles failures as well. */
export type AnswerRest = (incomingCall: IncomingCall) => Promise<void>;

/**
 * Creates the REST surface for groups of endpoints. Refuses unknown paths and methods before it checks the key, so they
 * cost nothing. Throws if an endpoint for keys only does not fit the schema. Other endpoints are prepared by their
 * first request: most are never called, and validating all documents would take a fifth of the startup time.
 */
export function createRest({
  groups,
  admitKey,
  admit,
  admitToAccount,
  admitBasic,
  ...options
}: RestOptions): AnswerRest {
  const findResource = createResources(
    groups.flatMap(({ prefixes, keysOnly, endpoints }) =>
      endpoints.map((endpoint) => {
        const { path, method } = endpoint;
        const ownOptions = {
          admit: keysOnly
            ? admitKey
            : acceptsBasic(path)
              ? admitBasic
              : isAboutSession(endpoint)
                ? admitToAccount
                : admit,
          cacheName: `${prefixes[0]}${path}`,
          // The external API's contract does not mention unknown parameters, so that API continues to ignore them.
          refusesUnknown: !keysOnly,
        };
        const open = once(() => createRoute(endpoint, { ...options, ...ownOptions }));
        if (keysOnly) open();
        // The external API's contract has no 503.
        const explain = keysOnly ? undefined : (failure: AppError) => asUnavailable(failure, endpoint);
        return { prefixes, path, method, route: { open, explain } };
      }),
    ),
  );

  const keyPrefixes = new Set(groups.flatMap(({ keysOnly, prefixes }) => (keysOnly ? prefixes : [])));

  return async (incomingCall) => {
    const { request, path, incoming, response, headers: common } = incomingCall;
    const headers: Readonly<Record<string, string>>[] = [common];
    let offersBasic = false;
    let explain: ((failure: AppError) => AppError) | undefined;
    try {
      const found = findResource(path);
      if (!found) throw pathNotFound(path);
      const { resource, params } = found;
      const varied = keyPrefixes.has(resource.prefix) ? common : varyByPerson(common);
      headers[0] = varied;
      request.record.operation = resource.name;
      request.record.route = resource.route;
      const { method = "" } = incoming;
      const placed = resource.methods.get(method);
      explain = placed?.explain;
      const route = placed?.open();
      if (!route) return void answersOptions({ incoming, response, headers: varied }, resource.allowed);
      if ("reply" in route) {
        const { data, status, headers: own = {} } = await route.reply(incomingCall, params);
        return void sendData(response, request, [varied, own], serializeData(data), {
          ...(status && { status }),
        });
      }
      offersBasic = route.admit === admitBasic;
      const admission = await route.admit(request, incoming);
      if ("open" in route) {
        headers.push(rateLimitHeaders(await admission.rateLimit, request.now));
        const { headers: own, chunks, close } = await route.open(incomingCall, params, admission);
        // The next part may take a while to arrive, so a disconnect closes the source at once.
        response.once("close", () => void close?.().catch(() => undefined));
        try {
          return await sendChunks(response, [...headers, own], chunks);
        } finally {
          await close?.();
        }
      }
      // A read runs while the request is being counted, because counting takes as long as a database statement.
      const data = route.answer(incomingCall, params, admission);
      if (data instanceof Promise) data.catch(() => undefined);
      headers.push(rateLimitHeaders(await admission.rateLimit, request.now));
      request.record.cost ??= route.cost;
      const answered = data instanceof Promise ? await data : data;
      if ("replay" in answered) return void sendReplay(response, headers, answered.replay);
      const { version, created, keep } = answered;
      const isGet = method === "GET" || method === "HEAD";
      const etag = version === undefined ? null : etagOf(answered, version);
      const location = created === undefined ? null : resource.prefix + created;
      await keep?.({
        status: location === null ? 200 : 201,
        location,
        etag,
        contentType: JSON_TYPE,
        body: successBody(request, answered),
      });
      if (etag === null && location === null) {
        const isCompressible = route.isRead;
        return void sendData(response, request, headers, answered, { isCompressible });
      }
      if (etag !== null) {
        const known = isGet ? incoming.headers["if-none-match"] : undefined;
        // An ETag with a digest would be kept with an answer that may have other data of other things.
        const matched = [etag, `"${version}"`].find((one) => matchesEtag(one, known));
        headers.push({ ETag: matched ?? etag });
        if (matched !== undefined) return void response.writeHead(304, listHeaders([], headers)).end();
      }
      if (location === null) return void sendData(response, request, headers, answered);
      headers.push({ Location: location });
      sendData(response, request, headers, answered, { status: 201 });
    } catch (error) {
      const found = toAppError(error, request.log);
      const failure = explain?.(found) ?? found;
      const isChallenged = offersBasic && failure.status === 401;
      sendError(response, request, isChallenged ? [...headers, CHALLENGE] : headers, failure);
    }
  };
}
