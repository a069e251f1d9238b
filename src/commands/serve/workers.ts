import cluster from "node:cluster";
import type { Config } from "../../config.js";
import { OperatorError } from "../../errors.js";
import { createLogger } from "../../log.js";
import { logWarnings } from "./log-warnings.js";
import { readableLog } from "./readable-log.js";
import { onStopSignal } from "./stop-signal.js";
import { answerMetrics } from "./worker-metrics.js";

const RESTART_MS = 1_000;

/**
 * Runs `serve` in several processes that share the port. On SIGTERM or SIGINT, each stops gracefully. Replaces workers
 * that exit unexpectedly. Throws OperatorError if DATABASE_URL or REDIS_URL is unset, or if one of the first workers
 * exits before it serves.
 */
export async function serveWithWorkers(count: number, config: Config): Promise<void> {
  if (config.databaseUrl === undefined || config.redisUrls === undefined) {
    throw new OperatorError(
      "--workers needs DATABASE_URL and REDIS_URL: only one process can use an embedded database, and without Redis every worker would count requests separately.",
      2,
    );
  }
  const log = createLogger(config.logLevel, await readableLog(process.stderr));
  logWarnings(log);
  let stopping = false;
  const stop = () => {
    stopping = true;
    // Never SIGINT: a terminal also sends it to the workers, and a second one would end them immediately.
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGTERM");
  };
  onStopSignal(stop);
  answerMetrics(log);

  cluster.setupPrimary({ args: ["serve"] });
  const run = async (): Promise<void> => {
    let hasServed = false;
    while (!stopping) {
      const end = await runWorker(() => {
        hasServed = true;
      });
      if (stopping) return;
      if (!hasServed) {
        stop();
        throw new OperatorError("A worker exited before it could serve. See its message above.");
      }
      log.error(end, "a worker exited: starting another");
      await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
    }
  };
  await Promise.all(Array.from({ length: count }, run));
}

/** Message that a worker sends once it listens on all its ports. */
const SERVING = "gateway:serving";

/** In a worker, reports to the primary that it is serving. */
export function reportServing(): void {
  process.send?.(SERVING);
}

/**
 * Starts a worker and calls `onServing` when it serves. Resolves to its exit code or signal, or to the error that
 * prevented it from starting.
 */
function runWorker(onServing: () => void): Promise<object> {
  return new Promise<object>((resolve) => {
    const worker = cluster.fork();
    const { pid } = worker.process;
    worker.on("message", (message) => {
      if (message === SERVING) onServing();
    });
    worker.once("exit", (code: number | null, signal: string | null) => resolve({ pid, code, signal }));
    worker.on("error", (err: Error) => {
      // If there is a pid, only a message to a worker that has just exited has failed. Its exit event follows.
      if (pid === undefined) resolve({ err });
    });
  }).catch((err: unknown) => ({ err }));
}
