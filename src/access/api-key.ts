import { createHmac, hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { StoredKey } from "../data/keys/keys.js";
import { KEY_PREFIX } from "../domain/key-text.js";
import type { Principal } from "./principal.js";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** CRC-32 of `text` in base 62, most significant digit first, padded with 0 to six characters. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** A new key: `cgw_live_`, 32 random base62 characters, and the checksum of all that. */
export function generateKey(): string {
  let body = KEY_PREFIX;
  for (let i = 0; i < RANDOM_LENGTH; i += 1) body += BASE62.charAt(randomInt(62));
  return body + checksum(body);
}

/** Whether `text` has the form of a key and its checksum is right. Needs no I/O, so that typos and noise cost none. */
export function isWellFormedKey(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** A secret that keys are hashed with; undefined for none. */
export type Pepper = string | undefined;

/**
 * What is stored of a key, as hex: its SHA-256, keyed with the pepper where there is one. A slow hash would protect
 * nothing: the key has 190 random bits.
 */
export function hashKey(key: string, pepper: Pepper): string {
  if (pepper === undefined) return hash("sha256", key);
  return createHmac("sha256", pepper).update(key).digest("hex");
}

export interface PepperSettings {
  readonly keyPepper: string | undefined;
  /** `none` for no pepper. */
  readonly previousKeyPepper: string | undefined;
}

/** The peppers that keys are looked for with: first that of new keys, then the one before, where it is still let in. */
export function listPeppers({ keyPepper, previousKeyPepper }: PepperSettings): readonly Pepper[] {
  if (previousKeyPepper === undefined) return [keyPepper];
  return [keyPepper, previousKeyPepper === "none" ? undefined : previousKeyPepper];
}

/** What is noted of a pepper beside a hash, so that keys of another one can be told: 32 bits of a digest, or `none`. */
export function fingerprintPepper(pepper: Pepper): string {
  if (pepper === undefined) return "none";
  return createHmac("sha256", pepper).update("fingerprint").digest("hex").slice(0, 8);
}

/** The principal that an API key stands for. */
export function principalOfKey({ id, organization, scopes, tier }: StoredKey): Principal {
  return { id, organization, scopes, tier, log: { key_id: id, organization: organization.id, tier } };
}
