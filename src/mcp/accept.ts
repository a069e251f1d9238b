import type { IncomingMessage } from "node:http";
import express, { type Request } from "express";

/** Media types of an answer: one JSON message, or a stream whose event is the message. */
const JSON_MESSAGE = "application/json";
const STREAM = "text/event-stream";
type MessageType = typeof JSON_MESSAGE | typeof STREAM;

/** An answer's message and its media type. */
export interface SerializedMessage {
  readonly type: MessageType;
  readonly body: string;
}

/**
 * Returns the types that a client accepts (RFC 9110, section 12.5.1). If it accepts one, replaces its Accept header by
 * both types, which the SDK requires.
 */
export function readAccepted(incoming: IncomingMessage): readonly MessageType[] {
  const accepts = (type: MessageType) => express.request.accepts.call(incoming as Request, type) === type;
  const accepted = ([JSON_MESSAGE, STREAM] as const).filter(accepts);
  if (accepted.length > 0) incoming.headers.accept = `${JSON_MESSAGE}, ${STREAM}`;
  return accepted;
}

/** Converts a message to a type that the client accepts. */
export function inAccepted(
  message: SerializedMessage,
  [only, other]: readonly MessageType[],
): SerializedMessage {
  const { type, body } = message;
  if (only === undefined || other !== undefined || only === type) return message;
  if (only === STREAM) return { type: only, body: `event: message\ndata: ${body}\n\n` };
  return { type: only, body: /^data: (.*)$/m.exec(body)?.[1] ?? body };
}

/** Converts a successful answer of the SDK. A subscription has no end, so it remains a stream. */
export async function answerInAccepted(
  response: Response,
  accepted: readonly MessageType[],
  isSubscription: boolean,
): Promise<Response> {
  const type = [JSON_MESSAGE, STREAM].find((one) => response.headers.get("Content-Type")?.startsWith(one));
  const isAccepted = accepted.length !== 1 || type === undefined || accepted[0] === type;
  if (isAccepted || isSubscription || response.status !== 200) return response;
  const converted = inAccepted({ type: type as MessageType, body: await response.text() }, accepted);
  const headers = new Headers(response.headers);
  headers.set("Content-Type", converted.type);
  return new Response(converted.body, { status: response.status, headers });
}
