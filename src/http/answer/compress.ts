import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompress, constants, gzip, gzipSync } from "node:zlib";
import express, { type Request } from "express";

/** A shorter body fits into one or two packets anyway. */
const MIN_BYTES = 1_024;
/** Compressing a shorter body takes 0.1 ms; handing it to a thread and back would add as much. */
const MIN_BYTES_FOR_THREAD = 16_384;

/** A window of 64 kB instead of 4 MB halves the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 16 } };
const GZIP = { level: 2 };

/** Codings for responses, the better one first. Both use a low level, which takes little CPU time. */
const CODINGS = {
  br: {
    inThread: promisify(brotliCompress),
    atOnce: (body: Buffer) => brotliCompressSync(body, BROTLI),
    options: BROTLI,
  },
  gzip: {
    inThread: promisify(gzip),
    atOnce: (body: Buffer) => gzipSync(body, GZIP),
    options: GZIP,
  },
};
export type Coding = keyof typeof CODINGS;
const NAMES = Object.keys(CODINGS) as Coding[];

/** Returns the coding for a response; undefined if the client accepts none. */
export function findCoding(incoming: IncomingMessage): Coding | undefined {
  if (incoming.headers["accept-encoding"] === undefined) return undefined;
  const accepts = (name: Coding) => express.request.acceptsEncodings.call(incoming as Request, name) === name;
  return NAMES.find(accepts);
}

/** Adds Accept-Encoding to the Vary header. `headers` alternates names and values. */
function varyByEncoding(headers: string[]): void {
  const vary = headers.indexOf("Vary") + 1;
  if (vary === 0) headers.push("Vary", "Accept-Encoding");
  else headers[vary] += ", Accept-Encoding";
}

/**
 * Sends a body, compressed if that pays off and the client accepts it. `headers` alternates names and values, without
 * Content-Length. Never use this for a response with a secret: next to text that the caller controls, the compressed
 * length would reveal the secret (BREACH). Nor for one with a strong ETag, which must name the same bytes for all
 * clients.
 */
export function sendCompressible(
  response: ServerResponse,
  status: number,
  headers: string[],
  body: string | Buffer,
  length: number,
): void {
  if (length < MIN_BYTES) return void sendPlain(response, status, headers, body, length);
  varyByEncoding(headers);
  const name = findCoding(response.req);
  if (name === undefined) return void sendPlain(response, status, headers, body, length);
  const { inThread, atOnce, options } = CODINGS[name];
  const text =
    typeof body === "string" ? Buffer.from(body, length === body.length ? "latin1" : "utf8") : body;
  const send = (compressed: Buffer) => {
    // The request was refused or lost in the meantime.
    if (response.headersSent || response.destroyed) return;
    const own = ["Content-Encoding", name, "Content-Length", String(compressed.length)];
    headers.push(...own);
    response.writeHead(status, headers);
    response.end(compressed);
  };
  if (length < MIN_BYTES_FOR_THREAD) return void send(atOnce(text));
  inThread(text, options).then(send, () => sendPlain(response, status, headers, body, length));
}

/** Sends a body without compression. `headers` alternates names and values, without Content-Length. */
export function sendPlain(
  response: ServerResponse,
  status: number,
  headers: string[],
  body: string | Buffer,
  length: number,
): void {
  // The request was refused in the meantime, because its body could not be read.
  if (response.headersSent) return;
  headers.push("Content-Length", String(length));
  response.writeHead(status, headers);
  // A string with one byte per character needs no encoding. Other long strings are written faster as bytes.
  if (length === body.length) response.end(body, "latin1");
  else response.end(typeof body === "string" && length >= MIN_BYTES_FOR_THREAD ? Buffer.from(body) : body);
}

/** Compresses a string for a cached response, with a higher level than `compress`. */
export const compressText = (name: Coding, text: string): Promise<Buffer> =>
  CODINGS[name].inThread(
    text,
    name === "br" ? { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } } : { level: 9 },
  );

/** Compresses a string quickly. */
export const compress = (text: string): Promise<Buffer> => CODINGS.br.inThread(text, BROTLI);

const decompressInThread = promisify(brotliDecompress);

/** Returns the string that `compress` has compressed. */
export const decompress = async (compressed: Uint8Array): Promise<string> =>
  (await decompressInThread(compressed)).toString();
