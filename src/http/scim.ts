import type { ServerResponse } from "node:http";
import { URN } from "../domain/directory/attributes.js";
import { ScimFault } from "../domain/directory/fault.js";
import { sendPlain } from "./answer/compress.js";
import { listHeaders } from "./answer/envelope.js";
import { toAppError } from "./answer/failure.js";
import type { RequestInfo } from "./request-info.js";

export interface ScimAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Undefined for a response without a body. */
  readonly body?: object | undefined;
}

/** Sends a response in SCIM's format (RFC 7644). */
export function sendScim(
  response: ServerResponse,
  common: Readonly<Record<string, string>>,
  { status, headers = {}, body }: ScimAnswer,
): void {
  if (response.headersSent) return;
  const all = { ...common, ...headers };
  if (body === undefined) return void response.writeHead(status, listHeaders([], [all])).end();
  const text = JSON.stringify(body);
  const typed = ["Content-Type", "application/scim+json; charset=utf-8"];
  sendPlain(response, status, listHeaders(typed, [all]), text, Buffer.byteLength(text));
}

/** Sends a failure in SCIM's format (RFC 7644, section 3.12). */
export function answerScimFailure(
  {
    request,
    response,
    headers,
  }: {
    readonly request: RequestInfo;
    readonly response: ServerResponse;
    readonly headers: Readonly<Record<string, string>>;
  },
  thrown: unknown,
): void {
  const { status, scimType, message, own } = describe(thrown, request);
  const body = {
    schemas: [URN.error],
    status: String(status),
    ...(scimType && { scimType }),
    detail: message,
  };
  sendScim(response, headers, { status, headers: own, body });
}

function describe(thrown: unknown, { log }: RequestInfo) {
  if (thrown instanceof ScimFault) {
    const { status, scimType, message } = thrown;
    return { status, scimType, message, own: {} };
  }
  const { status, message, headers: own, code } = toAppError(thrown, log);
  // For example, a body that is malformed or exceeds JSON_LIMITS.
  const scimType = code === "BAD_REQUEST" && status === 400 ? ("invalidSyntax" as const) : undefined;
  return { status, scimType, message, own };
}
