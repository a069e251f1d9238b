import type { Logger } from "../log.js";
import type { RequestTime } from "../time-limit.js";

/** Properties of a request that are known before its credentials are checked. */
export interface RequestInfo extends RequestTime {
  /** UUID in the envelope, the X-Request-Id header and every log line. */
  readonly id: string;
  /** Id of the request's trace (W3C Trace Context), if there is one. A message can bring it in its body. */
  traceId: string | undefined;
  /** Restarts the limit of `inTime`, for the next part of a streamed answer. */
  renewTime(): void;
  /** Logs lines with the ids of the request and its trace. */
  readonly log: Logger;
  /** Returns the client's address, as trusted proxies name it; empty if it is not known. */
  address(): string;
  readonly record: RequestRecord;
}

/** Fields of a log line that identify the sender of a request, by ids alone. */
export type PrincipalLog =
  | { readonly key_id: string; readonly organization: string; readonly tier: string }
  | { readonly service_account_id: string; readonly token_id: string; readonly organization: string }
  | { readonly user_id: string; readonly session_id: string; readonly organization: string | null };

/** Fields of the access log, filled in while the request is answered. */
export interface RequestRecord {
  /** Principal that the credentials identified, even if they were then refused. */
  principal: PrincipalLog | undefined;
  /** The name of the endpoint or of the GraphQL operation. */
  operation: string | undefined;
  /** The endpoint's path with its parameters unfilled, such as `/ext/v1/emissions`. */
  route: string | undefined;
  /** Points that the GraphQL operation or the endpoint's query costs. */
  cost: number | undefined;
  /** Name and version of a client of the Model Context Protocol. */
  client?: string | undefined;
  /** Outcome of a tool's call: `ok`, or the code of its error. */
  outcome?: string;
}
