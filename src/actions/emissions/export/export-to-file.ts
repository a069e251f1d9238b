import type { Database } from "../../../data/database/types.js";
import type { ExportFile, ExportFilter } from "../../../domain/emissions/export-columns.js";
import { replaceFile } from "../../../files/replace-file.js";
import { requireOrganizationId } from "../../people/organizations.js";
import type { RecordsTally } from "./digest.js";
import { openRecords } from "./open-export.js";
import { writeInThread } from "./write-in-thread.js";

/** An export to a local file. */
export interface FileExport {
  /** The organization's slug. */
  readonly organization: string;
  readonly filter: ExportFilter;
  readonly file: ExportFile;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** An exported file with the totals of its records. */
export interface ExportedFile extends RecordsTally {
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** Number of the last included audit trail entry; 0 if none. */
  readonly seq: number;
  /** Cursor for record changes after the export. */
  readonly cursor: string;
}

/** Exports records to a file. Throws NOT_FOUND for an unknown organization, and the errors of `openRecords`. */
export async function exportToFile(
  database: Database,
  { organization: slug, filter, file, path, signal }: FileExport,
): Promise<ExportedFile> {
  const snapshot = await database.openSnapshot();
  try {
    const id = await requireOrganizationId(snapshot, slug);
    const records = await openRecords(snapshot, { id }, filter);
    const { seq, cursor } = records;
    const footer = { organization: slug, filter, seq, cursor };
    const task = { file, footer, isTallied: true };
    const parts = writeInThread(records.stream(file.columns), task, signal);
    let tally: RecordsTally | undefined;
    async function* chunks() {
      tally = yield* parts;
    }
    const written = await replaceFile(path, chunks(), signal);
    if (!tally) throw new Error("the file was written without its end");
    return { ...tally, ...written, seq, cursor };
  } finally {
    await snapshot.close();
  }
}
