import { createHmac, hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { StoredKey } from "../../data/keys/keys.js";
import { KEY_PREFIX, SERVICE_TOKEN_PREFIX } from "../../domain/keys/secrets.js";
import type { Principal } from "../principal.js";
import { REFUSALS } from "../refusals.js";

/** Digits of keys and tokens. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const PATTERN = new RegExp(
  `^(?:${KEY_PREFIX}|${SERVICE_TOKEN_PREFIX})[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`,
);

/** Returns the CRC-32 of `text` in base 62: six characters, most significant digit first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Creates an API key: `cgw_live_`, 32 random base62 characters and a checksum of both. */
export const generateKey = (): string => generate(KEY_PREFIX);

/** Creates a service account's token: the same with `cgw_svc_`. */
export const generateServiceToken = (): string => generate(SERVICE_TOKEN_PREFIX);

function generate(prefix: string): string {
  let body = prefix;
  for (let i = 0; i < RANDOM_LENGTH; i += 1) body += BASE62.charAt(randomInt(62));
  return body + checksum(body);
}

const hasChecksum = (text: string) =>
  checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);

/** Returns the message for a key with a wrong form or checksum; undefined if both are right. */
export function findKeyFault(text: string): string | undefined {
  if (!PATTERN.test(text) || !text.startsWith(KEY_PREFIX)) return REFUSALS.malformed;
  if (hasChecksum(text)) return undefined;
  return "Invalid API key: its checksum is wrong, so it was mistyped or cut off. Copy it again.";
}

/** Returns true if `text` has the form of a key or of a service account's token, and the right checksum. */
export const isWellFormedKey = (text: string): boolean => PATTERN.test(text) && hasChecksum(text);

/** A secret that keys are hashed with; undefined for a plain hash. */
export type Pepper = string | undefined;

/**
 * Returns the stored hash of a key, as hex: SHA-256, keyed with the pepper if there is one. A slow hash would add no
 * protection: a key has 190 random bits.
 */
export function hashKey(key: string, pepper: Pepper): string {
  if (pepper === undefined) return hash("sha256", key);
  return createHmac("sha256", pepper).update(key).digest("hex");
}

/** Returns the hashes that a stored key or token may have: one for each accepted pepper. */
export const listHashes = (key: string, peppers: readonly Pepper[]): string[] =>
  peppers.map((pepper) => hashKey(key, pepper));

export interface PepperSettings {
  readonly keyPepper: string | undefined;
  /** `none` if keys were hashed without a pepper. */
  readonly previousKeyPepper: string | undefined;
}

/** Lists the accepted peppers of keys: the current one first, then the previous one if it is set. */
export function listPeppers({ keyPepper, previousKeyPepper }: PepperSettings): readonly Pepper[] {
  if (previousKeyPepper === undefined) return [keyPepper];
  return [keyPepper, previousKeyPepper === "none" ? undefined : previousKeyPepper];
}

/** Returns 32 bits of a pepper's digest, or `none`. Stored next to a hash, it identifies the hash's pepper. */
export function fingerprintPepper(pepper: Pepper): string {
  if (pepper === undefined) return "none";
  return createHmac("sha256", pepper).update("fingerprint").digest("hex").slice(0, 8);
}

/** Returns the principal of an API key. */
export function principalOfKey({
  id,
  organization,
  scopes,
  tier,
}: Pick<StoredKey, "id" | "organization" | "scopes" | "tier">): Principal {
  return {
    id,
    organization,
    scopes,
    policy: tier,
    tier,
    person: null,
    serviceAccount: null,
    log: { key_id: id, organization: organization.id, tier },
  };
}
