import type { IncomingMessage } from "node:http";
import { holdsKey } from "../domain/key-text.js";

/** What is read of a request to find its key. */
export type KeyBearer = Pick<IncomingMessage, "headers" | "url">;

/** Where a request without an X-API-Key header carries a key all the same; undefined if it does not. */
export function findMisplacedKey({ headers, url = "" }: KeyBearer): string | undefined {
  const { authorization = "", cookie = "" } = headers;
  // Basic credentials are base64, and so are those of some other schemes.
  const credentials = Buffer.from(authorization.slice(authorization.indexOf(" ") + 1), "base64").toString();
  if (holdsKey(authorization) || holdsKey(credentials)) return "the Authorization header";
  if (holdsKey(cookie)) return "the Cookie header";
  return holdsKey(url) ? "the URL" : undefined;
}
