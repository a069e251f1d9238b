import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type Request, type Response, Router } from "express";
import { AppError } from "../errors.js";
import { getOnly } from "../http/server/side-server.js";

/** Content-Security-Policy without inline code, resources of other sites, or framing. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Content codings of the compressed files, smallest first, with their extensions. */
const COPIES = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

export interface ConsoleOptions {
  /** Folder of the built console. */
  readonly folder: string;
  /** Path of the explorer that charts link to; null for none. */
  readonly explorerPath: string | null;
  /** True if anyone may register. */
  readonly isRegistrationOpen: boolean;
}

/**
 * Creates the router of the console. File names contain a digest, so browsers may cache them for a year. Every other
 * path without an extension serves the same HTML document, which browsers must not store.
 */
export function createConsole({ folder, explorerPath, isRegistrationOpen }: ConsoleOptions): Router {
  const router = Router({ caseSensitive: true });
  const isBuilt = existsSync(`${folder}/index.html`);
  const files = new Set(isBuilt ? readdirSync(`${folder}/assets`) : []);
  const page = isBuilt ? readFileSync(`${folder}/index.html`, "utf8") : "";
  const attributes = [
    ...(explorerPath ? [`data-explorer="${explorerPath}"`] : []),
    ...(isRegistrationOpen ? ['data-registration="open"'] : []),
  ];
  const html = page.replace("<html", ["<html", ...attributes].join(" "));
  router.use(getOnly);
  router.get("/assets/:file", (request, response, next) => {
    const { file } = request.params;
    if (files.has(file)) sendFile(request, response, { folder: `${folder}/assets`, file });
    else next();
  });
  router.get(/^\/[^.]*$/, (_request, response) => {
    if (!isBuilt) throw new AppError("NOT_FOUND", "The console is not built: run npm run build.");
    response.set({
      "Content-Security-Policy": POLICY,
      "Referrer-Policy": "same-origin",
      "Cache-Control": "no-store",
    });
    response.type("html").send(html);
  });
  return router;
}

/** Sends the smallest compressed version of a file that the client accepts. */
function sendFile(request: Request, response: Response, from: { folder: string; file: string }): void {
  const { folder, file } = from;
  const [coding, ending = ""] = COPIES.find(([name]) => request.acceptsEncodings(name)) ?? [];
  response.type(file.slice(file.lastIndexOf(".")));
  response.set({ "Cache-Control": "public, max-age=31536000, immutable", Vary: "Accept-Encoding" });
  if (coding) response.set("Content-Encoding", coding);
  response.sendFile(`${file}${ending}`, { root: folder, cacheControl: false, acceptRanges: false });
}
