import cluster, { type Worker } from "node:cluster";
import { AggregatorRegistry, type Registry } from "prom-client";
import type { Logger } from "../../log.js";
import { limitTime } from "../../time-limit.js";

type Metrics = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The other process: the primary for a worker, or a worker for the primary. */
interface Peer {
  send?(message: Message): boolean;
}
/** A request for metrics, or its response with the same number. */
interface Message {
  readonly metricsRequest?: number;
  readonly metricsResponse?: number;
  readonly metrics?: unknown;
}

/** Time limit for a worker to send its metrics. */
const WORKER_MS = 1_000;
/** Time limit for the primary to send the metrics of all workers. */
const PRIMARY_MS = 2_000;

/**
 * In a worker, sends its metrics to the primary on request. Returns a function that asks the primary for the metrics of
 * all workers.
 */
export function shareMetrics(registry: Registry, log: Logger): () => Promise<string> {
  process.on("message", (message) => receive(process, message, () => registry.getMetricsAsJSON(), log));
  return () => ask<string>(process, PRIMARY_MS);
}

/**
 * In the primary, sends the metrics of all workers to a worker on request. The sums keep the counts of workers that
 * have ended or do not respond, because Prometheus interprets a decreasing counter as a restart.
 */
export function answerMetrics(log: Logger): void {
  const lastOf = new Map<number, Metrics>();
  let ofEnded: Promise<Metrics> = Promise.resolve([]);
  cluster.on("exit", ({ id }) => {
    const last = countsOf(lastOf.get(id) ?? []);
    lastOf.delete(id);
    ofEnded = ofEnded.then((before) => AggregatorRegistry.aggregate([before, last]).getMetricsAsJSON());
  });

  const readAll = async () => {
    const answered = new Set<number>();
    const read = async (worker: Worker) => {
      const metrics = await ask<Metrics>(worker, WORKER_MS).catch(() => null);
      if (metrics === null || worker.isDead()) return;
      answered.add(worker.id);
      lastOf.set(worker.id, metrics);
    };
    await Promise.all(Object.values(cluster.workers ?? {}).flatMap((worker) => (worker ? read(worker) : [])));
    const ofRunning = [...lastOf].map(([id, metrics]) => (answered.has(id) ? metrics : countsOf(metrics)));
    return AggregatorRegistry.aggregate([...ofRunning, await ofEnded]).metrics();
  };
  cluster.on("message", (worker, message) => receive(worker, message, readAll, log));
}

const countsOf = (metrics: Metrics) =>
  metrics.filter(({ type }) => ["counter", "histogram"].includes(String(type)));

let asked = 0;
/** Requests in progress, by number. */
const waiting = new Map<number, (metrics: never) => void>();

/** Asks a peer for metrics. Throws if it does not respond within `maxMs`. */
async function ask<Answer>(other: Peer, maxMs: number): Promise<Answer> {
  asked += 1;
  const id = asked;
  const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
  try {
    other.send?.({ metricsRequest: id });
    return await limitTime(maxMs)(() => answer);
  } finally {
    waiting.delete(id);
  }
}

/** Handles a message: resolves the request that it responds to, or responds to a request with the result of `read`. */
async function receive(other: Peer, message: unknown, read: () => Promise<unknown>, log: Logger) {
  const { metricsRequest, metricsResponse, metrics } = (message ?? {}) as Message;
  if (metricsResponse !== undefined) waiting.get(metricsResponse)?.(metrics as never);
  if (metricsRequest === undefined) return;
  try {
    other.send?.({ metricsResponse: metricsRequest, metrics: await read() });
  } catch (error) {
    log.error({ err: error }, "cannot collect metrics");
  }
}
