import { type Context, forgetReads } from "../../access/context.js";
import type { Database } from "../../data/database/types.js";
import type { CsvOptions } from "../../files/csv/options.js";
import { type Spooled, spool } from "../../files/spool.js";
import { requireActing } from "../acting.js";
import { ActionError } from "../action-error.js";
import { importRecords } from "./import.js";
import { busy } from "./one-at-a-time.js";
import type { ImportSummary } from "./summary.js";

/** A file that a person sends. */
export interface Upload {
  readonly name: string;
  /** Its content, as it arrives. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Aborted when its sender leaves. */
  readonly signal: AbortSignal;
  readonly options: CsvOptions;
  readonly dryRun: boolean;
}

/** Imports a file into the caller's organization, as importRecords does. */
export type ImportUpload = (context: Context, upload: Upload) => Promise<ImportSummary>;

/** How many files this process takes at a time: each holds one of its connections to the database. */
const MOST_AT_ONCE = 4;

/**
 * Makes what imports the files that people send: one at a time for an organization, and four in all. It throws CONFLICT for
 * another one, before it reads the file.
 */
export function createUploads(): ImportUpload {
  /** Ids of organizations. */
  const underWay = new Set<string>();
  return async (context, { name, chunks, signal, options, dryRun }) => {
    const { resources, principal, writer, now } = requireActing(context);
    const { database } = resources;
    const { id, slug } = principal.organization;
    if (underWay.has(id)) throw busy();
    if (underWay.size >= MOST_AT_ONCE) throw occupied();
    underWay.add(id);
    try {
      const source = await takeIn(database, chunks);
      try {
        return await importRecords(database, {
          ...{ writer, organization: slug, file: name, options, dryRun, now, signal },
          chunks: source.chunks,
          onProgress: () => undefined,
        });
      } finally {
        await source.close();
      }
    } finally {
      underWay.delete(id);
      forgetReads(context);
    }
  };
}

/** An embedded database serves nobody else during a transaction, which must not last for as long as a client takes to send. */
async function takeIn(database: Database, chunks: AsyncIterable<Buffer>): Promise<Spooled> {
  const isEmbedded = database.connections() === null;
  return isEmbedded ? spool(chunks) : { chunks, close: async () => undefined };
}

const occupied = () =>
  new ActionError(
    "CONFLICT",
    "import",
    `The gateway takes ${MOST_AT_ONCE} imports at a time, and other organizations' are under way. Try again in a moment.`,
  );
