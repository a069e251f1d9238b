import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "../errors.js";
import { answerUnderWay, closeInStages } from "./connections.js";
import { errorBody } from "./envelope.js";
import { commonHeaders } from "./headers.js";

const MESSAGES = {
  400: "Malformed HTTP request.",
  408: "The request took too long to arrive.",
  431: "The request headers are too large.",
} as const;

/** What is said of a request that has not come as a whole, or not as HTTP. */
export const unreadable = (status: keyof typeof MESSAGES): AppError =>
  new AppError("BAD_REQUEST", MESSAGES[status], { status });

/** Of each connection the last request that has a body, and how to refuse it. */
export type Receiving = WeakMap<
  Duplex,
  {
    readonly incoming: IncomingMessage;
    readonly response: ServerResponse;
    readonly refuse: (error: AppError) => void;
  }
>;

/** Answers, in the envelope, a request that Node could not read: its listener for `clientError`. */
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
      // It is the body of that request that cannot be read.
      last.refuse(unreadable(status));
    }
  };
}

const TUNNEL_MS = 5_000;

/** Answers, in the envelope, who takes the server for a proxy: its listener for `connect`, without which Node is silent. */
export function refuseTunnel(clock: () => Date) {
  return (_request: IncomingMessage, duplex: Duplex): void => {
    const socket = duplex as Socket;
    // Node has let go of the connection: nobody else reads it, or gives it up when its client does not.
    socket.setTimeout(TUNNEL_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy()).resume();
    const headers = { Allow: "GET, HEAD, POST, OPTIONS" };
    refuseOn(socket, clock, new AppError("METHOD_NOT_ALLOWED", "CONNECT is not allowed here.", { headers }));
  };
}

/** Writes an answer on the connection itself, and ends it. */
function refuseOn(socket: Socket, clock: () => Date, error: AppError): void {
  if (answerUnderWay(socket)) {
    // Written now, it would be taken for the answer to an earlier request of the connection, or stand in its middle.
    closeAfterAnswers(socket);
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

/** Connections that are closed once what was asked over them has been answered. */
const closing = new WeakSet<Socket>();

function closeAfterAnswers(socket: Socket): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  const goOn = () => {
    // The next one, by then.
    const response = answerUnderWay(socket);
    if (response) response.once("finish", goOn);
    else closeInStages(socket);
  };
  goOn();
}
