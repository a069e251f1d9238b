import { type Context, forgetReads } from "../../access/context.js";
import { requestInProgress } from "../../access/idempotency.js";
import type { ImportQuestion } from "../../domain/emissions/questions.js";
import type { CsvOptions } from "../../files/csv/csv-options.js";
import { createSpool } from "../../files/spool.js";
import { ActionError } from "../action-error.js";
import { requireActorContext } from "../actor-context.js";
import { importRecords } from "./import-records.js";
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

/** Maximum number of files that have arrived and whose imports have not finished. */
const MAX_ARRIVED = 40;
/** Maximum size of all files on disk, and of all lines read from them, in bytes. */
const MAX_BYTES = 4 * 1024 ** 3;

/**
 * Creates the function that imports uploaded files, one at a time per organization. It refuses a second file before
 * reading it: with CONFLICT, or IDEMPOTENCY_IN_PROGRESS for a repeated request. The file is written to disk before its
 * import takes a connection, so that a slow client cannot hold one.
 */
export function createUploads(): ImportUpload {
  /** Idempotency claims of the imports in progress, by organization. */
  const running = new Map<string, string | undefined>();
  let arrived = 0;
  const spool = createSpool({ maxBytes: MAX_BYTES, refuse: occupied });
  const spoolLines = createSpool({ maxBytes: MAX_BYTES, refuse: occupied });
  return async (context, { name, ...upload }) => {
    const { resources, principal, writer: claiming, now } = requireActorContext(context);
    const { claim: _, ...checking } = claiming;
    // A dry run changes nothing, so it leaves the idempotency key to the real run.
    const writer = upload.dryRun ? checking : claiming;
    const { id, slug } = principal.organization;
    if (running.has(id)) {
      const isRepeat = claiming.claim !== undefined && claiming.claim.id === running.get(id);
      throw isRepeat ? requestInProgress() : busy();
    }
    running.set(id, claiming.claim?.id);
    try {
      const source = await spool(upload.chunks);
      arrived += 1;
      try {
        if (arrived > MAX_ARRIVED) throw occupied();
        return await importRecords(resources.database, {
          ...upload,
          writer,
          organization: slug,
          file: name,
          now,
          chunks: source.chunks,
          spool: spoolLines,
          onProgress: () => undefined,
        });
      } finally {
        arrived -= 1;
        await source.close();
      }
    } finally {
      running.delete(id);
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
