import {
  RECORD_COLUMNS as PARTS,
  RECORD_PARTS,
  type RecordPart,
} from "../../domain/emissions/record-parts.js";
import { snakeCase } from "../../domain/texts/snake-case.js";
import type { SqlSession } from "../database/types.js";
import { RECORD_COLUMNS, type RecordRow, type RecordValues } from "./record-rows.js";

const NAMES = PARTS.map(([, column]) => column);

/** A record to add. Missing values are null. */
export interface NewRecord extends Partial<RecordValues> {
  readonly id: string;
  readonly reference: string | null;
}

const SENT = `FROM jsonb_to_recordset($3::text::jsonb) AS new (id uuid, reference text, ${PARTS.map(([, column, type]) => `${column} ${type}`).join(", ")})`;

// Ordered by id, to avoid deadlocks between two calls. DO UPDATE would fire update triggers on every call.
const INSERT = `INSERT INTO emission_records (organization_id, created_by, import_id, id, reference, ${NAMES.join(", ")})
  SELECT $1::uuid, $2::uuid, $4::uuid, id, reference, ${NAMES.join(", ")} ${SENT}
  ORDER BY id ON CONFLICT (organization_id, id) DO NOTHING RETURNING ${RECORD_COLUMNS}`;

const REPLACE_DELETED = `UPDATE emission_records AS r SET ${NAMES.map((name) => `${name} = new.${name}`).join(", ")},
    created_by = $2::uuid, import_id = $4::uuid, deleted_at = NULL
  ${SENT} WHERE r.organization_id = $1::uuid AND r.id = new.id AND r.deleted_at IS NOT NULL RETURNING r.id`;

/** Origin of new records: the user or service account that created them, and the import that added them. */
export interface RecordsOwner {
  readonly organizationId: string;
  readonly createdBy: string | null;
  readonly importId?: string | null;
}

/**
 * Adds records, replacing deleted ones with the same id, and returns those that it added or replaced. Leaves other
 * existing records unchanged.
 */
export async function insertRecords(
  sql: SqlSession,
  owner: RecordsOwner,
  records: readonly NewRecord[],
): Promise<RecordRow[]> {
  const { organizationId, createdBy, importId = null } = owner;
  const rows = records.map(({ id, reference, ...values }) => ({
    id,
    reference,
    ...Object.fromEntries(PARTS.map(([part, column]) => [column, values[part]])),
  }));
  const values = [organizationId, createdBy, JSON.stringify(rows), importId];
  const inserted = await sql.query<RecordRow>(INSERT, values);
  if (inserted.length === records.length) return inserted;
  const added = new Set(inserted.map(({ id }) => id));
  const others = records.filter(({ id }) => !added.has(id));
  await lockRecords(
    sql,
    organizationId,
    others.map(({ id }) => id),
  );
  const replaced = await sql.query<{ id: string }>(REPLACE_DELETED, values);
  const ids = replaced.map(({ id }) => id);
  const found = ids.length === 0 ? [] : await findWrittenRecords(sql, organizationId, ids);
  return [...inserted, ...found];
}

/** Locks records until the transaction ends, ordered by id to avoid deadlocks between two calls. */
async function lockRecords(sql: SqlSession, organizationId: string, ids: readonly string[]): Promise<void> {
  await sql.query(
    "SELECT id FROM emission_records WHERE organization_id = $1::uuid AND id = ANY($2::uuid[]) ORDER BY id FOR NO KEY UPDATE",
    [organizationId, ids],
  );
}

/** Returns true if an organization has a record that is not deleted. */
export async function hasRecords(sql: SqlSession, organizationId: string): Promise<boolean> {
  const rows = await sql.query(
    "SELECT FROM emission_records WHERE organization_id = $1::uuid AND deleted_at IS NULL LIMIT 1",
    [organizationId],
  );
  return rows.length > 0;
}

/** Finds records by id, including deleted ones, unordered. */
export function findWrittenRecords(
  sql: SqlSession,
  organizationId: string,
  ids: readonly string[],
): Promise<RecordRow[]> {
  return sql.query<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM emission_records WHERE organization_id = $1::uuid AND id = ANY($2::uuid[])`,
    [organizationId, ids],
  );
}

/** Locks and returns a record; null if it does not exist or is deleted. */
export async function lockRecord(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<RecordRow | null> {
  const [record] = await sql.query<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM emission_records
     WHERE organization_id = $1::uuid AND id = $2::uuid AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [organizationId, id],
  );
  return record ?? null;
}

/** A record to delete. */
export interface DeletableRow extends RecordRow {
  readonly isDeleted: boolean;
  /** Number of the verification request that locks it; null if it is not locked. */
  readonly lockedBy: string | null;
}

/** Locks and returns records, including deleted ones, unordered. */
export async function lockRecordsForDeletion(
  sql: SqlSession,
  organizationId: string,
  ids: readonly string[],
): Promise<DeletableRow[]> {
  await lockRecords(sql, organizationId, ids);
  return sql.query<DeletableRow>(
    `SELECT ${RECORD_COLUMNS}, deleted_at IS NOT NULL AS "isDeleted",
       (SELECT v.number FROM period_locks AS l
        JOIN verification_requests AS v ON v.organization_id = l.organization_id AND v.id = l.request_id
        WHERE l.organization_id = r.organization_id AND r.scope = ANY (l.scopes)
          AND r.recorded_on BETWEEN l.period_from AND l.period_to LIMIT 1) AS "lockedBy"
     FROM emission_records AS r WHERE organization_id = $1::uuid AND id = ANY($2::uuid[])`,
    [organizationId, ids],
  );
}

/** Marks records as deleted, with the reason as their note, and returns them unordered. */
export function markRecordsDeleted(
  sql: SqlSession,
  organizationId: string,
  ids: readonly string[],
  { note, deletedAt }: { readonly note: string; readonly deletedAt: Date },
): Promise<RecordRow[]> {
  return sql.query<RecordRow>(
    `UPDATE emission_records SET note = $3, deleted_at = $4::timestamptz, import_id = NULL
     WHERE organization_id = $1::uuid AND id = ANY($2::uuid[]) RETURNING ${RECORD_COLUMNS}`,
    [organizationId, ids, note, deletedAt.toISOString()],
  );
}

/**
 * Updates the given values of a record, and marks it as deleted if `deletedAt` is given. Undoing its import then no
 * longer affects it.
 */
export async function updateRecord(
  sql: SqlSession,
  organizationId: string,
  id: string,
  { deletedAt, ...values }: Partial<RecordValues> & { readonly deletedAt?: Date },
): Promise<RecordRow> {
  const parts = Object.keys(values) as RecordPart[];
  const set = parts.map((part, index) => {
    const { type } = RECORD_PARTS[part];
    return `${snakeCase(part)} = $${index + 4}::${type === "jsonb" ? "text::jsonb" : type}`;
  });
  const given = parts.map((part) => {
    const value = values[part] ?? null;
    return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  });
  const [record] = await sql.query<RecordRow>(
    `UPDATE emission_records SET ${[...set, "deleted_at = $3::timestamptz", "import_id = NULL"].join(", ")}
     WHERE organization_id = $1::uuid AND id = $2::uuid RETURNING ${RECORD_COLUMNS}`,
    [organizationId, id, deletedAt?.toISOString() ?? null, ...given],
  );
  if (!record) throw new Error(`the record ${id} disappeared while it was locked`);
  return record;
}
