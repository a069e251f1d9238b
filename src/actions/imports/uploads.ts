import { type Context, forgetReads } from "../../access/context.js";
import type { ImportQuestion } from "../../domain/emissions/questions.js";
import type { CsvOptions } from "../../files/csv/options.js";
import { createSpool } from "../../files/spool.js";
import { requireActing } from "../acting.js";
import { ActionError } from "../action-error.js";
import { importRecords } from "./import.js";
import { busy } from "./one-at-a-time.js";
import type { ImportSummary } from "./summary.js";

/** A file that a user sends. */
export interface Upload {
  readonly name: string;
  /** The content, as it arrives. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Aborted when the sender disconnects. */
  readonly signal: AbortSignal;
  readonly options: CsvOptions;
  readonly dryRun: boolean;
  readonly skipsErrors: boolean;
  readonly accept: readonly ImportQuestion[];
}

/** Imports a file into the caller's organization, as importRecords does. */
export type ImportUpload = (context: Context, upload: Upload) => Promise<ImportSummary>;

/**
 * Maximum number of complete files that wait for their import or are in it. Files that are still arriving do not count.
 */
const MOST_ARRIVED = 40;
/** Maximum size of all files on disk, in bytes. */
const MOST_BYTES = 4 * 1024 ** 3;

/**
 * Creates the function that imports uploaded files, one at a time per organization. It throws CONFLICT for another file
 * before reading it. The file is written to disk before its import takes a connection, so that a slow client cannot
 * hold one.
 */
export function createUploads(): ImportUpload {
  /** Ids of organizations with an import in progress. */
  const underWay = new Set<string>();
  let arrived = 0;
  const spool = createSpool({ mostBytes: MOST_BYTES, refuse: occupied });
  return async (context, { name, ...upload }) => {
    const { resources, principal, writer, now } = requireActing(context);
    const { id, slug } = principal.organization;
    if (underWay.has(id)) throw busy();
    underWay.add(id);
    try {
      const source = await spool(upload.chunks);
      arrived += 1;
      try {
        if (arrived > MOST_ARRIVED) throw occupied();
        return await importRecords(resources.database, {
          ...upload,
          writer,
          organization: slug,
          file: name,
          now,
          chunks: source.chunks,
          onProgress: () => undefined,
        });
      } finally {
        arrived -= 1;
        await source.close();
      }
    } finally {
      underWay.delete(id);
      forgetReads(context);
    }
  };
}

const occupied = () =>
  new ActionError(
    "CONFLICT",
    "import",
    "The gateway cannot receive another file right now. Try again in a moment.",
  );
