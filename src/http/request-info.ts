import type { RequestTime } from "../data/database/time-limit.js";
import type { Logger } from "../log.js";

/** What is known of a request before anybody has looked at its key. */
export interface RequestInfo extends RequestTime {
  /** UUID, in the envelope, the X-Request-Id header and every log line. */
  readonly id: string;
  /** The trace that it belongs to (W3C Trace Context), where there is one. */
  readonly traceId: string | undefined;
  /** Writes lines with the ids of the request and its trace. */
  readonly log: Logger;
  /** Of the client, proxies that are trusted looked through. */
  address(): string;
  readonly record: RequestRecord;
}

/** The fields of a log line that say who sent a request. */
export interface PrincipalLog {
  /** Id of the API key that was sent. */
  readonly key_id: string;
  /** Id of the organization. */
  readonly organization: string;
  readonly tier: string;
}

/** What turns out while a request is answered, for its line in the log: each part is noted where it becomes known. */
export interface RequestRecord {
  /** Who was recognized by the credentials, even if they were then refused. */
  principal: PrincipalLog | undefined;
  /** The endpoint's name, or that of the GraphQL operation. */
  operation: string | undefined;
  /** Of the GraphQL operation, or of the endpoint's query, in points. */
  cost: number | undefined;
}
