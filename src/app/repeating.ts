import { limitTime } from "../time-limit.js";
import type { Part } from "./parts.js";

/** Longest time that `stop` waits for unfinished work. */
const STOP_MS = 500;

/** Runs `work` once per interval and skips a run while the last one has not ended. `work` must not reject. */
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
      // A server that hangs must not keep the gateway from ending.
      await limitTime(STOP_MS)(async () => working).catch(() => undefined);
    },
  };
}
