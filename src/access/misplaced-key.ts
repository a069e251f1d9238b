import type { IncomingMessage } from "node:http";
import { holdsKey } from "../domain/keys/text.js";

/** Parts of a request that are searched for an API key. */
export type KeyBearer = Pick<IncomingMessage, "method" | "headers" | "url">;

/** Returns the place where a request without an X-API-Key header carries an API key; undefined if it has none. */
export function findMisplacedKey({ headers, url = "" }: KeyBearer): string | undefined {
  const { authorization = "", cookie = "" } = headers;
  // Basic and some other schemes encode credentials as base64.
  const credentials = Buffer.from(authorization.slice(authorization.indexOf(" ") + 1), "base64").toString();
  if (holdsKey(authorization) || holdsKey(credentials)) return "the Authorization header";
  if (holdsKey(cookie)) return "the Cookie header";
  return holdsKey(url) ? "the URL" : undefined;
}
