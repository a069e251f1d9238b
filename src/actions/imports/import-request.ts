import type { Writer } from "../../data/database/transaction.js";
import type { ImportQuestion } from "../../domain/emissions/questions.js";
import type { CsvOptions } from "../../files/csv/csv-options.js";
import type { Spool } from "../../files/spool.js";

/** A CSV file of emission records and the options of its import. */
export interface ImportRequest {
  readonly writer: Writer;
  /** The organization's slug. */
  readonly organization: string;
  /** The file's name in the list of imports. */
  readonly file: string;
  /** The file's content, which is read once. */
  readonly chunks: AsyncIterable<Buffer>;
  readonly options: CsvOptions;
  /**
   * Keeps lines on disk. With it, the file is read before the transaction, as users' requests need, because the number
   * of their transactions is limited.
   */
  readonly spool?: Spool;
  /** True to only check the file and compare it with the database. */
  readonly dryRun: boolean;
  /** True to skip rows with problems, at most 10,000; otherwise one such row rejects the file. */
  readonly skipsErrors?: boolean;
  /** Questions about probable errors that the caller accepts. A dry run lists them and needs no acceptance. */
  readonly accept: readonly ImportQuestion[];
  readonly now: Date;
  /** Stops the import and rolls it back; the import then throws the signal's reason. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
}

/** The step that an import has started; after `committing` the signal no longer stops it. */
export type ImportProgress =
  | { readonly step: "reading"; readonly bytesRead: number; readonly rows: number }
  | { readonly step: "sorting"; readonly rows: number }
  | { readonly step: "comparing" | "writing" | "committing" };
