import pLimit from "p-limit";
import type { Resources } from "../../access/context.js";
import { unseal } from "../../access/sealing.js";
import { type ClaimedRow, claimDeliveries, settleDeliveries } from "../../data/notifications/outbox.js";
import { writeMail } from "../../domain/notifications/mail-text.js";
import { RETRY_DELAYS_MINUTES } from "../../domain/notifications/retries.js";
import {
  chooseWays,
  completeSettings,
  type NotificationSettings,
} from "../../domain/notifications/settings.js";
import { writeWebhookRequest } from "./webhook-request.js";

/** How many receivers are called at the same time. */
const AT_ONCE = 10;

interface Delivery {
  readonly rows: readonly [ClaimedRow, ...ClaimedRow[]];
  readonly settings: NotificationSettings;
}

/** A delivery that no later attempt could make. */
class Undeliverable extends Error {}

/**
 * Delivers some of what is due by e-mail and webhook, as each person has it set by now; resolves to how many attempts it
 * made. What fails is tried again later, six times in all. Receivers may get the same twice.
 */
export async function deliverDue(
  resources: Resources,
  clock: () => Date,
  stopped: AbortSignal,
): Promise<number> {
  const claimed = await claimDeliveries(resources.database, clock());
  const limit = pLimit(AT_ONCE);
  await Promise.all(
    gather(claimed).map((delivery) =>
      limit(async () => {
        const error = await attempt(resources, delivery, clock(), stopped);
        await settleDeliveries(
          resources.database,
          delivery.rows.map(({ id, channel, attempts }) => {
            const isOver =
              error === null || error instanceof Undeliverable || attempts > RETRY_DELAYS_MINUTES.length;
            return { id, channel, doneAt: isOver ? clock() : null, error: error?.message ?? null };
          }),
        );
      }),
    ),
  );
  return claimed.length;
}

/** The e-mails of a person that are due go as one; each call of a webhook is one. */
function gather(claimed: readonly ClaimedRow[]): Delivery[] {
  const groups = new Map<string, [ClaimedRow, ...ClaimedRow[]]>();
  for (const row of claimed) {
    const group = row.channel === "email" ? row.userId : row.id;
    const rows = groups.get(group);
    if (rows) rows.push(row);
    else groups.set(group, [row]);
  }
  return [...groups.values()].map((rows) => ({ rows, settings: completeSettings(rows[0].changed) }));
}

/** Tries to deliver; resolves to why it failed, or to null. */
async function attempt(
  resources: Resources,
  delivery: Delivery,
  now: Date,
  stopped: AbortSignal,
): Promise<Error | null> {
  const [{ channel }] = delivery.rows;
  const wanted = delivery.rows.filter(
    ({ isMeant, category, severity }) =>
      isMeant && chooseWays(delivery.settings, category, severity)[channel],
  );
  const [first, ...others] = wanted;
  if (first === undefined) return new Undeliverable("it was not wanted any more");
  const rest: Delivery = { ...delivery, rows: [first, ...others] };
  try {
    await (channel === "email" ? mail(resources, rest) : call(resources, rest, now, stopped));
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function mail({ outbound, site }: Resources, { rows, settings }: Delivery): Promise<void> {
  if (outbound.mailer === null) throw new Undeliverable("SMTP_URL is not set");
  const [{ id, email }] = rows;
  await outbound.mailer.send({
    ...writeMail(rows, site.url()),
    ...{ id, to: settings.channels.email.address ?? email },
  });
}

async function call(
  { outbound, site, peppers }: Resources,
  { rows: [row], settings }: Delivery,
  now: Date,
  stopped: AbortSignal,
): Promise<void> {
  const { url } = settings.channels.webhook;
  const secret = row.webhookSecret === null ? null : unseal(row.webhookSecret, peppers);
  if (url === null || secret === null)
    throw new Undeliverable("the webhook's secret cannot be read: set its URL again");
  await outbound.webhooks.post(writeWebhookRequest(row, { url, secret, site: site.url(), now }), stopped);
}
