import { findLastMigration } from "../../data/database/schema/migrations.js";
import { write } from "../../data/database/transaction.js";
import type { Database, SqlSession } from "../../data/database/types.js";
import {
  belongsTo,
  type ImportedPeople,
  listMovingTables,
  type MovingTable,
  openReceiver,
  readRows,
  receiveRows,
  storeReceived,
} from "../../data/organizations/organization-rows.js";
import { findOrganizationId } from "../../data/organizations/organizations.js";
import { OperatorError } from "../../errors.js";
import { openFile } from "../../files/open-file.js";
import { type ReplacedFile, replaceFile } from "../../files/replace-file.js";
import { ActionError } from "../action-error.js";
import { requireOrganization } from "../people/organizations.js";
import {
  type End,
  FORMAT,
  type Head,
  type Line,
  type Row,
  readEnd,
  readLines,
  readRow,
  readTable,
  refuse,
  toLine,
} from "./organization-file.js";

export interface ExportedOrganization extends ReplacedFile, End {
  readonly organization: string;
}

/** Writes all that belongs to an organization to a file, from one snapshot. Throws NOT_FOUND for an unknown slug. */
export async function exportOrganization(
  database: Database,
  {
    slug,
    path,
    gateway,
    now,
    signal,
  }: { slug: string; path: string; gateway: string; now: Date; signal: AbortSignal },
): Promise<ExportedOrganization> {
  const { id, name } = await requireOrganization(database, slug);
  const snapshot = await database.openSnapshot();
  let rows = 0;
  async function* lines(): AsyncGenerator<Buffer> {
    const migration = await findLastMigration(snapshot);
    const organization = { id, slug, name };
    yield toLine({
      format: FORMAT,
      migration,
      gateway,
      exported_at: now.toISOString(),
      organization,
    } satisfies Head);
    for (const table of await listMovingTables(snapshot)) {
      yield toLine({ table: table.name, columns: table.columns });
      for await (const batch of readRows(snapshot, table, id)) {
        rows += batch.length;
        yield Buffer.concat(batch.map(toLine));
      }
    }
    yield toLine({ rows } satisfies End);
  }
  try {
    return { organization: slug, ...(await replaceFile(path, lines(), signal)), rows };
  } finally {
    await snapshot.close();
  }
}

export interface ImportedOrganization extends End, ImportedPeople {
  readonly organization: string;
}

/**
 * Adds the organization of a file, in one transaction. Throws OperatorError, without any change, for a file that is not
 * complete, comes from another version or has faults, and CONFLICT if the organization exists or existed.
 */
export async function importOrganization(
  database: Database,
  { path, now, signal }: { path: string; now: Date; signal: AbortSignal },
): Promise<ImportedOrganization> {
  const file = await openFile(path, signal);
  try {
    return await write(
      database,
      "organizations import",
      async (sql) => {
        const lines = readLines(path, file.chunks);
        const { organization } = await readHead(sql, path, lines);
        await requireAbsent(sql, organization);
        const tables = await listMovingTables(sql);
        const rows = await receive(sql, path, lines, { tables, id: organization.id });
        const people = await storeReceived(sql, tables, now).catch((error) => {
          throw asRefusal(error, path);
        });
        return { organization: organization.slug, rows, ...people };
      },
      undefined,
      { mayTakeLong: true },
    );
  } finally {
    await file.close();
  }
}

/** Reads the first line, and checks that this database can store the file. */
async function readHead(sql: SqlSession, path: string, lines: AsyncGenerator<Line>): Promise<Head> {
  const { value } = await lines.next();
  const head = (value as Line | undefined)?.value as Partial<Head> | null | undefined;
  const { id, slug } = head?.organization ?? {};
  if (head?.format !== FORMAT || typeof id !== "string" || typeof slug !== "string")
    refuse(path, 1, `expected a file of organizations export, with the format ${FORMAT}`);
  const migration = await findLastMigration(sql);
  if (head.migration !== migration)
    refuse(
      path,
      1,
      `the file has the migration ${head.migration} of gateway ${head.gateway}, and this database has ${migration}. Upgrade the older gateway, and export again if it is the other one`,
    );
  return head as Head;
}

async function requireAbsent(sql: SqlSession, { id, slug }: Head["organization"]): Promise<void> {
  if ((await findOrganizationId(sql, slug)) !== undefined)
    throw new ActionError("CONFLICT", "organization", `The organization "${slug}" already exists.`);
  const known = await sql.query(
    "SELECT FROM organizations WHERE id::text = $1 UNION ALL SELECT FROM audit_heads WHERE chain::text = $1",
    [id],
  );
  if (known.length === 0) return;
  const message = `An organization with the id ${id} exists here, or did: its audit trail was kept.`;
  throw new ActionError("CONFLICT", "organization", message);
}

/** Length of the rows that are stored at a time. The embedded database numbers the lines of each 100 kB from 1. */
const BATCH_LENGTH = 20_000;

/** Receives the rows of all tables in temporary tables, and returns their number. */
async function receive(
  sql: SqlSession,
  path: string,
  lines: AsyncGenerator<Line>,
  { tables, id }: { readonly tables: readonly MovingTable[]; readonly id: string },
): Promise<number> {
  const missing = new Map(tables.map((table) => [table.name, table]));
  let table: MovingTable | undefined;
  let batch: Row[] = [];
  let length = 0;
  let rows = 0;
  let end: End | undefined;
  const flush = async (next: number) => {
    const first = next - batch.length;
    if (table !== undefined && batch.length > 0)
      await receiveRows(sql, table, batch).catch((error) => {
        throw asRefusal(error, path, first);
      });
    batch = [];
    length = 0;
  };
  for await (const { number, value } of lines) {
    if (end !== undefined) refuse(path, number, "expected no more lines");
    if (Array.isArray(value)) {
      const row = readRow(value, table);
      if (table === undefined || row === undefined)
        refuse(path, number, `expected a row of ${table?.columns.length ?? 0} strings or null`);
      if (!belongsTo(id, table, row)) refuse(path, number, `expected a row of the organization ${id}`);
      const size = row.reduce((sum, text) => sum + (text?.length ?? 0), 0);
      if (length + size > BATCH_LENGTH) await flush(number);
      batch.push(row);
      rows += 1;
      length += size;
      continue;
    }
    await flush(number);
    end = readEnd(value);
    if (end !== undefined) continue;
    table = readTable(value, missing);
    if (table === undefined) refuse(path, number, "expected a table of this version with its columns, once");
    missing.delete(table.name);
    await openReceiver(sql, table);
  }
  if (end?.rows === rows && missing.size === 0) return rows;
  const lacks =
    missing.size > 0 ? `The tables ${[...missing.keys()].join(", ")} are missing` : `It has ${rows} rows`;
  throw new OperatorError(`${path} is not complete. ${lacks}. Nothing was imported.`);
}

/** SQLSTATEs of values that a table refuses: data exceptions, and violations of constraints. */
const REFUSED = /^2[23]/;

/** Converts the database's refusal of a row. `first` is the line of the first row, if it is known. */
function asRefusal(error: unknown, path: string, first?: number): unknown {
  const { code, message, detail, where } = error as Record<
    "code" | "message" | "detail" | "where",
    string | undefined
  >;
  if (code === undefined || !REFUSED.test(code)) return error;
  const [, row] = /^COPY \S+, line (\d+)/.exec(where ?? "") ?? [];
  const place = first === undefined || row === undefined ? path : `${path}, line ${first + Number(row) - 1}`;
  return new OperatorError(`${place}: ${message}. ${detail ? `${detail} ` : ""}Nothing was imported.`);
}
