import { type Connection, encodeCall, openConnection } from "./connection.js";
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

/** Returns a percentile of the figures; a `part` of 0.99 is the 99th. */
export function percentile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}

/**
 * Sends calls at a steady pace, whether or not the servers keep up. Calls due in one millisecond are sent together;
 * the process sleeps in between, because polling the clock would take a core from the servers. An answer's time counts
 * from when its call is queued, including the wait for a free connection. A null sends nothing. Connections are opened
 * when needed, because the gateway closes idle ones. Returns the answers in the order of the calls.
 */
export async function sendAtPace(
  urls: readonly string[],
  planned: readonly (PacedCall | null)[],
  perSecond: number,
  connectionsEach: number,
): Promise<(PacedAnswer | null)[]> {
  const opened = new Set<Connection>();
  const servers = urls.map((url) => ({ url, free: [] as Connection[], connections: 0, queue: [] as Due[] }));
  const answers: (PacedAnswer | null)[] = planned.map(() => null);
  let left = planned.filter((one) => one !== null).length;
  await new Promise<void>((resolve, reject) => {
    const send = (server: (typeof servers)[number]) => {
      while (server.queue.length > 0) {
        const connection = server.free.pop();
        if (!connection) {
          if (server.connections < connectionsEach) open(server);
          return;
        }
        if (!connection.isOpen()) {
          server.connections -= 1;
          continue;
        }
        const { index, call, dueAt } = server.queue.shift() as Due;
        connection.ask(call).then(({ status }) => {
          answers[index] = { status, ms: performance.now() - dueAt };
          server.free.push(connection);
          left -= 1;
          if (left === 0) resolve();
          send(server);
        }, reject);
      }
    };
    const open = (server: (typeof servers)[number]) => {
      server.connections += 1;
      openConnection(server.url).then((connection) => {
        opened.add(connection);
        server.free.push(connection);
        send(server);
      }, reject);
    };
    const started = performance.now();
    let due = 0;
    const sendDue = () => {
      const now = performance.now();
      for (; due < planned.length && due < ((now - started) * perSecond) / 1_000; due += 1) {
        const one = planned[due];
        const server = one && servers[one.to];
        if (!server) continue;
        server.queue.push({ index: due, call: one.call, dueAt: now });
        send(server);
      }
      if (due < planned.length) setTimeout(sendDue, 1);
    };
    sendDue();
  }).finally(() => {
    for (const connection of opened) connection.close();
  });
  return answers;
}

/** A call that waits for a connection. */
interface Due {
  readonly index: number;
  readonly call: Buffer;
  readonly dueAt: number;
}
