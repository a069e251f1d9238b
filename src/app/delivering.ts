import type { Resources } from "../access/context.js";
import { type DeliverOptions, deliver, takeDeliveries } from "../actions/notifications/deliver.js";
import { sendLinkMail, takeLinkMails } from "../actions/notifications/link-mail.js";
import { DELIVERY_CHANNELS } from "../domain/notifications/categories.js";
import { DELIVERY_LIMITS } from "../domain/notifications/delivery-limits.js";
import type { Log } from "../log.js";
import { startLane } from "./lane.js";
import type { Part } from "./parts.js";

const INTERVAL_MS = 5_000;

export interface DeliveringOptions {
  readonly resources: Resources;
  readonly log: Log;
  readonly clock: () => Date;
  /** Interval of looking for due deliveries, in milliseconds. */
  readonly intervalMs?: number | undefined;
}

/**
 * Sends due e-mails and calls due webhooks. E-mails with a link, other e-mails and webhooks have separate lanes, so
 * that none of them waits for another. Several processes share the work.
 */
export function startDelivering({
  resources,
  log,
  clock,
  intervalMs = INTERVAL_MS,
}: DeliveringOptions): Part {
  const stopped = new AbortController();
  const options: DeliverOptions = { resources, clock, stopped: stopped.signal };
  const onError = (error: unknown) => {
    if (!stopped.signal.aborted) log.warn({ err: error }, "could not deliver notifications");
  };
  const lanes: readonly Part[] = [
    startLane({
      slots: 2,
      intervalMs,
      onError,
      take: (most) => takeLinkMails(resources, most, clock()),
      work: (job) => sendLinkMail(resources, job, clock),
    }),
    ...DELIVERY_CHANNELS.map((channel) =>
      startLane({
        slots: DELIVERY_LIMITS[channel].slots,
        intervalMs,
        onError,
        take: (most) => takeDeliveries(options, channel, most),
        async work(delivery) {
          for (const pause of await deliver(options, delivery))
            log.warn(pause, "webhooks are paused: one did not answer in time");
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
