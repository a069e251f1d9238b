import { isUtf8 } from "node:buffer";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A well-formed HTTP/1.1 answer, as received over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Values by lowercase name, in the order received. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

/** Everything received over one connection. */
export interface Exchange {
  readonly answers: readonly WireAnswer[];
  /** Every byte, to search for leaks. */
  readonly text: string;
}

export interface WireRequest {
  /** Pieces to send, each in its own packet. */
  readonly pieces: readonly Buffer[];
  /** Pause between two pieces; none by default. */
  readonly pauseMs?: number;
  /** True for a complete request, which must be answered. Otherwise the client gives up waiting. */
  readonly isWhole: boolean;
  /** True if the client closes its side right after sending. */
  readonly closesEarly?: boolean;
}

const PATIENCE_MS = 10_000;
const IDLE_MS = 25;

/** Sends bytes over a new connection, and returns everything received until the server closed it. */
export function receive(
  url: string,
  { pieces, pauseMs = 0, isWhole, closesEarly = false }: WireRequest,
): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let idle: NodeJS.Timeout | undefined;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: closesEarly });
    const patience = setTimeout(() => {
      reject(new Error(`no end of the answer within ${PATIENCE_MS} ms; so far: ${Buffer.concat(chunks)}`));
      socket.destroy();
    }, PATIENCE_MS);
    // Waits after an incomplete request, but not after a complete answer.
    const awaitMore = () => {
      clearTimeout(idle);
      if (!isWhole) idle = setTimeout(() => socket.end(), IDLE_MS);
    };
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (!socket.writable) break;
        socket.write(piece);
        if (pieces.length > 1) await (pauseMs > 0 ? delay(pauseMs) : new Promise(setImmediate));
      }
      if (closesEarly) socket.end();
      awaitMore();
    });
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      awaitMore();
    });
    // The server may close before everything is sent; its answer is still valid.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(patience);
      clearTimeout(idle);
      resolve(Buffer.concat(chunks));
    });
  });
}

/** Parses everything received for a request. */
export function parseExchange(received: Buffer, { pieces, isWhole }: WireRequest): Exchange {
  const sent = Buffer.concat(pieces);
  const answers = parseAnswers(received, /(^|\n)HEAD /.test(sent.toString("latin1")));
  if (isWhole && answers.length === 0) throw new Error("the connection was closed without an answer");
  return { answers, text: received.toString("utf8") };
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e\t\x80-\xff]*)$/;

function parseAnswers(bytes: Buffer, mayLackBody: boolean): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) throw new Error(`the answer's head has no end: ${bytes.subarray(at)}`);
    const [statusLine = "", ...lines] = bytes.subarray(at, end).toString("latin1").split("\r\n");
    const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(statusLine)}`);
    const headers = parseHeaders(lines);
    const rest = bytes.subarray(end + 4);
    const isBodiless = mayLackBody && (rest.length === 0 || rest.subarray(0, 9).equals(NEXT));
    const isEmpty = status < 200 || status === 204 || status === 304 || isBodiless;
    const { body, length } = isEmpty ? { body: Buffer.alloc(0), length: 0 } : parseBody(headers, rest);
    if (!isUtf8(body)) throw new Error("the body is not UTF-8");
    if (status >= 200) answers.push({ status, headers, body: body.toString("utf8") });
    at = end + 4 + length;
  }
  return answers;
}
const NEXT = Buffer.from("HTTP/1.1 ");

function parseHeaders(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const match = HEADER.exec(line);
    if (!match) throw new Error(`no header: ${JSON.stringify(line)}`);
    const [, name = "", value = ""] = match;
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  for (const [name, values] of headers) {
    // A list of challenges (RFC 9110, section 11.6.1).
    if (values.length > 1 && name !== "www-authenticate")
      throw new Error(`the header ${name} came ${values.length} times`);
  }
  return headers;
}

function parseBody(headers: ReadonlyMap<string, readonly string[]>, rest: Buffer) {
  const lengthText = headers.get("content-length")?.[0];
  if (headers.get("transfer-encoding")?.[0] === "chunked") {
    if (lengthText !== undefined) throw new Error("the answer is chunked and has a Content-Length");
    return parseChunks(rest);
  }
  if (lengthText === undefined) {
    // Answers to HTTP/1.0 may end with the connection.
    if (headers.get("connection")?.[0] === "close") return { body: rest, length: rest.length };
    throw new Error("the answer has neither Content-Length nor chunks");
  }
  const length = Number(lengthText);
  if (!/^\d+$/.test(lengthText) || rest.length < length) {
    throw new Error(`Content-Length is ${lengthText}, and ${rest.length} bytes came`);
  }
  return { body: rest.subarray(0, length), length };
}

function parseChunks(rest: Buffer): { body: Buffer; length: number } {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = rest.indexOf("\r\n", at);
    const size = Number.parseInt(rest.subarray(at, end).toString("latin1"), 16);
    if (end < 0 || Number.isNaN(size)) throw new Error("a chunk has no size");
    const from = end + 2;
    if (!rest.subarray(from + size, from + size + 2).equals(CRLF)) throw new Error("a chunk is cut off");
    if (size === 0) return { body: Buffer.concat(chunks), length: from + 2 };
    chunks.push(rest.subarray(from, from + size));
    at = from + size + 2;
  }
}
const CRLF = Buffer.from("\r\n");
