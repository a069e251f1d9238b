import type { Resources } from "../../access/context.js";
import { unseal } from "../../access/secrets/sealing.js";
import { write } from "../../data/database/transaction.js";
import {
  countTimeout,
  forgetTimeouts,
  type Pause,
  pauseUserWebhook,
} from "../../data/notifications/delivery-turns.js";
import { type ClaimedRow, claimDeliveries, settleDeliveries } from "../../data/notifications/outbox.js";
import { WebhookFailure, WebhookTimeout } from "../../delivery/webhook.js";
import type { DeliveryChannel } from "../../domain/notifications/categories.js";
import { writeMail } from "../../domain/notifications/mail-text.js";
import {
  completeSettings,
  findEnabledChannels,
  type NotificationSettings,
} from "../../domain/notifications/notification-settings.js";
import { RETRY_DELAYS_MINUTES } from "../../domain/notifications/retries.js";
import { readRetryAfter } from "../../domain/notifications/retry-after.js";
import { switchOffWebhook } from "./switch-off-webhook.js";
import { writeWebhookRequest } from "./webhook-request.js";

/** Notifications that are delivered to a user together: several by e-mail, or one to a webhook. */
export interface Delivery {
  readonly rows: readonly [ClaimedRow, ...ClaimedRow[]];
  readonly settings: NotificationSettings;
}

export interface DeliverOptions {
  readonly resources: Resources;
  readonly clock: () => Date;
  readonly stopped: AbortSignal;
}

/** A failure that a retry cannot fix. */
class Undeliverable extends Error {}

/** Claims at most `max` due deliveries of a channel. */
export async function takeDeliveries(
  { resources, clock }: DeliverOptions,
  channel: DeliveryChannel,
  max: number,
): Promise<readonly Delivery[]> {
  const claimed = await claimDeliveries(resources.database, channel, max, clock());
  const groups = new Map<string, [ClaimedRow, ...ClaimedRow[]]>();
  for (const row of claimed.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())) {
    const rows = groups.get(row.userId);
    if (rows) rows.push(row);
    else groups.set(row.userId, [row]);
  }
  return [...groups.values()].map((rows) => ({ rows, settings: completeSettings(rows[0].changed) }));
}

/**
 * Delivers according to the user's current settings. Retries failures later, up to six attempts; a receiver may get a
 * notification twice. A webhook that answers 410 is switched off; one that answers 429 or 503 with Retry-After is
 * paused until then. Returns the pauses that start because a webhook did not answer in time.
 */
export async function deliver(options: DeliverOptions, delivery: Delivery): Promise<readonly Pause[]> {
  const { resources, clock } = options;
  const error = await attempt(options, delivery);
  const now = clock();
  const [first] = delivery.rows;
  const answer = error instanceof WebhookFailure ? error.answer : null;
  const isGone = answer?.status === 410;
  return write(resources.database, "serve", async (sql) => {
    await settleDeliveries(
      sql,
      delivery.rows.map(({ id, channel, attempts }) => {
        const isOver =
          error === null ||
          isGone ||
          error instanceof Undeliverable ||
          attempts > RETRY_DELAYS_MINUTES.length;
        return { id, channel, doneAt: isOver ? now : null, error: error?.message ?? null };
      }),
    );
    if (error instanceof WebhookTimeout) return countTimeout(sql, first, now);
    if (isGone) await switchOffWebhook(sql, first.userId, delivery.settings, now);
    const until = answer && readRetryAfter(answer, now);
    if (until) await pauseUserWebhook(sql, first.userId, until);
    if (first.channel === "webhook" && error === null) await forgetTimeouts(sql, first);
    return [];
  });
}

/** Tries to deliver. Returns the error, or null. */
async function attempt(options: DeliverOptions, delivery: Delivery): Promise<Error | null> {
  const [{ channel }] = delivery.rows;
  const wanted = delivery.rows.filter(
    ({ mayReceive, category, severity }) =>
      mayReceive && findEnabledChannels(delivery.settings, category, severity)[channel],
  );
  const [first, ...others] = wanted;
  if (first === undefined) return new Undeliverable("the user no longer wants it");
  const rest: Delivery = { ...delivery, rows: [first, ...others] };
  try {
    await (channel === "email" ? sendMail(options.resources, rest) : callWebhook(options, rest));
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function sendMail({ outbound, site }: Resources, { rows, settings }: Delivery): Promise<void> {
  if (outbound.mailer === null) throw new Undeliverable("SMTP_URL is not set");
  const [{ id, email, isConfirmed }] = rows;
  if (!isConfirmed) throw new Undeliverable("the address is not confirmed");
  await outbound.mailer.send({
    ...writeMail(rows, site.url()),
    id,
    to: settings.channels.email.address ?? email,
  });
}

async function callWebhook(
  { resources: { outbound, site, peppers }, clock, stopped }: DeliverOptions,
  { rows: [row], settings }: Delivery,
): Promise<void> {
  const { url } = settings.channels.webhook;
  const secret = row.webhookSecret === null ? null : unseal(row.webhookSecret, peppers);
  if (url === null || secret === null)
    throw new Undeliverable("the webhook's secret cannot be read: set its URL again");
  const now = clock();
  await outbound.webhooks.post(writeWebhookRequest(row, { url, secret, site: site.url(), now }), stopped);
}
