import { randomUUID } from "node:crypto";
import type { SqlSession } from "../database/types.js";
import { FINDING_COLUMNS, type FindingRow } from "./details.js";
import type { LockedRequest } from "./write-requests.js";

/** Lists the misstatements in tonnes of the findings on a snapshot, as plain decimals. */
export async function listMisstatements(
  sql: SqlSession,
  organizationId: string,
  requestId: string,
  snapshotNumber: number,
): Promise<string[]> {
  const found = await sql.query<{ tonnes: string }>(
    `SELECT trim_scale(misstatement_tonnes)::text AS tonnes FROM verification_findings
     WHERE organization_id = $1::uuid AND request_id = $2::uuid AND snapshot_number = $3::int AND misstatement_tonnes IS NOT NULL`,
    [organizationId, requestId, snapshotNumber],
  );
  return found.map(({ tonnes }) => tonnes);
}

/** Counts the findings of a request, on all its snapshots. */
export async function countFindings(
  sql: SqlSession,
  organizationId: string,
  requestId: string,
): Promise<number> {
  const [row] = await sql.query<{ count: string }>(
    "SELECT count(*)::text AS count FROM verification_findings WHERE organization_id = $1::uuid AND request_id = $2::uuid",
    [organizationId, requestId],
  );
  return Number(row?.count);
}

/** Returns true if a request covers a record, by its day and scope. */
export async function isRecordOf(
  sql: SqlSession,
  organizationId: string,
  { periodFrom, periodTo, scopes }: LockedRequest,
  recordId: string,
): Promise<boolean> {
  const found = await sql.query(
    `SELECT FROM emission_records WHERE organization_id = $1::uuid AND id = $2::uuid AND deleted_at IS NULL
       AND recorded_on BETWEEN $3::date AND $4::date AND scope = ANY ($5::text[]::emission_scope[])`,
    [organizationId, recordId, periodFrom, periodTo, [...scopes]],
  );
  return found.length > 0;
}

export type NewFinding = Omit<FindingRow, "id" | "createdAt">;

/** Finds a finding on the same snapshot with the same content; undefined if none exists. */
export async function findSameFinding(
  sql: SqlSession,
  organizationId: string,
  requestId: string,
  { snapshotNumber, recordId, text, severity, misstatementTonnes }: NewFinding,
): Promise<FindingRow | undefined> {
  const [finding] = await sql.query<FindingRow>(
    `SELECT ${FINDING_COLUMNS} FROM verification_findings WHERE organization_id = $1::uuid AND request_id = $2::uuid
       AND snapshot_number = $3::int AND record_id IS NOT DISTINCT FROM $4::uuid AND text = $5 AND severity = $6::finding_severity
       AND misstatement_tonnes IS NOT DISTINCT FROM $7::text::numeric`,
    [organizationId, requestId, snapshotNumber, recordId, text, severity, misstatementTonnes],
  );
  return finding;
}

/** Adds a finding to a locked request. */
export async function insertFinding(
  sql: SqlSession,
  organizationId: string,
  requestId: string,
  { snapshotNumber, recordId, text, severity, misstatementTonnes }: NewFinding,
  now: Date,
): Promise<FindingRow> {
  const [finding] = await sql.query<FindingRow>(
    `INSERT INTO verification_findings
       (id, organization_id, request_id, snapshot_number, record_id, text, severity, misstatement_tonnes, created_at)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4::int, $5::uuid, $6, $7::finding_severity, $8::text::numeric, $9::timestamptz)
     RETURNING ${FINDING_COLUMNS}`,
    [
      randomUUID(),
      organizationId,
      requestId,
      snapshotNumber,
      recordId,
      text,
      severity,
      misstatementTonnes,
      now.toISOString(),
    ],
  );
  if (!finding) throw new Error("the database returned no row");
  return finding;
}
