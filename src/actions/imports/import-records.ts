import { randomUUID } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import { analyze } from "../../data/database/upkeep/analyze.js";
import type { Counts } from "../../data/database/upsert.js";
import { addChoices } from "../../data/imports/choices.js";
import { completeImport, IMPORTED_TABLES, insertImport } from "../../data/imports/imports.js";
import { beginImport, findUsedFacilities, stageRecords } from "../../data/imports/stage-records.js";
import { summarizeRecords } from "../../data/imports/summarize-records.js";
import { compareRecords, writeRecords } from "../../data/imports/write-records.js";
import type { ImportQuestion } from "../../domain/emissions/questions.js";
import { isoDate } from "../../domain/window.js";
import { fileAmounts } from "../../files/csv/fields.js";
import { MAX_REFUSED } from "../../files/csv/problems.js";
import type { RowReader } from "../../files/csv/rows/row-reader.js";
import type { Spool, Spooled } from "../../files/spool.js";
import { requireFewFacilities } from "../facilities/facility-limit.js";
import { requireOrganizationId } from "../people/organizations.js";
import { requireAccepted } from "../questions/confirmation.js";
import { questionFile } from "../questions/file-questions.js";
import { ImportError, UnresolvedActivities } from "./import-error.js";
import type { ImportRequest } from "./import-request.js";
import { takeTurn } from "./one-at-a-time.js";
import { type PreparedFile, prepareFile, requireFacilities } from "./prepare-file.js";
import { arrange, dropFaultyRows, refuseLocked, refuseRows, refuseUnresolved } from "./staged-problems.js";
import { type ImportSummary, summarizeImport } from "./summary.js";

/**
 * Imports a CSV file of any size in one transaction: all rows, those without problems, or nothing. Throws ImportError
 * with the problems of the file, UnresolvedActivities, CONFIRMATION_REQUIRED with unaccepted questions about probable
 * errors, and ActionError for an unknown organization. Throws CONFLICT if a record would change in a locked period. A
 * user's request also throws CONFLICT while another import is in progress.
 */
export async function importRecords(database: Database, request: ImportRequest): Promise<ImportSummary> {
  const { signal, spool } = request;
  signal.throwIfAborted();
  try {
    const summary = await (spool
      ? importSpooled(database, request, spool)
      : importStreamed(database, request));
    if (summary.added + summary.updated > 0 && !summary.dryRun) await analyze(database, IMPORTED_TABLES);
    return summary;
  } catch (error) {
    // After an abort, the reader's or server's own error is only a consequence.
    signal.throwIfAborted();
    throw error;
  }
}

/** Reads the file inside the transaction, which needs no space on disk. */
const importStreamed = (database: Database, request: ImportRequest) =>
  inTransaction(database, request, async (sql, organizationId) => {
    await beginImport(sql);
    const source = { sql, organizationId };
    const file = await prepareFile(source, request, (lines) => stageRecords(sql, lines));
    return importInto(sql, organizationId, request, file);
  });

/** Reads the file and matches its activities before the transaction, which others may wait for. */
async function importSpooled(
  database: Database,
  request: ImportRequest,
  spool: Spool,
): Promise<ImportSummary> {
  const { organization, writer } = request;
  const sql: Pick<SqlSession, "query"> = { query: (text, values = []) => database.select(text, values) };
  const organizationId = await requireOrganizationId(sql, organization);
  // Refuses at once while another process imports into the organization.
  await database.transaction((session) => takeTurn(session, organization, writer));
  let lines: Spooled | undefined;
  try {
    const file = await prepareFile({ sql, organizationId }, request, async (read) => {
      lines = await spool(asBuffers(read));
    });
    return await inTransaction(database, request, async (session) => {
      await requireFacilities(session, organizationId, file);
      await beginImport(session);
      if (lines) await stageRecords(session, lines.chunks);
      return importInto(session, organizationId, request, file);
    });
  } finally {
    await lines?.close();
  }
}

/** Number of characters to encode at a time: the lines of one chunk of a file can have hundreds of megabytes. */
const ENCODED_AT_ONCE = 1_000_000;

async function* asBuffers(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of lines) {
    for (let start = 0, end = 0; start < text.length; start = end) {
      end = text.indexOf("\n", start + ENCODED_AT_ONCE) + 1 || text.length;
      yield Buffer.from(text.slice(start, end));
    }
  }
}

/** Runs `work` in the transaction of an import or a dry run, in the turn of its organization. */
function inTransaction(
  database: Database,
  { writer, organization, dryRun, signal, onProgress }: ImportRequest,
  work: (sql: SqlSession, organizationId: string) => Promise<ImportSummary>,
): Promise<ImportSummary> {
  const run = async (sql: SqlSession) => {
    // The sender may have disconnected while the import waited.
    signal.throwIfAborted();
    await takeTurn(sql, organization, writer);
    const done = await work(sql, await requireOrganizationId(sql, organization));
    // An embedded database blocks the event loop; signals from that time are delivered one turn later.
    for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
    signal.throwIfAborted();
    onProgress({ step: "committing" });
    return done;
  };
  return write(database, writer, run, undefined, {
    mayTakeLong: true,
    isCheck: dryRun,
    scope: "write:emissions",
  });
}

async function importInto(
  sql: SqlSession,
  organizationId: string,
  request: ImportRequest,
  { facilities, problems, columns, rows, isSkipping, chosen }: PreparedFile,
): Promise<ImportSummary> {
  const { dryRun, accept, now, signal, onProgress } = request;
  signal.throwIfAborted();
  onProgress({ step: "sorting", rows: rows.rows });
  const activities = chosen?.report;
  await addChoices(sql, chosen?.choices ?? []);
  if (isSkipping && chosen) await refuseUnresolved(sql, columns, problems, rows.activities, chosen.problemOf);
  await arrange(sql, columns, problems);
  await refuseRows(sql, organizationId, columns, problems);
  // A real import of all rows needs no check: the database refuses locked lines.
  if (dryRun || isSkipping) await refuseLocked(sql, organizationId, columns, problems);
  if (problems.count > (isSkipping ? MAX_REFUSED : 0)) throw new ImportError(problems, columns, activities);
  const refused = isSkipping
    ? { rows: await dropFaultyRows(sql, problems), problems: problems.first }
    : undefined;
  if (refused && !dryRun && refused.rows === rows.rows) throw new ImportError(problems, columns, activities);
  if (activities && activities.unresolved > 0 && !dryRun && !refused) {
    throw new UnresolvedActivities(activities, columns);
  }
  signal.throwIfAborted();
  onProgress({ step: dryRun ? "comparing" : "writing" });
  const staged = await summarizeRecords(sql, isoDate(now));
  const created = await listCreated(sql, rows, refused !== undefined);
  const file = { otherUnits: rows.otherUnits, records: staged.records };
  const questions = await questionFile(sql, organizationId, file, accept);
  signal.throwIfAborted();
  const done = dryRun
    ? {
        id: null,
        ...withUnchanged(staged.records, await compareRecords(sql, organizationId, fileAmounts(columns))),
      }
    : await writeImport(sql, organizationId, request, {
        added: {
          facilities: created,
          hasActivities: activities !== undefined,
          amounts: fileAmounts(columns),
        },
        records: staged.records,
        accepted: requireAccepted("import", questions, accept),
      });
  return summarizeImport({
    request,
    done,
    columns,
    rows,
    staged,
    facilities,
    created,
    questions,
    activities,
    refused,
  });
}

/** Lists the facilities that the import creates; if it skips rows, only those of the remaining rows. */
async function listCreated(sql: SqlSession, { newFacilities }: RowReader, isSkipping: boolean) {
  const all = [...newFacilities.values()];
  if (!isSkipping || all.length === 0) return all;
  const used = await findUsedFacilities(
    sql,
    all.map(({ id }) => id),
  );
  return all.filter(({ id }) => used.has(id));
}

interface Written {
  readonly added: Parameters<typeof writeRecords>[3];
  readonly records: number;
  readonly accepted: readonly ImportQuestion[];
}

async function writeImport(
  sql: SqlSession,
  organizationId: string,
  { file, now }: ImportRequest,
  { added, records, accepted }: Written,
): Promise<Counts & { id: string }> {
  const id = randomUUID();
  await insertImport(sql, organizationId, { id, file, now, accepted });
  const counts = withUnchanged(records, await writeRecords(sql, organizationId, id, added));
  await completeImport(sql, organizationId, id, { ...counts, facilitiesCreated: added.facilities.length });
  if (added.facilities.length > 0) await requireFewFacilities(sql, organizationId);
  return { id, ...counts };
}

function withUnchanged(records: number, { added, updated }: { added: number; updated: number }): Counts {
  return { added, updated, unchanged: records - added - updated };
}
