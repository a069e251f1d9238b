import cluster from "node:cluster";
import type { Config } from "../../config.js";
import { OperatorError } from "../../errors.js";
import { createLogger } from "../../log.js";
import { readableLog } from "./readable-log.js";
import { answerMetrics } from "./worker-metrics.js";

const RESTART_MS = 1_000;

/**
 * Runs `serve` in several processes that share the port, until SIGTERM or SIGINT, when each stops gracefully. Replaces a
 * worker that ends unexpectedly. Throws OperatorError if DATABASE_URL or REDIS_URL is unset, or if one of the first workers
 * ends before it serves.
 */
export async function serveWithWorkers(count: number, config: Config): Promise<void> {
  if (config.databaseUrl === undefined || config.redisUrls === undefined) {
    throw new OperatorError(
      "--workers needs DATABASE_URL and REDIS_URL: only one process can use an embedded database, and without Redis every worker would count requests separately.",
      2,
    );
  }
  const log = createLogger(config.logLevel, await readableLog(process.stderr));
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping && signal === "SIGINT") process.exit(130);
    stopping = true;
    // Never SIGINT: a terminal sends it to the workers as well, and a second one would end them at once.
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGTERM");
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
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
        stop("SIGTERM");
        throw new OperatorError("A worker ended before it could serve; see its message above.");
      }
      log.error(end, "a worker ended: starting another");
      await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
    }
  };
  await Promise.all(Array.from({ length: count }, run));
}

/** Message from a worker that listens on all of its ports. */
const SERVING = "gateway:serving";

/** In a worker, notifies the primary that it serves. */
export function sayServing(): void {
  process.send?.(SERVING);
}

/**
 * Starts a worker and calls `onServing` when it serves. Resolves to its exit code or signal, or to the error that kept it
 * from starting.
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
      // With a pid, a message to a worker that has just ended has failed. Its exit event follows.
      if (pid === undefined) resolve({ err });
    });
  }).catch((err: unknown) => ({ err }));
}
