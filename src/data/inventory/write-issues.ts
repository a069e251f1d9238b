import { randomUUID } from "node:crypto";
import type { SqlSession } from "../database/types.js";
import { ISSUE_COLUMNS, type IssueRow } from "./issues.js";

/** A new issue with its statement. */
export interface NewIssue extends Omit<IssueRow, "holdingsAsOf"> {
  /** First day of the month whose holdings apply. */
  readonly holdingsAsOf: string | null;
  readonly statement: string;
  readonly issuedBy: string;
}

/** Returns the number of a year's latest issue; 0 if it has none. */
export async function findLatestNumber(
  sql: SqlSession,
  organizationId: string,
  year: number,
): Promise<number> {
  const [row] = await sql.query<{ latest: number }>(
    "SELECT coalesce(max(issue), 0)::int AS latest FROM inventory_issues WHERE organization_id = $1::uuid AND year = $2::int",
    [organizationId, year],
  );
  return row?.latest ?? 0;
}

export async function insertIssue(
  sql: SqlSession,
  organizationId: string,
  { year, issue, basis, holdingsAsOf, reasons, note, statement, digest, issuedBy, issuedAt }: NewIssue,
): Promise<IssueRow> {
  const [row] = await sql.query<IssueRow>(
    `INSERT INTO inventory_issues (id, organization_id, year, issue, basis, holdings_as_of, reasons, note, statement, digest, issued_by,
       issued_at)
     VALUES ($1::uuid, $2::uuid, $3::int, $4::int, $5::issue_basis, $6::date, $7::text[]::restatement_reason[], $8, $9, $10, $11::uuid,
       $12::timestamptz)
     RETURNING ${ISSUE_COLUMNS}`,
    [
      randomUUID(),
      organizationId,
      year,
      issue,
      basis,
      holdingsAsOf,
      [...reasons],
      note,
      statement,
      digest,
      issuedBy,
      issuedAt.toISOString(),
    ],
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}
