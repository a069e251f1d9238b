import { prune } from "../data/database/prune.js";
import { limitTime } from "../data/database/time-limit.js";
import type { Database } from "../data/database/types.js";
import type { Part } from "./parts.js";

const HOUR_MS = 3_600_000;
/** How long `stop` waits for the database. */
const STOP_MS = 500;

/** Deletes once an hour what nobody needs any more. `onFailed` is called with failures; the next hour tries again. */
export function startPruning(
  database: Database,
  onFailed: (error: unknown) => void,
  intervalMs = HOUR_MS,
): Part {
  let pruning = Promise.resolve();
  const timer = setInterval(() => {
    pruning = pruning.then(() => prune(database)).catch(onFailed);
  }, intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      // A server that hangs must not keep the gateway from ending.
      await limitTime(STOP_MS)(() => pruning).catch(onFailed);
    },
  };
}
