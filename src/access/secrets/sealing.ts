import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Pepper } from "./api-key.js";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/**
 * Derives the key that encrypts secrets. Without a pepper, every gateway has the same key, so encryption does not
 * protect a copy of the database.
 */
const keyOf = (pepper: Pepper) =>
  new Uint8Array(hkdfSync("sha256", pepper ?? "", "", "carbon-gateway sealed secrets", 32));

/** Encrypts a secret that the gateway has to read again, with a key derived from the pepper. */
export function seal(secret: string, pepper: Pepper): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(pepper), nonce);
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
}

/** Decrypts a secret sealed with one of the peppers; null if it was sealed with a different one or altered. */
export function unseal(sealed: string, peppers: readonly Pepper[]): string | null {
  const bytes = Buffer.from(sealed, "base64url");
  const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
  for (const pepper of peppers) {
    try {
      const cipher = createDecipheriv(CIPHER, keyOf(pepper), nonce, { authTagLength: TAG_BYTES });
      cipher.setAuthTag(tag);
      const text = cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, cipher.final()]).toString("utf8");
    } catch {
      // Sealed with a different pepper.
    }
  }
  return null;
}
