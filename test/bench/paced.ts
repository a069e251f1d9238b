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

/**
 * Calls at a steady pace, whether the server keeps up or not: those of each millisecond together, and the process sleeps
 * between, as one that looked at the clock all the time would take a core from the server. An answer's time counts from
 * when its group set out, and not from when a connection was free for it. (autocannon sends a second's calls at once,
 * and then pauses; its times are whole milliseconds.) Throws where an answer is not a 200.
 */
export async function paceFor(
  server: Server,
  calls: readonly Call[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Latencies> {
  const encoded = calls.map(encodeCall);
  const count = CONNECTIONS * server.processes;
  const free = await Promise.all(Array.from({ length: count }, () => openConnection(server.url)));
  const connections = [...free];
  const total = Math.floor(perSecond * seconds);
  const times: number[] = [];
  const cpu = server.cpuSeconds();
  await new Promise<void>((resolve, reject) => {
    const started = performance.now();
    /** When the calls that wait for a connection set out. */
    const waiting: number[] = [];
    let due = 0;
    let sent = 0;
    const send = () => {
      while (waiting.length > 0 && free.length > 0) {
        const [connection, setOut] = [free.shift(), waiting.shift() ?? 0];
        const call = encoded[sent % encoded.length];
        sent += 1;
        if (!connection || !call) break;
        connection.ask(call).then((answer) => {
          times.push(performance.now() - setOut);
          free.push(connection);
          if (answer.status !== 200) reject(new Error(`${server.name} answered ${answer.status}`));
          if (times.length === total) resolve();
          send();
        }, reject);
      }
    };
    const setOut = () => {
      const now = performance.now();
      for (; due < total && due < ((now - started) * perSecond) / 1_000; due += 1) waiting.push(now);
      send();
      if (due < total) setTimeout(setOut, 1);
    };
    setOut();
  }).finally(() => {
    for (const connection of connections) connection.close();
  });
  const cpuPerRequest = ((server.cpuSeconds() - cpu) * 1e6) / total;
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { perSecond, p50: percentile(0.5), p99: percentile(0.99), cpuPerRequest };
}
