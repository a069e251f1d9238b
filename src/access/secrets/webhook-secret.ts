import { createHmac, randomBytes } from "node:crypto";
import { WEBHOOK_SECRET_PREFIX } from "../../domain/keys/secrets.js";

const BYTES = 32;

/** Creates a webhook secret in the format of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export const generateWebhookSecret = (): string =>
  WEBHOOK_SECRET_PREFIX + randomBytes(BYTES).toString("base64");

/** Returns the bytes of the signing key. In old secrets, without `whsec_`, these are the characters themselves. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(WEBHOOK_SECRET_PREFIX)
    ? Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), "base64")
    : Buffer.from(secret);
}

export interface SignedMessage {
  /** The same for every attempt. Must not contain a dot. */
  readonly id: string;
  readonly body: string;
  /** Time of the attempt, so that receivers can refuse replays of an old request. */
  readonly now: Date;
}

/**
 * Returns the three headers of Standard Webhooks (https://www.standardwebhooks.com), with one signature for each secret
 * in order.
 */
export function signWebhook(
  { id, body, now }: SignedMessage,
  secrets: readonly string[],
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const seconds = Math.floor(now.getTime() / 1_000);
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.${body}`).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
