import type { ServerResponse } from "node:http";
import { sendPlain } from "./compress.js";
import { type Headers, listHeaders } from "./envelope.js";

/** An answer as its client received it. */
export interface SentAnswer {
  readonly status: number;
  /** Path of the created resource if the status is 201. */
  readonly location: string | null;
  readonly etag: string | null;
  readonly contentType: string;
  readonly body: string;
}

/** Sends the answer to an earlier request again, with the headers of the current one. */
export function sendReplay(
  response: ServerResponse,
  headers: Headers,
  { status, location, etag, contentType, body }: SentAnswer,
): void {
  const own = {
    "Content-Type": contentType,
    "Idempotency-Replayed": "true",
    ...(etag !== null && { ETag: etag }),
    // For other statuses, `location` is the path of the request.
    ...(status === 201 && location !== null && { Location: location }),
  };
  sendPlain(response, status, listHeaders([], [...headers, own]), body, Buffer.byteLength(body));
}
