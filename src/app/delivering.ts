import type { Resources } from "../access/context.js";
import { type DeliverOptions, deliver, takeDeliveries } from "../actions/notifications/deliver.js";
import { sendLinkMail, takeLinkMails } from "../actions/notifications/link-mail.js";
import { deliverEvents } from "../actions/webhooks/deliver-events.js";
import { type Claim, claimEndpoints } from "../data/webhooks/claims.js";
import { DELIVERY_CHANNELS } from "../domain/notifications/categories.js";
import { DELIVERY_LIMITS } from "../domain/notifications/delivery-limits.js";
import type { Log } from "../log.js";
import { startLane } from "./lane.js";
import type { Part } from "./parts.js";

const INTERVAL_MS = 5_000;
/** Interval for polling the events of webhook endpoints. */
const EVENTS_INTERVAL_MS = 1_000;
/** Maximum number of webhook endpoints that a process serves at once. */
const ENDPOINT_SLOTS = 20;

export interface DeliveringOptions {
  readonly resources: Resources;
  readonly log: Log;
  readonly clock: () => Date;
  /** Interval for polling due deliveries. */
  readonly intervalMs?: number | undefined;
}

/**
 * Sends due e-mails, webhooks and endpoint events. E-mails with a link, other e-mails, webhooks and endpoints have a
 * lane each, so none waits for another. Several processes share the work.
 */
export function startDelivering({ resources, log, clock, intervalMs }: DeliveringOptions): Part {
  const stopped = new AbortController();
  const options: DeliverOptions = { resources, clock, stopped: stopped.signal };
  const onError = (error: unknown) => {
    if (!stopped.signal.aborted) log.warn({ err: error }, "failed to deliver notifications or events");
  };
  const busy = new Set<Claim>();
  const lanes: readonly Part[] = [
    startLane({
      slots: ENDPOINT_SLOTS,
      intervalMs: intervalMs ?? EVENTS_INTERVAL_MS,
      onError,
      take: (max) => claimEndpoints(resources.database, max, [...busy], clock()),
      async work(claim) {
        busy.add(claim);
        await deliverEvents(options, claim).finally(() => busy.delete(claim));
      },
    }),
    startLane({
      slots: 2,
      intervalMs: intervalMs ?? INTERVAL_MS,
      onError,
      take: (max) => takeLinkMails(resources, max, clock()),
      work: (job) => sendLinkMail(resources, job, clock),
    }),
    ...DELIVERY_CHANNELS.map((channel) =>
      startLane({
        slots: DELIVERY_LIMITS[channel].slots,
        intervalMs: intervalMs ?? INTERVAL_MS,
        onError,
        take: (max) => takeDeliveries(options, channel, max),
        async work(delivery) {
          for (const pause of await deliver(options, delivery))
            log.warn(pause, "webhooks are paused after one did not respond in time");
        },
      }),
    ),
  ];
  return {
    async stop() {
      stopped.abort();
      await Promise.all(lanes.map((lane) => lane.stop()));
      resources.outbound.mailer?.close();
    },
  };
}
