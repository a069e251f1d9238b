import { limitTime } from "../time-limit.js";
import type { Part } from "./parts.js";

/** Maximum time `stop` waits for unfinished work. */
const STOP_MS = 500;

/** Runs `work` at each interval, unless the last run is still in progress. `work` must not reject. */
export function startRepeating(work: () => Promise<void>, intervalMs: number): Part {
  let working: Promise<void> | undefined;
  const timer = setInterval(() => {
    working ??= work().finally(() => {
      working = undefined;
    });
  }, intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      // A hanging server must not keep the gateway from stopping.
      await limitTime(STOP_MS)(async () => working).catch(() => undefined);
    },
  };
}
