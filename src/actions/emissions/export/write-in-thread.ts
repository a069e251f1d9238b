import { MessageChannel } from "node:worker_threads";
import type { ExportRows } from "../../../domain/emissions/export-columns.js";
import { createThreads } from "../../../threads.js";
import type { RecordsTally } from "./digest.js";
import type { ThreadAnswer, ThreadRequest, WritingTask } from "./writing.js";

/** Maximum number of exports that one process runs at once, each in a thread. */
export const MAX_EXPORTS = 2;

const threads = createThreads(new URL("writing.js", import.meta.url), {
  maxThreads: MAX_EXPORTS,
  idleMs: 60_000,
});

/**
 * Writes records as a file in a thread, or only counts them. Reads the next batch and writes the next part when the
 * caller asks for it. Returns the totals of the records. If the caller stops early or the signal is aborted, the thread
 * ends.
 */
export async function* writeInThread(
  batches: AsyncIterable<ExportRows>,
  task: WritingTask,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, RecordsTally> {
  signal?.throwIfAborted();
  const { port1: port, port2 } = new MessageChannel();
  const ended = new AbortController();
  const abort = () => ended.abort();
  signal?.addEventListener("abort", abort);
  const rows = batches[Symbol.asyncIterator]();
  const receive = () => new Promise<ThreadRequest>((resolve) => port.once("message", resolve));
  const answer = (given: ThreadAnswer) => {
    const next = receive();
    port.postMessage(given);
    return next;
  };
  try {
    let next = receive();
    // Piscina's type of a list changes with the types of browsers, which the benchmarks load.
    const transferList = [port2] as never;
    const done: Promise<{ readonly tally: RecordsTally }> = threads()
      .run({ ...task, port: port2 }, { name: "writeRecords", transferList, signal: ended.signal })
      .then((tally) => ({ tally }));
    // It may fail while the caller has the control.
    done.catch(() => undefined);
    for (;;) {
      const request = await Promise.race([next, done]);
      if (request === "records") {
        const batch = await rows.next();
        next = answer({ rows: batch.done ? null : batch.value });
      } else if ("part" in request) {
        yield Buffer.from(request.part.buffer, request.part.byteOffset, request.part.byteLength);
        next = answer("sent");
      } else return request.tally;
    }
  } catch (error) {
    // After an abort, the thread's own error is only a consequence.
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
    ended.abort();
    port.close();
    await rows.return?.();
  }
}
