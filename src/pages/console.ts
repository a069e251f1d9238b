import { existsSync, readdirSync } from "node:fs";
import { type Request, type Response, Router } from "express";
import { AppError } from "../errors.js";
import { getOnly } from "../http/server/side-server.js";

/** Nothing inline, nothing from elsewhere, and no frame around it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The codings of the compressed copies, the smaller first, and their endings. */
const COPIES = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/**
 * Creates the router of the console below its path. Files have names by their digest and may be kept for a year. Every
 * other path without an ending is one of the console's pages, and all of these are the same document, which is never kept.
 */
export function createConsole(folder: string): Router {
  const router = Router({ caseSensitive: true });
  const files = new Set(existsSync(`${folder}/assets`) ? readdirSync(`${folder}/assets`) : []);
  router.use(getOnly);
  router.get("/assets/:file", (request, response, next) => {
    const { file } = request.params;
    if (!files.has(file)) return next();
    send(request, response, {
      folder,
      path: `assets/${file}`,
      caching: "public, max-age=31536000, immutable",
    });
  });
  router.get(/^\/[^.]*$/, (request, response) => {
    if (files.size === 0) throw new AppError("NOT_FOUND", "The console is not built: run npm run build.");
    response.set({ "Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin" });
    send(request, response, { folder, path: "index.html", caching: "no-store" });
  });
  return router;
}

interface Sent {
  readonly folder: string;
  readonly path: string;
  readonly caching: string;
}

/** Sends the smallest copy of a file that the client can read. */
function send(request: Request, response: Response, { folder, path, caching }: Sent): void {
  const [coding, ending = ""] = COPIES.find(([name]) => request.acceptsEncodings(name)) ?? [];
  response.type(path.slice(path.lastIndexOf(".")));
  response.set({ "Cache-Control": caching, Vary: "Accept-Encoding" });
  if (coding) response.set("Content-Encoding", coding);
  response.sendFile(`${path}${ending}`, { root: folder, cacheControl: false, acceptRanges: false });
}
