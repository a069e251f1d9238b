import type { Resources } from "../../access/context.js";
import { unseal } from "../../access/secrets/sealing.js";
import { signWebhook } from "../../access/secrets/webhook-secret.js";
import type { ClaimedEndpoint } from "../../data/webhooks/claims.js";
import { WebhookFailure, type WebhookRequest } from "../../delivery/webhook.js";

/** An endpoint to send to, with its encrypted secrets. */
export type Target = Pick<ClaimedEndpoint, "url" | "format" | "secret" | "previousSecret">;

const CONTENT_TYPES = { json: "application/json", cloudevents: "application/cloudevents+json" } as const;

/**
 * Creates the request that sends an event to an endpoint, signed with its secret and, until it expires, with the
 * previous one. Throws WebhookFailure if the secret was encrypted with an unknown pepper.
 */
export function writeEventRequest(
  { peppers }: Pick<Resources, "peppers">,
  { url, format, secret, previousSecret }: Target,
  { id, body }: { readonly id: string; readonly body: string },
  now: Date,
): WebhookRequest {
  const current = unseal(secret, peppers);
  if (current === null) throw new WebhookFailure("the secret cannot be read: rotate it");
  const previous = previousSecret === null ? null : unseal(previousSecret, peppers);
  const secrets = previous === null ? [current] : [current, previous];
  return {
    url,
    body,
    headers: {
      "User-Agent": "carbon-gateway",
      "Content-Type": CONTENT_TYPES[format],
      ...signWebhook({ id, body, now }, secrets),
    },
  };
}
