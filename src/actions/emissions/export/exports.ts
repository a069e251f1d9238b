import type { AdmittedContext } from "../../../access/context.js";
import { renewPrincipal } from "../../../access/renew.js";
import type { Snapshot } from "../../../data/database/types.js";
import { tryLockExport } from "../../../data/organizations/organizations.js";
import type { ExportFile, ExportFilter, ExportRows } from "../../../domain/emissions/export-columns.js";
import { isoDate } from "../../../domain/window.js";
import { tooMany } from "../../../errors.js";
import { RECORD_FILES } from "../../../files/records/formats.js";
import { createSpool } from "../../../files/spool.js";
import type { RecordsTally } from "./digest.js";
import { openRecords } from "./open-export.js";
import { MAX_EXPORTS, writeInThread } from "./write-in-thread.js";

/** A started export. */
export interface OpenExport {
  /** File name such as `emission-records-acme-2026-11-20.csv`. */
  readonly name: string;
  readonly mediaType: string;
  /** `Sync-Cursor`, from which a client reads the changes after this export. */
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Buffer>;
  /** Ends the export, complete or not. */
  close(): Promise<void>;
}

/** Exports of records and their digests. */
export interface Exports {
  /**
   * Opens an export. Throws BAD_REQUEST for a filter that cannot match, and RATE_LIMIT_EXCEEDED if too many exports are
   * running. With an embedded database, throws the reason of `signal` if it is aborted before the export is on disk.
   */
  open(
    context: AdmittedContext,
    filter: ExportFilter,
    file: ExportFile,
    signal: AbortSignal,
  ): Promise<OpenExport>;
  /** Computes the digest of records. Throws the errors of `open`, and the reason of `signal` once it is aborted. */
  digest(
    context: AdmittedContext,
    filter: ExportFilter,
    signal: AbortSignal,
  ): Promise<RecordsTally & { readonly seq: number }>;
}

/** Maximum duration of an export. */
const MAX_MS = 30 * 60_000;
const RETRY_MS = 5_000;
/** Interval for checking the caller's rights again. */
const RIGHTS_MS = 1_000;
/** Maximum total size on disk of an embedded database's exports, in bytes. */
const MAX_BYTES = 4 * 1024 ** 3;

/**
 * Creates the exports of a process, which runs at most two at once. An organization can run only one across all
 * processes.
 */
export function createExports(): Exports {
  const running = new Set<string>();
  const spool = createSpool({ maxBytes: MAX_BYTES, refuse: () => tooMany(OCCUPIED, RETRY_MS) });

  /** Opens a snapshot. The caller's organization cannot open another one until it is closed. */
  const begin = async (context: AdmittedContext): Promise<Pick<Snapshot, "query" | "stream" | "close">> => {
    const { resources, principal } = context.access;
    const { id } = principal.organization;
    if (running.has(id)) throw tooMany(ONE_AT_A_TIME, RETRY_MS);
    if (running.size >= MAX_EXPORTS) throw tooMany(OCCUPIED, RETRY_MS);
    running.add(id);
    try {
      const opening = resources.database.openSnapshot();
      const snapshot = await context.request
        .inTime(() => opening)
        .catch((error: unknown) => {
          // The snapshot may open after the request has timed out.
          opening.then(({ close }) => close()).catch(() => undefined);
          throw error;
        });
      let isOver: Promise<void> | undefined;
      const close = () => {
        clearTimeout(timer);
        isOver ??= snapshot.close().finally(() => running.delete(id));
        return isOver;
      };
      const timer = setTimeout(() => void close().catch(() => undefined), MAX_MS).unref();
      try {
        if (!(await tryLockExport(snapshot, id))) throw tooMany(ONE_AT_A_TIME, RETRY_MS);
        return { ...snapshot, close };
      } catch (error) {
        await close();
        throw error;
      }
    } catch (error) {
      running.delete(id);
      throw error;
    }
  };

  return {
    async open(context, filter, file, signal) {
      const { resources, principal } = context.access;
      const { organization } = principal;
      const snapshot = await begin(context);
      try {
        const records = await openRecords(snapshot, organization, filter);
        const isShared = resources.database.connections() !== null;
        const { mediaType } = RECORD_FILES[file.format];
        const { seq, cursor } = records;
        const footer = { organization: organization.slug, filter, seq, cursor };
        const batches = whileAllowed(context, records.stream(file.columns));
        const chunks = writeInThread(batches, { file, footer, isTallied: false }, signal);
        const name = `emission-records-${organization.slug}-${isoDate(context.request.now)}.${file.format}`;
        const headers = { "Sync-Cursor": cursor };
        const { close } = snapshot;
        if (isShared) return { name, mediaType, headers, chunks: closing(chunks, close), close };
        // A slow client must not hold the only connection.
        const spooled = await spool(chunks);
        await snapshot.close();
        return { name, mediaType, headers, ...spooled };
      } catch (error) {
        await snapshot.close();
        throw error;
      }
    },
    async digest(context, filter, signal) {
      const snapshot = await begin(context);
      try {
        const { organization } = context.access.principal;
        const { seq, cursor, stream } = await openRecords(snapshot, organization, filter);
        const footer = { organization: organization.slug, filter, seq, cursor };
        const batches = whileAllowed(context, stream("import"));
        const counting = writeInThread(batches, { file: null, footer, isTallied: true }, signal);
        for (;;) {
          const { done, value } = await counting.next();
          if (done) return { seq, ...value };
        }
      } finally {
        await snapshot.close();
      }
    },
  };
}

const ONE_AT_A_TIME = "Another export of the organization is running.";
const OCCUPIED = "Too many exports are running.";

/**
 * Yields the batches while the caller may read them. With an embedded database, nothing else runs in the meantime, so
 * no rights can change.
 */
async function* whileAllowed(
  { access, request }: AdmittedContext,
  batches: AsyncIterable<ExportRows>,
): AsyncGenerator<ExportRows> {
  const { resources, principal } = access;
  const isShared = resources.database.connections() !== null;
  let next = performance.now() + RIGHTS_MS;
  for await (const rows of batches) {
    if (isShared && performance.now() >= next) {
      request.renewTime();
      await request.inTime(() =>
        renewPrincipal(resources.database, principal, request.now, "read:emissions"),
      );
      next = performance.now() + RIGHTS_MS;
    }
    yield rows;
  }
}

/** Yields the chunks, then closes before it returns, so that a client can start the next export at once. */
async function* closing<Chunk>(
  chunks: AsyncIterable<Chunk>,
  close: () => Promise<void>,
): AsyncGenerator<Chunk> {
  yield* chunks;
  await close();
}
