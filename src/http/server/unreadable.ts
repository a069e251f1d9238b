import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "../../errors.js";
import { errorBody } from "../answer/envelope.js";
import { unreadable } from "../answer/failure.js";
import { commonHeaders } from "../answer/headers.js";
import { closeInStages, responseInProgress } from "./connections.js";

/** The last request with a body on each connection. */
export type Receiving = WeakMap<
  Duplex,
  {
    readonly incoming: IncomingMessage;
    readonly response: ServerResponse;
    readonly refuse: (error: AppError) => void;
  }
>;

/**
 * Creates the listener for `clientError`. It answers requests that Node cannot read: with the envelope, or in the
 * format of the surface if only the body is unreadable.
 */
export function refuseUnreadable(clock: () => Date, receiving: Receiving = new WeakMap()) {
  return (error: NodeJS.ErrnoException, duplex: Duplex): void => {
    if (error.code === "ECONNRESET") {
      duplex.destroy();
      return;
    }
    const status =
      error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
    const last = receiving.get(duplex);
    if (last === undefined || last.incoming.complete) {
      refuseOn(duplex as Socket, clock, unreadable(status));
    } else if (last.response.headersSent) {
      closeAfterAnswers(duplex as Socket);
    } else {
      // The unreadable part is the body of that request.
      last.refuse(unreadable(status));
    }
  };
}

const TUNNEL_MS = 5_000;

/** Creates the listener for `connect`. It refuses to act as a proxy, using the envelope; Node would not answer. */
export function refuseTunnel(clock: () => Date) {
  return (_request: IncomingMessage, duplex: Duplex): void => {
    const socket = duplex as Socket;
    // Node no longer manages the connection: nothing else reads it, or closes it if the client does not.
    socket.setTimeout(TUNNEL_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy()).resume();
    // The target is a host and port. An empty value says that it allows no method (RFC 9110, section 10.2.1).
    const headers = { Allow: "" };
    refuseOn(socket, clock, new AppError("METHOD_NOT_ALLOWED", "CONNECT is not allowed here.", { headers }));
  };
}

/** Writes a response to the connection itself, and closes it. */
function refuseOn(socket: Socket, clock: () => Date, error: AppError): void {
  if (responseInProgress(socket)) {
    // The client would mistake it for the response to an earlier request, or read it as a part of that response.
    closeAfterAnswers(socket);
    return;
  }
  if (!socket.writable) {
    // If the sending side has ended, the client is still reading its response. The connection then closes
    // automatically.
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

/** Connections that will close once their requests have been answered. */
const closing = new WeakSet<Socket>();

function closeAfterAnswers(socket: Socket): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  const waitOrClose = () => {
    // The response that is due next when this runs.
    const response = responseInProgress(socket);
    if (response) response.once("finish", waitOrClose);
    else closeInStages(socket);
  };
  waitOrClose();
}
