import { createHmac } from "node:crypto";
import { signWebhook } from "../../access/secrets/webhook-secret.js";
import type { ClaimedRow } from "../../data/notifications/outbox.js";
import type { WebhookRequest } from "../../delivery/webhook.js";

/**
 * Returns `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of the seconds, a dot and the body, with the whole secret as its
 * key. For receivers from before Standard Webhooks; support ends on 2027-12-31.
 */
export function signBody(secret: string, body: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}

/** Creates the request that delivers a notification to a webhook; docs/people.md describes it. */
export function writeWebhookRequest(
  { id, category, severity, title, body: text, link, organization, createdAt }: ClaimedRow,
  { url, secret, site, now }: { url: string; secret: string; site: string; now: Date },
): WebhookRequest {
  const body = JSON.stringify({
    id,
    category,
    severity,
    title,
    body: text,
    link: link && site + link,
    organization,
    created_at: createdAt.toISOString(),
  });
  return {
    url,
    body,
    headers: {
      "User-Agent": "carbon-gateway",
      "X-Notification-Id": id,
      "X-Signature": signBody(secret, body, now),
      ...signWebhook({ id, body, now }, [secret]),
    },
  };
}
