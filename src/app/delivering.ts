import type { Resources } from "../access/context.js";
import { deliverDue } from "../actions/notifications/deliver.js";
import { limitTime } from "../data/database/time-limit.js";
import type { Log } from "../log.js";
import type { Part } from "./parts.js";

const INTERVAL_MS = 5_000;
/** How long `stop` waits for the database. */
const STOP_MS = 500;

export interface DeliveringOptions {
  readonly resources: Resources;
  readonly log: Log;
  readonly clock: () => Date;
  /** How often it looks for what is due. */
  readonly intervalMs?: number | undefined;
}

/** Delivers what people are told by e-mail and webhook, when it is due. Several processes share the work. */
export function startDelivering({
  resources,
  log,
  clock,
  intervalMs = INTERVAL_MS,
}: DeliveringOptions): Part {
  const stopped = new AbortController();
  const { signal } = stopped;
  const deliverAll = async () => {
    try {
      while (!signal.aborted && (await deliverDue(resources, clock, signal)) > 0);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "could not deliver what people are told");
    }
  };
  let delivering: Promise<void> | undefined;
  const timer = setInterval(() => {
    delivering ??= deliverAll().finally(() => {
      delivering = undefined;
    });
  }, intervalMs).unref();
  return {
    async stop() {
      stopped.abort();
      clearInterval(timer);
      // A server that hangs must not keep the gateway from ending.
      await limitTime(STOP_MS)(async () => delivering).catch(() => undefined);
      resources.outbound.mailer?.close();
    },
  };
}
