import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "../errors.js";
import { errorBody } from "../rest/envelope.js";
import { commonHeaders } from "./headers.js";
import { closeInStages } from "./linger.js";

const MESSAGES = {
  400: "The request cannot be read: it is not well-formed HTTP.",
  408: "The request took too long to arrive.",
  431: "The request's headers are too large.",
} as const;

/** What is said of a request that has not come as a whole, or not as HTTP. */
export const unreadable = (status: keyof typeof MESSAGES): AppError =>
  new AppError("BAD_REQUEST", MESSAGES[status], { status });

/** Answers, in the envelope, a request that Node could not read: its listener for `clientError`. */
export function refuseUnreadable(clock: () => Date) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const status =
      error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
    refuseOn(socket, clock, unreadable(status));
  };
}

/** Answers, in the envelope, who takes the server for a proxy: its listener for `connect`, without which Node is silent. */
export function refuseTunnel(clock: () => Date) {
  return (_request: IncomingMessage, socket: Duplex): void => {
    // Node has let go of the connection: nobody else reads it.
    socket.on("error", () => socket.destroy()).resume();
    const headers = { Allow: "GET, HEAD, POST, OPTIONS" };
    refuseOn(socket, clock, new AppError("METHOD_NOT_ALLOWED", "CONNECT is not allowed here.", { headers }));
  };
}

/** Connections that are closed after the answer to an earlier request. */
const ending = new WeakSet<Duplex>();

/** Writes an answer on the connection itself, and ends it. */
function refuseOn(duplex: Duplex, clock: () => Date, error: AppError): void {
  // What Node hands over is one, and also where it says less.
  const socket = duplex as Socket & { _httpMessage?: ServerResponse | null };
  const { _httpMessage: earlier } = socket;
  if (earlier && (earlier.req.complete || earlier.headersSent)) {
    // Written now, it would be taken for the answer to that earlier request of the connection, or stand in its middle.
    if (!ending.has(socket)) earlier.once("finish", () => closeInStages(socket));
    ending.add(socket);
    return;
  }
  if (!socket.writable) {
    // What has been written before is still on its way: the connection is closed when it is there.
    if (!socket.writableEnded) socket.destroy();
    return;
  }
  const id = randomUUID();
  const body = errorBody({ id, now: clock() }, error);
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries({ ...commonHeaders(id), ...error.headers }).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ];
  closeInStages(socket, `${head.join("\r\n")}\r\n\r\n${body}`);
}
