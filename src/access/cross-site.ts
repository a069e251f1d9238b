import type { IncomingMessage } from "node:http";
import { AppError } from "../errors.js";
import type { Site } from "../http/site.js";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Throws CSRF_REJECTED if a page of another origin sent a request that may change something. `Sec-Fetch-Site`, which
 * browsers set and pages cannot, must be `same-origin`. Without it, `Origin` must be the gateway's own. Programs send
 * neither, and pass unless they send a cookie.
 */
export function requireSameSite(
  { method = "", headers }: Pick<IncomingMessage, "method" | "headers">,
  { origins }: Site,
  hasCookie: boolean,
): void {
  if (SAFE_METHODS.has(method)) return;
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) {
    if (site === "same-origin") return;
    throw refuse(`expected Sec-Fetch-Site: same-origin, got ${String(site).slice(0, 40)}`);
  }
  if (origin !== undefined) {
    if (origins().includes(origin)) return;
    throw refuse(`expected Origin: ${origins().join(" or ")}, got ${origin.slice(0, 200)}`);
  }
  if (hasCookie) throw refuse("expected Sec-Fetch-Site or Origin with a session cookie, got neither");
}

const refuse = (reason: string) =>
  new AppError("CSRF_REJECTED", `A page of another site sent the request: ${reason}.`);
