import type { Resources } from "../access/context.js";
import { deliverDue } from "../actions/notifications/deliver.js";
import { remindOfDeadlines } from "../actions/notifications/remind.js";
import { limitTime } from "../data/database/time-limit.js";
import type { Log } from "../log.js";
import type { Part } from "./parts.js";

/** How often the gateway looks for what is to be told. */
export interface NotifyingIntervals {
  readonly deliveryMs: number;
  readonly remindersMs: number;
}

const INTERVALS: NotifyingIntervals = { deliveryMs: 5_000, remindersMs: 3_600_000 };
/** How long `stop` waits for the database. */
const STOP_MS = 500;

export interface NotifyingOptions {
  readonly resources: Resources;
  readonly log: Log;
  readonly clock: () => Date;
  readonly intervals?: NotifyingIntervals | undefined;
}

/** Delivers what people are told by e-mail and webhook, and reminds them of deadlines. What fails is tried again. */
export function startNotifying({ resources, log, clock, intervals = INTERVALS }: NotifyingOptions): Part {
  const stopped = new AbortController();
  const { signal } = stopped;
  const repeats = [
    repeat(intervals.deliveryMs, async () => {
      while (!signal.aborted && (await deliverDue(resources, clock, signal)) > 0);
    }),
    repeat(intervals.remindersMs, () => remindOfDeadlines(resources.database, clock())),
  ];
  function repeat(intervalMs: number, work: () => Promise<void>) {
    let working: Promise<void> | undefined;
    const timer = setInterval(() => {
      working ??= work()
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn({ err: error }, "could not notify people");
        })
        .finally(() => {
          working = undefined;
        });
    }, intervalMs).unref();
    return { timer, working: () => working };
  }
  return {
    async stop() {
      stopped.abort();
      for (const { timer } of repeats) clearInterval(timer);
      // A server that hangs must not keep the gateway from ending.
      const rest = Promise.all(repeats.map(({ working }) => working()));
      await limitTime(STOP_MS)(() => rest).catch(() => undefined);
      resources.outbound.mailer?.close();
    },
  };
}
