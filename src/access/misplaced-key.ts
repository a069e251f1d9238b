import type { IncomingMessage } from "node:http";
import { containsKey, containsServiceToken } from "../domain/keys/secrets.js";

/** Parts of a request that are searched for an API key. */
export type KeyBearer = Pick<IncomingMessage, "method" | "headers" | "url">;

/** Returns the wrong place where a request carries an API key; undefined if it carries none. */
export function findMisplacedKey({ headers, url = "" }: KeyBearer): string | undefined {
  const { authorization = "", cookie = "" } = headers;
  // Basic and some other schemes encode credentials as base64.
  const credentials = Buffer.from(authorization.slice(authorization.indexOf(" ") + 1), "base64").toString();
  if (containsKey(authorization) || containsKey(credentials)) return "the Authorization header";
  if (containsKey(cookie)) return "the Cookie header";
  return containsKey(url) ? "the URL" : undefined;
}

/** Returns the message for a service account's token in the X-API-Key header or the URL; undefined without one. */
export function findMisplacedToken({ headers, url = "" }: KeyBearer): string | undefined {
  const { "x-api-key": key = "" } = headers;
  const place = containsServiceToken(String(key)) ? "the X-API-Key header" : "the URL";
  if (place === "the URL" && !containsServiceToken(url)) return undefined;
  return `The token of a service account was sent in ${place}. Send it as Authorization: Bearer.`;
}
