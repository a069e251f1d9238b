import type { Recurrence } from "../../domain/compliance/deadlines.js";
import type { Framework } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { isUniqueViolation } from "../database/unique-violation.js";
import { DEADLINE_COLUMNS, type DeadlineRow } from "./compliance.js";

/** The two unique keys of an organization's deadline: the first three fields together, and `catalogueId`. */
export interface DeadlineKey {
  readonly framework: Framework;
  readonly title: string;
  readonly dueDate: IsoDate;
  /** Id of the catalogue entry that it was adopted from. */
  readonly catalogueId?: string;
}

export interface NewDeadline extends DeadlineKey {
  readonly recurrence: Recurrence | null;
  /** The person or team responsible. */
  readonly owner?: string | null;
  readonly source: string | null;
  readonly sourceUrl: string | null;
  /** Day of the month on which it recurs (default: the day of `dueDate`). */
  readonly dayOfMonth?: number;
}

async function first<Row>(sql: SqlSession, { text, values }: Prisma.Sql): Promise<Row | null> {
  const [row] = await sql.query<Row>(text, values);
  return row ?? null;
}

/** Adds a pending deadline; null if one with the same key exists. */
export function insertDeadline(
  sql: SqlSession,
  organizationId: string,
  { framework, title, dueDate, recurrence, owner, source, sourceUrl, catalogueId, dayOfMonth }: NewDeadline,
): Promise<DeadlineRow | null> {
  return first<DeadlineRow>(
    sql,
    Prisma.sql`
    INSERT INTO compliance_deadlines AS d
      (organization_id, framework, title, due_date, status, recurrence, owner, source, source_url, catalogue_id, day_of_month)
    VALUES (${organizationId}::uuid, ${framework}::framework, ${title}, ${dueDate}::date, 'pending', ${recurrence}::recurrence,
      ${owner ?? null}, ${source}, ${sourceUrl}, ${catalogueId ?? null}, ${dayOfMonth ?? null}::smallint)
    ON CONFLICT DO NOTHING RETURNING ${DEADLINE_COLUMNS}`,
  );
}

/** Finds the deadline with either key, preferably the one with `catalogueId`. */
export function findDeadlineByKey(
  sql: SqlSession,
  organizationId: string,
  { framework, title, dueDate, catalogueId }: DeadlineKey,
): Promise<DeadlineRow | null> {
  return first<DeadlineRow>(
    sql,
    Prisma.sql`SELECT ${DEADLINE_COLUMNS} FROM compliance_deadlines AS d WHERE organization_id = ${organizationId}::uuid
      AND (catalogue_id = ${catalogueId ?? null}
        OR (due_date = ${dueDate}::date AND framework = ${framework}::framework AND title = ${title}))
      ORDER BY catalogue_id = ${catalogueId ?? null} DESC NULLS LAST LIMIT 1`,
  );
}

/** A deadline that is locked until the transaction ends. */
export interface LockedDeadline extends DeadlineRow {
  /** Day of the month on which it recurs; null for the day of `dueDate`. */
  readonly dayOfMonth: number | null;
}

/** Locks a deadline; null if the organization has none with this id. */
export function lockDeadline(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<LockedDeadline | null> {
  return first<LockedDeadline>(
    sql,
    Prisma.sql`SELECT ${DEADLINE_COLUMNS}, day_of_month AS "dayOfMonth" FROM compliance_deadlines AS d
      WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`,
  );
}

/**
 * Saves a user's changes to a deadline. Returns null if another deadline has its key; the transaction has then failed.
 */
export async function updateDeadline(
  sql: SqlSession,
  organizationId: string,
  { id, title, dueDate, status, recurrence, owner, dayOfMonth }: LockedDeadline,
): Promise<DeadlineRow | null> {
  try {
    return await first<DeadlineRow>(
      sql,
      Prisma.sql`
      UPDATE compliance_deadlines AS d SET title = ${title}, due_date = ${dueDate}::date, status = ${status},
        recurrence = ${recurrence}::recurrence, owner = ${owner}, day_of_month = ${dayOfMonth}::smallint
      WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid RETURNING ${DEADLINE_COLUMNS}`,
    );
  } catch (error) {
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

/** Marks an existing deadline as completed. */
export async function completeDeadline(
  sql: SqlSession,
  organizationId: string,
  { id, completedOn, evidence }: Pick<DeadlineRow, "id" | "completedOn" | "evidence">,
): Promise<DeadlineRow> {
  const completed = await first<DeadlineRow>(
    sql,
    Prisma.sql`
    UPDATE compliance_deadlines AS d SET status = 'completed', completed_on = ${completedOn}::date, evidence = ${evidence}
    WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid RETURNING ${DEADLINE_COLUMNS}`,
  );
  if (!completed) throw new Error(`the deadline ${id} does not exist`);
  return completed;
}
