// Runs in the threads of write-in-thread.ts.
import type { MessagePort, Transferable } from "node:worker_threads";
import {
  EXPORT_COLUMNS,
  type ExportFile,
  type ExportFilter,
  type ExportRows,
} from "../../../domain/emissions/export-columns.js";
import { guard } from "../../../domain/texts/guard.js";
import { RECORD_FILES } from "../../../files/records/formats.js";
import { createTally, type RecordsTally } from "./digest.js";

/** A file to write, with the figures for the footer of a Parquet file; or only a tally of its records. */
export interface WritingTask {
  readonly file: ExportFile | null;
  readonly footer: {
    /** The organization's slug. */
    readonly organization: string;
    readonly filter: ExportFilter;
    readonly seq: number;
    readonly cursor: string;
  };
  /** True to count the records. A Parquet file always does, for its footer. */
  readonly isTallied: boolean;
}

/** A request of the thread, which waits for the answer: records, or that a part of the file has been sent. */
export type ThreadRequest = { readonly part: Uint8Array } | "records";
/** Records, null after the last ones; or `sent`. */
export type ThreadAnswer = { readonly rows: ExportRows | null } | "sent";

/** Asks for records, and offers the parts of their file. Resolves to their totals. */
export async function writeRecords({
  port,
  file,
  footer,
  isTallied,
}: WritingTask & { readonly port: MessagePort }): Promise<RecordsTally> {
  const tally = createTally();
  const isCounted = isTallied || file === null || file.format === "parquet";
  const ask = (request: ThreadRequest, transferred: Transferable[] = []) =>
    new Promise<ThreadAnswer>((resolve) => {
      port.once("message", resolve);
      port.postMessage(request, transferred);
    });
  async function* read(): AsyncGenerator<ExportRows> {
    for (;;) {
      const answer = await ask("records");
      if (answer === "sent" || answer.rows === null) return;
      if (isCounted) tally.add(answer.rows);
      yield answer.rows;
    }
  }
  if (file === null) {
    for await (const _ of read());
    return tally.read();
  }
  const parts = RECORD_FILES[file.format].write(read(), EXPORT_COLUMNS[file.columns], {
    bom: file.bom,
    guard: file.guard ? guard : (text) => text,
    metadata() {
      const { rows, co2eTonnes, digest } = tally.read();
      return {
        organization: footer.organization,
        filter: JSON.stringify(footer.filter),
        seq: String(footer.seq),
        cursor: footer.cursor,
        rows: String(rows),
        co2e_tonnes: co2eTonnes,
        digest,
      };
    },
  });
  for await (const bytes of parts) {
    // Only memory of its own can be transferred.
    const part = new Uint8Array(bytes);
    await ask({ part }, [part.buffer]);
  }
  return tally.read();
}
