import type { Recurrence } from "../../domain/compliance/deadlines.js";
import type { Framework } from "../../domain/enums.js";
import type { IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { DEADLINE, type DeadlineRow } from "./compliance.js";

/** What no two deadlines of an organization have in common: these three together, and the entry of the catalogue. */
export interface DeadlineKey {
  readonly framework: Framework;
  readonly title: string;
  readonly dueDate: IsoDate;
  /** The entry of the catalogue that it is adopted from. */
  readonly catalogueId?: string;
}

export interface NewDeadline extends DeadlineKey {
  readonly recurrence: Recurrence | null;
  readonly source: string | null;
  readonly sourceUrl: string | null;
  /** The day of the month that it recurs on, if that may not be the day of `dueDate`. */
  readonly dayOfMonth?: number;
}

async function first<Row>(sql: SqlSession, { text, values }: Prisma.Sql): Promise<Row | null> {
  const [row] = await sql.query<Row>(text, values);
  return row ?? null;
}

/** Adds a pending deadline; null if there is one with its key. */
export function insertDeadline(
  sql: SqlSession,
  organizationId: string,
  { framework, title, dueDate, recurrence, source, sourceUrl, catalogueId, dayOfMonth }: NewDeadline,
): Promise<DeadlineRow | null> {
  return first<DeadlineRow>(
    sql,
    Prisma.sql`
    INSERT INTO compliance_deadlines AS d
      (organization_id, framework, title, due_date, status, recurrence, source, source_url, catalogue_id, day_of_month)
    VALUES (${organizationId}::uuid, ${framework}::framework, ${title}, ${dueDate}::date, 'pending', ${recurrence}::recurrence,
      ${source}, ${sourceUrl}, ${catalogueId ?? null}, ${dayOfMonth ?? null}::smallint)
    ON CONFLICT DO NOTHING RETURNING ${DEADLINE}`,
  );
}

/** The deadline with a key: the one that was adopted from the entry of the catalogue, if there is one. */
export function findDeadlineByKey(
  sql: SqlSession,
  organizationId: string,
  { framework, title, dueDate, catalogueId }: DeadlineKey,
): Promise<DeadlineRow | null> {
  return first<DeadlineRow>(
    sql,
    Prisma.sql`SELECT ${DEADLINE} FROM compliance_deadlines AS d WHERE organization_id = ${organizationId}::uuid
      AND (catalogue_id = ${catalogueId ?? null}
        OR (due_date = ${dueDate}::date AND framework = ${framework}::framework AND title = ${title}))
      ORDER BY catalogue_id = ${catalogueId ?? null} DESC NULLS LAST LIMIT 1`,
  );
}

/** A deadline that others cannot change until the transaction ends. */
export interface LockedDeadline extends DeadlineRow {
  /** The day of the month that it recurs on; null for the day of `dueDate`. */
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
    Prisma.sql`SELECT ${DEADLINE}, day_of_month AS "dayOfMonth" FROM compliance_deadlines AS d
      WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`,
  );
}

const UNIQUE_VIOLATION = "23505";

/** Writes what people change of a deadline; null, and the transaction cannot go on, if another has its key. */
export async function updateDeadline(
  sql: SqlSession,
  organizationId: string,
  { id, title, dueDate, status, recurrence, dayOfMonth }: LockedDeadline,
): Promise<DeadlineRow | null> {
  try {
    return await first<DeadlineRow>(
      sql,
      Prisma.sql`
      UPDATE compliance_deadlines AS d SET title = ${title}, due_date = ${dueDate}::date, status = ${status},
        recurrence = ${recurrence}::recurrence, day_of_month = ${dayOfMonth}::smallint
      WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid RETURNING ${DEADLINE}`,
    );
  } catch (error) {
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return null;
    throw error;
  }
}

/** Writes that a deadline, which must be there, was completed. */
export async function completeDeadline(
  sql: SqlSession,
  organizationId: string,
  { id, completedOn, evidence }: Pick<DeadlineRow, "id" | "completedOn" | "evidence">,
): Promise<DeadlineRow> {
  const completed = await first<DeadlineRow>(
    sql,
    Prisma.sql`
    UPDATE compliance_deadlines AS d SET status = 'completed', completed_on = ${completedOn}::date, evidence = ${evidence}
    WHERE organization_id = ${organizationId}::uuid AND id = ${id}::uuid RETURNING ${DEADLINE}`,
  );
  if (!completed) throw new Error(`the deadline ${id} was not there to be completed`);
  return completed;
}
