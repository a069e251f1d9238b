import { encodeCall, openConnection } from "./connection.js";
import { type Call, CONNECTIONS } from "./load.js";
import type { Server } from "./server-process.js";

export interface Latencies {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's CPU time. */
  readonly cpuPerRequest: number;
}

/** The bytes of a call, and the index of its server. */
export interface PacedCall {
  readonly to: number;
  readonly call: Buffer;
}

export interface PacedAnswer {
  readonly status: number;
  /** Milliseconds. */
  readonly ms: number;
}

/**
 * Calls a server at a steady pace. Throws if an answer is not a 200. (autocannon sends a second's calls at once and then
 * pauses, and measures whole milliseconds.)
 */
export async function paceFor(
  server: Server,
  calls: readonly Call[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Latencies> {
  const encoded = calls.map((call) => ({ to: 0, call: encodeCall(call) }));
  const total = Math.floor(perSecond * seconds);
  const planned = Array.from({ length: total }, (_, index) => encoded[index % encoded.length] ?? null);
  const cpu = server.cpuSeconds();
  const answers = await sendAtPace([server.url], planned, perSecond, CONNECTIONS * server.processes);
  const cpuPerRequest = ((server.cpuSeconds() - cpu) * 1e6) / total;
  const wrong = answers.find((answer) => answer?.status !== 200);
  if (wrong) throw new Error(`${server.name} answered ${wrong.status}`);
  const times = answers.map((answer) => answer?.ms ?? Number.NaN);
  return { perSecond, p50: percentile(times, 0.5), p99: percentile(times, 0.99), cpuPerRequest };
}

/** Returns the figure below which the given part of all figures is. */
export function percentile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}

/**
 * Sends calls at a steady pace, whether the servers keep up or not. Calls of the same millisecond are sent together, and
 * the process sleeps in between, since polling the clock would take a core from the servers. The time of an answer counts
 * from the start of its group, not from when a connection was free. Null takes up its time and sends nothing. Returns the
 * answers in the order of the calls.
 */
export async function sendAtPace(
  urls: readonly string[],
  planned: readonly (PacedCall | null)[],
  perSecond: number,
  connectionsEach: number,
): Promise<(PacedAnswer | null)[]> {
  const pools = await Promise.all(
    urls.map((url) => Promise.all(Array.from({ length: connectionsEach }, () => openConnection(url)))),
  );
  const connections = pools.flat();
  const waiting: { index: number; call: Buffer; setOut: number }[][] = pools.map(() => []);
  const answers: (PacedAnswer | null)[] = planned.map(() => null);
  let left = planned.filter((one) => one !== null).length;
  await new Promise<void>((resolve, reject) => {
    const send = (to: number) => {
      const [free = [], queue = []] = [pools[to], waiting[to]];
      while (queue.length > 0 && free.length > 0) {
        const [connection, next] = [free.shift(), queue.shift()];
        if (!connection || !next) break;
        connection.ask(next.call).then(({ status }) => {
          answers[next.index] = { status, ms: performance.now() - next.setOut };
          free.push(connection);
          left -= 1;
          if (left === 0) resolve();
          send(to);
        }, reject);
      }
    };
    const started = performance.now();
    let due = 0;
    const setOut = () => {
      const now = performance.now();
      for (; due < planned.length && due < ((now - started) * perSecond) / 1_000; due += 1) {
        const one = planned[due];
        if (one) waiting[one.to]?.push({ index: due, call: one.call, setOut: now });
      }
      for (const to of pools.keys()) send(to);
      if (due < planned.length) setTimeout(setOut, 1);
    };
    setOut();
  }).finally(() => {
    for (const connection of connections) connection.close();
  });
  return answers;
}
