import { encodeCall, openConnection } from "./connection.js";
import { type Call, CONNECTIONS } from "./load.js";
import type { Server } from "./server-process.js";

export interface Latencies {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * Calls at an even pace, whether the server keeps up or not: an answer's time counts from when its call was due, not
 * from when a connection was free for it. (autocannon sends a second's calls at once, and then pauses; its times are
 * whole milliseconds.) Throws where an answer is not a 200.
 */
export async function paceFor(
  server: Server,
  calls: readonly Call[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Latencies> {
  const encoded = calls.map(encodeCall);
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(server.url)));
  const connections = [...free];
  const total = Math.floor(perSecond * seconds);
  const times: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const started = performance.now();
    const dueAt = (index: number) => started + (index * 1_000) / perSecond;
    let sent = 0;
    const sendDue = () => {
      while (sent < total && free.length > 0 && dueAt(sent) <= performance.now()) {
        const connection = free.shift();
        const [call, due] = [encoded[sent % encoded.length], dueAt(sent)];
        sent += 1;
        if (!connection || !call) break;
        connection.ask(call).then((answer) => {
          times.push(performance.now() - due);
          free.push(connection);
          if (answer.status !== 200) reject(new Error(`${server.name} answered ${answer.status}`));
          if (times.length === total) resolve();
        }, reject);
      }
      // At once, and not by a timer: those are as coarse as the times that are measured.
      if (sent < total) setImmediate(sendDue);
    };
    sendDue();
  }).finally(() => {
    for (const connection of connections) connection.close();
  });
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { perSecond, p50: percentile(0.5), p99: percentile(0.99) };
}
