import { once } from "node:events";
import { connect } from "node:net";
import type { Call } from "./load.js";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A minimal client for timing a server: one persistent connection, one call at a time. */
export interface Connection {
  ask(call: Buffer): Promise<Answer>;
  isOpen(): boolean;
  close(): void;
}

/** Returns the bytes of a call. */
export function encodeCall({ method, path, headers, body = "" }: Call): Buffer {
  const lines = Object.entries({ Host: "bench", ...headers }).map(([name, value]) => `${name}: ${value}`);
  if (body !== "") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

const HEAD_END = "\r\n\r\n";

export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    // A reused buffer: a new one for each received piece would keep the garbage collector busy.
    onread: {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback(length, buffer) {
        received = Buffer.concat([received, buffer.subarray(0, length)]);
        takeAnswer();
        return true;
      },
    },
  });
  await once(socket, "connect");
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;
  let received = Buffer.alloc(0);

  const takeAnswer = () => {
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = received.toString("latin1", 0, headEnd);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) {
      socket.destroy(new Error(`an answer without Content-Length:\n${head}`));
      return;
    }
    const start = headEnd + HEAD_END.length;
    if (received.length < start + length) return;
    const answer = {
      status: Number(head.slice(9, 12)),
      body: received.toString("utf8", start, start + length),
    };
    received = received.subarray(start + length);
    waiting?.resolve(answer);
    waiting = null;
  };
  for (const end of ["error", "close"] as const) {
    socket.on(end, (cause) => {
      waiting?.reject(cause instanceof Error ? cause : new Error("the connection was closed"));
      waiting = null;
    });
  }
  return {
    ask: (call) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(call);
      }),
    isOpen: () => !socket.destroyed,
    close: () => socket.destroy(),
  };
}
