import cluster, { type Worker } from "node:cluster";
import { AggregatorRegistry, type Registry } from "prom-client";
import { limitTime } from "../data/database/time-limit.js";
import type { Logger } from "../log.js";

type Metrics = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The process at the other end: a worker's primary, or the primary's worker. */
interface Peer {
  send?(message: Message): boolean;
}
/** What they send each other: the number of a question, or that and its answer. */
interface Message {
  readonly metricsWanted?: number;
  readonly metricsGiven?: number;
  readonly metrics?: unknown;
}

/** How long a worker has for its own metrics. */
const WORKER_MS = 1_000;
/** How long the primary has for those of all. */
const PRIMARY_MS = 2_000;

/** In a worker: gives its metrics to the primary, and makes the function that asks it for those of all. */
export function shareMetrics(registry: Registry, log: Logger): () => Promise<string> {
  process.on("message", (message) => receive(process, message, () => registry.getMetricsAsJSON(), log));
  return () => ask<string>(process, PRIMARY_MS);
}

/**
 * In the primary: answers workers that ask for the metrics of all. Of one that has ended, or says nothing, what it had
 * counted stays: a sum of counters that went down would be taken for a new beginning.
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
    const ofLiving = [...lastOf].map(([id, metrics]) => (answered.has(id) ? metrics : countsOf(metrics)));
    return AggregatorRegistry.aggregate([...ofLiving, await ofEnded]).metrics();
  };
  cluster.on("message", (worker, message) => receive(worker, message, readAll, log));
}

const countsOf = (metrics: Metrics) =>
  metrics.filter(({ type }) => ["counter", "histogram"].includes(String(type)));

let asked = 0;
/** Those who wait for an answer, by the number of what they asked. */
const waiting = new Map<number, (metrics: never) => void>();

/** Asks for what the other has. Throws where it takes longer than it may. */
async function ask<Answer>(other: Peer, mostMs: number): Promise<Answer> {
  asked += 1;
  const id = asked;
  const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
  try {
    other.send?.({ metricsWanted: id });
    return await limitTime(mostMs)(() => answer);
  } finally {
    waiting.delete(id);
  }
}

/** Takes a message for an answer, or answers it, if it asks for what this one has. */
async function receive(other: Peer, message: unknown, read: () => Promise<unknown>, log: Logger) {
  const { metricsWanted, metricsGiven, metrics } = (message ?? {}) as Message;
  if (metricsGiven !== undefined) waiting.get(metricsGiven)?.(metrics as never);
  if (metricsWanted === undefined) return;
  try {
    other.send?.({ metricsGiven: metricsWanted, metrics: await read() });
  } catch (error) {
    log.error({ err: error }, "the metrics could not be collected");
  }
}
