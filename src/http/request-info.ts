import type { Logger } from "../log.js";
import type { RequestTime } from "../time-limit.js";

/** Properties of a request that are known before its credentials are checked. */
export interface RequestInfo extends RequestTime {
  /** UUID in the envelope, the X-Request-Id header and every log line. */
  readonly id: string;
  /** Id of the request's trace (W3C Trace Context), if any. An MCP message can carry it in its body. */
  traceId: string | undefined;
  /** Restarts the limit of `inTime`, for example for the next part of a streamed response. */
  renewTime(): void;
  /** Logger that adds the ids of the request and its trace. */
  readonly log: Logger;
  /** Returns the client's address, as reported by trusted proxies if any; empty if unknown. */
  address(): string;
  readonly record: RequestRecord;
}

/** Fields of a log line that identify the sender of a request, using ids instead of names. */
export type PrincipalLog =
  | { readonly key_id: string; readonly organization: string; readonly tier: string }
  | { readonly service_account_id: string; readonly token_id: string; readonly organization: string }
  | { readonly user_id: string; readonly session_id: string; readonly organization: string | null };

/** Fields for the access log, metrics and traces, filled in while the request is answered. */
export interface RequestRecord {
  /** Principal identified by the credentials, even if it was then refused. */
  principal: PrincipalLog | undefined;
  /** Path template of the endpoint without its prefix, or name of the GraphQL operation, tool or MCP method. */
  operation: string | undefined;
  /** Path template of the endpoint, such as `/ext/v1/emissions`. */
  route: string | undefined;
  /** Cost of the GraphQL operation, the endpoint's operation or the tool call, in points. */
  cost: number | undefined;
  /** Name and version of a client of the Model Context Protocol. */
  client?: string | undefined;
  /** Outcome of a tool call: `ok`, or the error code. */
  outcome?: string;
}
