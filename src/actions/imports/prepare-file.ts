import type { SqlSession } from "../../data/database/types.js";
import { copyActivityLine, copyLine } from "../../data/imports/stage-records.js";
import { listFacilityCountries } from "../../data/organizations/organizations.js";
import { type Columns, hasActivities } from "../../files/csv/fields.js";
import { collectProblems, MAX_REFUSED, type Problems } from "../../files/csv/problems.js";
import { createFileReader } from "../../files/csv/reader.js";
import type { KnownFacility, RowReader } from "../../files/csv/rows/row-reader.js";
import { ActionError } from "../action-error.js";
import { type ChosenFactors, chooseFactors } from "./activities/activities.js";
import { ImportError } from "./import-error.js";
import type { ImportRequest } from "./import-request.js";

/** A file that has been read, whose lines are staged or on disk. */
export interface PreparedFile {
  /** Facilities of the organization by code, at the time of reading. */
  readonly facilities: ReadonlyMap<string, KnownFacility>;
  readonly problems: Problems;
  readonly columns: Columns;
  readonly rows: RowReader;
  /** True if the import leaves out rows with problems. */
  readonly isSkipping: boolean;
  /** Undefined for a file without activities, and for one that will be rejected. */
  readonly chosen: ChosenFactors | undefined;
}

/** Organization of an import, and the database to read from. */
interface Source {
  readonly sql: Pick<SqlSession, "query">;
  readonly organizationId: string;
}

/**
 * Reads a file, passes its records to `keep` as lines for COPY, and matches its activities. Throws ImportError for a
 * file without a header.
 */
export async function prepareFile(
  source: Source,
  request: ImportRequest,
  keep: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<PreparedFile> {
  const { skipsErrors = false, signal } = request;
  const problems = collectProblems(skipsErrors ? MAX_REFUSED : undefined);
  const facilities = await listFacilityCountries(source.sql, source.organizationId);
  const { columns, rows, isComplete } = await readFile(source, request, facilities, problems, keep);
  signal.throwIfAborted();
  const isSkipping = skipsErrors && isComplete;
  // Resolving activities is slow, and pointless for a file that will be rejected.
  const isResolved = hasActivities(columns) && (isSkipping || problems.count === 0);
  const chosen = isResolved ? await chooseFactors({ ...source, signal }, rows) : undefined;
  return { facilities, problems, columns, rows, isSkipping, chosen };
}

async function readFile(
  { organizationId }: Source,
  { chunks, options, onProgress, signal }: ImportRequest,
  facilities: ReadonlyMap<string, KnownFacility>,
  problems: Problems,
  keep: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<{ columns: Columns; rows: RowReader; isComplete: boolean }> {
  let lines = "";
  const reader = createFileReader({
    options,
    facilities,
    problems,
    onRecord: (line, record, facilityId) => {
      lines += copyLine(organizationId, line, record, facilityId);
    },
    onActivity: (line, record, facilityId) => {
      lines += copyActivityLine(organizationId, line, record, facilityId);
    },
  });
  async function* readLines(): AsyncGenerator<string> {
    for await (const bytesRead of reader.read(chunks)) {
      signal.throwIfAborted();
      onProgress({ step: "reading", bytesRead, rows: reader.rows?.rows ?? 0 });
      if (lines !== "") yield lines;
      lines = "";
    }
  }
  await keep(readLines());
  const { columns, rows, isComplete } = reader;
  if (columns === undefined || rows === undefined) throw new ImportError(problems, columns);
  return { columns, rows, isComplete };
}

/** Throws CONFLICT if a facility was added, renamed or removed in a way that changes the meaning of a read file. */
export async function requireFacilities(
  sql: SqlSession,
  organizationId: string,
  { facilities, rows }: Pick<PreparedFile, "facilities" | "rows">,
): Promise<void> {
  const current = await listFacilityCountries(sql, organizationId);
  const isSame =
    [...facilities].every(([code, { id }]) => current.get(code)?.id === id) &&
    [...rows.newFacilities.keys()].every((code) => !current.has(code));
  if (isSame) return;
  const message = "A facility was added or changed while the file was read. Nothing was imported. Try again.";
  throw new ActionError("CONFLICT", "import", message);
}
