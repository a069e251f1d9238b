import { createHmac, timingSafeEqual } from "node:crypto";
import { ACCESS_TOKEN_PREFIX } from "../../domain/keys/secrets.js";
import { SCOPES, type Scope, scopeBits } from "../../domain/scopes.js";
import type { Pepper } from "./api-key.js";

/** Audiences that a bearer token may be limited to: the API, or the MCP server. */
export const RESOURCES = ["api", "mcp"] as const;

export type Resource = (typeof RESOURCES)[number];

/** Claims of a bearer token: its subject, its scopes and its expiry. */
export interface AccessClaims {
  readonly accountId: string;
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
  /** Null if the token is valid for every resource. */
  readonly resource: Resource | null;
  /** A bearer token contains it in whole seconds, rounded down. */
  readonly expiresAt: Date;
}

const FORMAT = 1;
const UUID_BYTES = 16;
const MAC_BYTES = 32;
const AT = { account: 1, token: 1 + UUID_BYTES, scopes: 33, resource: 37, expiry: 38 };
const PAYLOAD_BYTES = 42;
const PATTERN = new RegExp(`^${ACCESS_TOKEN_PREFIX}([0-9a-f]{${2 * (PAYLOAD_BYTES + MAC_BYTES)}})$`);

/**
 * Returns the MAC of a payload. Its key derives from the pepper and the token's stored hash: without the hash, nobody
 * can forge a bearer token. The MAC covers the list of scopes, because its order gives the payload's bits their
 * meaning.
 */
function macOf(payload: Buffer, tokenHash: string, pepper: Pepper): Buffer {
  const key = createHmac("sha256", pepper ?? "")
    .update(`carbon-gateway access token ${tokenHash}`)
    .digest();
  return createHmac("sha256", key).update(payload).update(SCOPES.join()).digest();
}

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll("-", ""), "hex");

function uuidAt(payload: Buffer, start: number): string {
  const digits = payload.subarray(start, start + UUID_BYTES).toString("hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Creates a bearer token: `cgw_acc_`, and its claims with their MAC in hexadecimal digits. */
export function writeAccessToken(claims: AccessClaims, tokenHash: string, pepper: Pepper): string {
  const { accountId, tokenId, scopes, resource, expiresAt } = claims;
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUInt8(FORMAT);
  bytesOf(accountId).copy(payload, AT.account);
  bytesOf(tokenId).copy(payload, AT.token);
  payload.writeUInt32BE(scopeBits(scopes), AT.scopes);
  payload.writeUInt8(resource === null ? 0 : RESOURCES.indexOf(resource) + 1, AT.resource);
  payload.writeUInt32BE(Math.floor(expiresAt.getTime() / 1_000), AT.expiry);
  const bytes = Buffer.concat([payload, macOf(payload, tokenHash, pepper)]);
  return ACCESS_TOKEN_PREFIX + bytes.toString("hex");
}

/** Claims of a bearer token. Trust them only if `isAuthentic` returns true for the hash of the token they name. */
export interface ReadAccessToken extends AccessClaims {
  isAuthentic(tokenHash: string, peppers: readonly Pepper[]): boolean;
}

/** Reads a bearer token; undefined if `text` does not have its form. */
export function readAccessToken(text: string): ReadAccessToken | undefined {
  const [, digits] = PATTERN.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const bytes = Buffer.from(digits, "hex");
  const [payload, mac] = [bytes.subarray(0, PAYLOAD_BYTES), bytes.subarray(PAYLOAD_BYTES)];
  if (payload.readUInt8() !== FORMAT) return undefined;
  // A newer gateway with more resources issued it.
  if (payload.readUInt8(AT.resource) > RESOURCES.length) return undefined;
  const bits = payload.readUInt32BE(AT.scopes);
  return {
    accountId: uuidAt(payload, AT.account),
    tokenId: uuidAt(payload, AT.token),
    scopes: SCOPES.filter((scope) => (bits & scopeBits([scope])) !== 0),
    resource: RESOURCES[payload.readUInt8(AT.resource) - 1] ?? null,
    expiresAt: new Date(payload.readUInt32BE(AT.expiry) * 1_000),
    isAuthentic: (tokenHash, peppers) =>
      peppers.some((pepper) => timingSafeEqual(mac, macOf(payload, tokenHash, pepper))),
  };
}
