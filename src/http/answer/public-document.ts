import { hash } from "node:crypto";
import type { RequestHandler } from "express";
import { once } from "../../domain/once.js";
import { type Coding, compressText, findCoding } from "./compress.js";
import { matchesEtag } from "./etag.js";

/** Seconds for which clients and caches may use a document without revalidating it. */
const MAX_AGE_SECONDS = 300;

/**
 * Creates the handler of a public document. Creates the document on the first request, compresses it once per coding,
 * and gives each coding its own ETag.
 */
export function servePublicDocument(type: string, write: () => string | Promise<string>): RequestHandler {
  const document = once(async () => createCopies(await write()));
  return async (request, response) => {
    const { digest, copyOf } = await document();
    const name = findCoding(request);
    const etag = `"${name === undefined ? digest : `${digest}-${name}`}"`;
    // The document depends on no credential, but whether pages of other origins may read it (CORS) depends on the
    // origin.
    const origin = String(response.get("Vary")).includes("Origin") ? ", Origin" : "";
    response.set({
      ETag: etag,
      "Cache-Control": `public, max-age=${MAX_AGE_SECONDS}`,
      Vary: `Accept-Encoding${origin}`,
    });
    if (matchesEtag(etag, request.headers["if-none-match"])) return void response.status(304).end();
    if (name !== undefined) response.set("Content-Encoding", name);
    response.type(type);
    const copy = await copyOf(name);
    response.set("Content-Length", String(copy.length)).end(request.method === "HEAD" ? undefined : copy);
  };
}

function createCopies(text: string) {
  const copies = new Map<Coding | undefined, Promise<Buffer>>([
    [undefined, Promise.resolve(Buffer.from(text))],
  ]);
  return {
    digest: hash("sha256", text, "base64url").slice(0, 22),
    copyOf(name: Coding | undefined) {
      const copy = copies.get(name) ?? compressText(name as Coding, text);
      copies.set(name, copy);
      return copy;
    },
  };
}
