import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import parseUrl from "parseurl";
import proxyAddress from "proxy-addr";
import type { Place } from "../domain/fair-line.js";
import { isUuid } from "../domain/texts/uuid.js";
import { AppError } from "../errors.js";
import type { Logger } from "../log.js";
import { subnet } from "../subnet.js";
import { limitTime } from "../time-limit.js";
import type { RequestInfo, RequestRecord } from "./request-info.js";
import { surfaceOf } from "./surface.js";

export interface RequestReaderOptions {
  readonly clock: () => Date;
  readonly log: Logger;
  /** Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: number;
  /** Total time that a request may wait for the database. */
  readonly timeLimitMs: number;
}

/**
 * Creates the function that describes a request. The request's id is the caller's X-Request-Id if that is a UUID,
 * otherwise a new one. Its trace is the gateway's own if one exists, otherwise the caller's.
 */
export function createRequestReader({ clock, log, trustProxy, timeLimitMs }: RequestReaderOptions) {
  const trusts = (_address: string, hop: number) => hop < trustProxy;

  // A class, because an object literal with an accessor takes half a µs to create.
  class ReceivedRequest implements RequestInfo {
    readonly id: string;
    traceId: string | undefined;
    readonly now = clock();
    inTime = limitTime(timeLimitMs);
    readonly record: RequestRecord = {
      principal: undefined,
      operation: undefined,
      route: undefined,
      cost: undefined,
    };
    readonly #incoming: IncomingMessage;
    #log: Logger | undefined;

    constructor(incoming: IncomingMessage, ownTraceId: string | undefined) {
      const { "x-request-id": given, traceparent } = incoming.headers;
      this.id = typeof given === "string" && isUuid(given) ? given : randomUUID();
      this.traceId = ownTraceId ?? readTraceId(traceparent);
      this.#incoming = incoming;
    }
    renewTime(): void {
      this.inTime = limitTime(timeLimitMs);
    }
    get place(): Place {
      const owner = this.record.principal?.organization ?? subnet(this.address());
      return { owner, request: this.id };
    }
    get log(): Logger {
      this.#log ??= log.child({ request_id: this.id, trace_id: this.traceId });
      return this.#log;
    }
    address(): string {
      // Undefined if the connection ended before Node read its address.
      return (proxyAddress(this.#incoming, trusts) as string | undefined) ?? "";
    }
  }
  return (incoming: IncomingMessage, ownTraceId?: string): RequestInfo =>
    new ReceivedRequest(incoming, ownTraceId);
}

/** Returns true if a request's headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": encoding } = headers;
  return length !== "0" || encoding !== undefined;
}

const KNOWN_METHODS = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
]);

/** Returns a request's method as OpenTelemetry names it: `_OTHER` for methods that HTTP does not define. */
export function methodOf({ method = "" }: IncomingMessage): string {
  return KNOWN_METHODS.has(method) ? method : "_OTHER";
}

/** W3C Trace Context: version 00 has 55 characters; later versions may only append to them. */
const TRACEPARENT =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Returns the trace id in a `traceparent`; undefined if it is not valid. */
export function readTraceId(traceparent: unknown): string | undefined {
  return typeof traceparent === "string" ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}

/** RFC 9110, section 7.2: a name or an address, not empty for http, with an optional port. */
const HOST = /^(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+(?::\d*)?$|^\[[\da-f:.]+\](?::\d*)?$/i;

/**
 * Returns the fault of a request's Host header (RFC 9112, section 3.2); undefined if valid. HTTP/1.0 may omit the
 * header.
 */
function findHostFault({ headers, httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  const { host } = headers;
  if (host === undefined) return httpVersion === "1.1" ? "no Host header" : undefined;
  if (!HOST.test(host)) return "invalid Host header";
  // Node keeps only the first.
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1 ? "more than one Host header" : undefined;
}

/** Letters, digits, `-`, `.`, `_` and `~`, percent-encoded (RFC 3986, section 2.3). */
const ENCODED_UNRESERVED = /%(?:[46][1-9a-f]|[57][0-9a]|3[0-9]|2[de]|5f|7e)/gi;

const MALFORMED_ESCAPE = /%(?![\da-f]{2})/i;

/**
 * Returns the path of a request's URL without the query, and a BAD_REQUEST if the URL or the Host header is invalid. In
 * the request, decodes characters of the path that need no percent-encoding (RFC 3986, section 6.2.2.2).
 */
export function readPath(request: IncomingMessage): [path: string, unreadable?: AppError] {
  if (request.url?.includes("%")) {
    const [, path = "", query = ""] = /^([^?#]*)(.*)$/s.exec(request.url) ?? [];
    const decoded = path.replace(ENCODED_UNRESERVED, (encoded) => decodeURIComponent(encoded));
    // A proxy that hides paths of operations may compare them as they were sent.
    if (surfaceOf(decoded) !== "operations" && !MALFORMED_ESCAPE.test(path)) request.url = decoded + query;
  }
  const found = findPathname(request);
  const path = found ?? request.url?.split("?")[0] ?? "";
  const unreadable = (what: string): [string, AppError] => [
    path,
    new AppError("BAD_REQUEST", `Malformed request: ${what}.`),
  ];
  const hostFault = findHostFault(request);
  if (hostFault !== undefined) return unreadable(hostFault);
  if (found == null) return unreadable("invalid URL");
  try {
    decodeURIComponent(path);
  } catch {
    return unreadable("invalid percent-encoding in the path");
  }
  return [path];
}

function findPathname(request: IncomingMessage): string | null | undefined {
  try {
    return parseUrl(request)?.pathname;
  } catch {
    return undefined;
  }
}
