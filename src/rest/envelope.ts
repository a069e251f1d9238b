import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { RequestInfo } from "../context.js";
import type { AppError } from "../errors.js";

/** `meta.version` of the contract. */
export const API_VERSION = "1.0";

const meta = z.strictObject({
  request_id: z.uuid().meta({ description: "Identifier for tracing; the same as in X-Request-Id." }),
  timestamp: z.iso.datetime().meta({ description: "Server time." }),
  version: z.literal(API_VERSION),
});

/** Shape of an answer that carries `data`. */
export const successEnvelope = <Data extends z.ZodType>(data: Data) =>
  z.strictObject({ success: z.literal(true), data, error: z.null(), meta });

/** Shape of an answer that carries an error. */
export const errorEnvelope = z.strictObject({
  success: z.literal(false),
  data: z.null(),
  error: z.strictObject({ code: z.string(), message: z.string() }),
  meta,
});

type Meta = z.infer<typeof meta>;
type RequestIdentity = Pick<RequestInfo, "id" | "now">;

const metaOf = ({ id, now }: RequestIdentity): Meta => ({
  request_id: id,
  timestamp: now.toISOString(),
  version: API_VERSION,
});

/** The envelope of a failure, as JSON. */
export function errorBody(
  request: RequestIdentity,
  { code, message }: Pick<AppError, "code" | "message">,
): string {
  return JSON.stringify({ success: false, data: null, error: { code, message }, meta: metaOf(request) });
}

/** Answers 200 with `data` in the envelope. */
export function sendData(response: ServerResponse, request: RequestIdentity, data: unknown): void {
  send(response, 200, JSON.stringify({ success: true, data, error: null, meta: metaOf(request) }));
}

/** Answers with the status, the headers and the envelope of a failure. */
export function sendError(response: ServerResponse, request: RequestIdentity, error: AppError): void {
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  send(response, error.status, errorBody(request, error));
}

function send(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(response.req.method === "HEAD" ? undefined : body);
}
