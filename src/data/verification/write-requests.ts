import { randomUUID } from "node:crypto";
import type { EmissionScope } from "../../domain/enums.js";
import type {
  AssuranceLevel,
  Opinion,
  VerificationParty,
  VerificationStatus,
} from "../../domain/verification/states.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import type { SqlSession } from "../database/types.js";
import { lockOrganizationRow } from "../organizations/lock-row.js";
import { INVENTORY, LATEST_SNAPSHOT } from "./columns.js";
import type { SnapshotRow } from "./requests.js";
import type { TakenSnapshot } from "./take-snapshot.js";
import type { VerifierLink } from "./write-verifiers.js";

/** Identifies an issue of an inventory. */
export interface VerifiedInventory {
  readonly year: number;
  readonly issue: number;
}

/** The content of a request for verification. */
export interface RequestedVerification {
  readonly period: DateRange;
  /** The issue that covers the period and scopes; null if only records are verified. */
  readonly inventory: VerifiedInventory | null;
  /** Sorted. */
  readonly scopes: readonly EmissionScope[];
  readonly level: AssuranceLevel;
  /** A plain decimal. */
  readonly materialityPercent: string;
  readonly verifierEmail: string;
}

const HAS_CONTENT = `organization_id = $1::uuid AND status = 'draft' AND period_from = $2::date AND period_to = $3::date
  AND scopes = $4::text[]::emission_scope[] AND level = $5::assurance_level AND materiality_pct = $6::text::numeric
  AND lower(verifier_email) = lower($7::text COLLATE "C") AND inventory_year IS NOT DISTINCT FROM $8::int
  AND inventory_issue IS NOT DISTINCT FROM $9::int`;

/** Adds a draft unless one with the same content exists, and returns the id of either. Concurrent calls wait. */
export async function insertRequest(
  sql: SqlSession,
  organizationId: string,
  { period, scopes, level, materialityPercent, verifierEmail, inventory }: RequestedVerification,
  now: Date,
): Promise<{ id: string; isNew: boolean }> {
  await lockOrganizationRow(sql, organizationId);
  const content = [
    organizationId,
    period.from,
    period.to,
    [...scopes],
    level,
    materialityPercent,
    verifierEmail,
    inventory?.year ?? null,
    inventory?.issue ?? null,
  ];
  const [existing] = await sql.query<{ id: string }>(
    `SELECT id FROM verification_requests WHERE ${HAS_CONTENT}`,
    content,
  );
  if (existing) return { id: existing.id, isNew: false };
  const id = randomUUID();
  await sql.execute(
    `INSERT INTO verification_requests
       (organization_id, period_from, period_to, scopes, level, materiality_pct, verifier_email, inventory_year, inventory_issue, id,
       created_at, number)
     SELECT $1::uuid, $2::date, $3::date, $4::text[]::emission_scope[], $5::assurance_level, $6::text::numeric, $7, $8::int, $9::int,
       $10::uuid, $11::timestamptz, $12 || lpad((coalesce(max(split_part(number, '-', 3)::int), 0) + 1)::text, 4, '0')
     FROM verification_requests WHERE organization_id = $1::uuid AND starts_with(number, $12)`,
    [...content, id, now.toISOString(), `VR-${now.getUTCFullYear()}-`],
  );
  return { id, isNew: true };
}

export interface LockedRequest extends Omit<RequestedVerification, "period"> {
  readonly id: string;
  readonly number: string;
  readonly organizationSlug: string;
  readonly organizationName: string;
  readonly periodFrom: IsoDate;
  readonly periodTo: IsoDate;
  readonly status: VerificationStatus;
  /** The user who accepted; null until then. */
  readonly verifierId: string | null;
  /** The organization for which the user accepted. */
  readonly verifierOrganizationId: string | null;
  readonly isVerifierConfirmed: boolean;
  readonly version: number;
  readonly snapshot: SnapshotRow | null;
}

/** Locks a request until the transaction ends, and returns it; undefined if the organization has none with this id. */
export async function lockRequest(
  sql: SqlSession,
  organizationId: string,
  id: string,
): Promise<LockedRequest | undefined> {
  const [request] = await sql.query<LockedRequest>(
    `SELECT t.id, t.number, o.slug AS "organizationSlug", o.name AS "organizationName", t.period_from::text AS "periodFrom",
       t.period_to::text AS "periodTo", to_json(t.scopes) AS scopes, t.level::text AS level,
       trim_scale(t.materiality_pct)::text AS "materialityPercent", t.verifier_email AS "verifierEmail", t.status::text AS status,
       ${INVENTORY} AS inventory, t.verifier_id AS "verifierId", t.verifier_organization_id AS "verifierOrganizationId",
       t.verifier_confirmed_at IS NOT NULL AS "isVerifierConfirmed", t.version, ${LATEST_SNAPSHOT} AS snapshot
     FROM verification_requests AS t JOIN organizations AS o ON o.id = t.organization_id
     WHERE t.organization_id = $1::uuid AND t.id = $2::uuid FOR NO KEY UPDATE OF t`,
    [organizationId, id],
  );
  return request;
}

/** Changes to a request. Omitted properties are unchanged. */
export interface Outcome {
  readonly status: VerificationStatus;
  readonly link?: VerifierLink;
  /** The decision; null to withdraw it. */
  readonly decision?: { readonly opinion: Opinion; readonly statement: string } | null;
}

/** Changes a locked request, and records the change of status. */
export async function changeStatus(
  sql: SqlSession,
  organizationId: string,
  { id, status: from }: Pick<LockedRequest, "id" | "status">,
  { status, link, decision }: Outcome,
  change: { readonly by: VerificationParty; readonly now: Date; readonly note: string | null },
): Promise<void> {
  await sql.execute(
    `UPDATE verification_requests SET status = $3::verification_status,
       opinion = CASE WHEN $4 THEN $5::text::verification_opinion ELSE opinion END,
       statement = CASE WHEN $4 THEN $6 ELSE statement END,
       verifier_link_hash = coalesce($7, verifier_link_hash),
       verifier_link_expires_at = coalesce($8::timestamptz, verifier_link_expires_at)
     WHERE organization_id = $1::uuid AND id = $2::uuid`,
    [
      organizationId,
      id,
      status,
      decision !== undefined,
      decision?.opinion ?? null,
      decision?.statement ?? null,
      link?.hash ?? null,
      link?.expiresAt.toISOString() ?? null,
    ],
  );
  await insertStatusChange(sql, organizationId, id, { from, status, ...change });
}

/** Records a change of a request's status. */
export async function insertStatusChange(
  sql: SqlSession,
  organizationId: string,
  id: string,
  change: {
    readonly from: VerificationStatus | null;
    readonly status: VerificationStatus;
    readonly by: VerificationParty;
    readonly now: Date;
    readonly note: string | null;
  },
): Promise<void> {
  await sql.execute(
    `INSERT INTO verification_status_changes (organization_id, request_id, seq, from_status, status, changed_by, changed_at, note)
     SELECT $1::uuid, $2::uuid, coalesce(max(seq), 0) + 1, $3::text::verification_status, $4::verification_status,
       $5::verification_party, $6::timestamptz, $7
     FROM verification_status_changes WHERE organization_id = $1::uuid AND request_id = $2::uuid`,
    [organizationId, id, change.from, change.status, change.by, change.now.toISOString(), change.note],
  );
}

/**
 * Locks the records in a request's period. Waits for transactions that are writing to them. Throws CONFLICT if part of
 * the period is already locked.
 */
export async function lockPeriod(
  sql: SqlSession,
  organizationId: string,
  request: LockedRequest,
): Promise<void> {
  await sql.execute(
    `INSERT INTO period_locks (organization_id, request_id, period_from, period_to, scopes)
     VALUES ($1::uuid, $2::uuid, $3::date, $4::date, $5::text[]::emission_scope[])`,
    [organizationId, request.id, request.periodFrom, request.periodTo, [...request.scopes]],
  );
}

/** Unlocks the period of a request, if it is locked. */
export async function unlockPeriod(sql: SqlSession, organizationId: string, id: string): Promise<void> {
  await sql.execute("DELETE FROM period_locks WHERE organization_id = $1::uuid AND request_id = $2::uuid", [
    organizationId,
    id,
  ]);
}

/** Adds a snapshot to a locked request. */
export async function insertSnapshot(
  sql: SqlSession,
  organizationId: string,
  { id, snapshot }: Pick<LockedRequest, "id" | "snapshot">,
  { digest, totals, recordCount }: TakenSnapshot,
  now: Date,
): Promise<void> {
  await sql.execute(
    `INSERT INTO verification_snapshots (organization_id, request_id, number, digest, totals, record_count, taken_at)
     VALUES ($1::uuid, $2::uuid, $3::int, $4, $5::text::jsonb, $6::text::bigint, $7::timestamptz)`,
    [
      organizationId,
      id,
      (snapshot?.number ?? 0) + 1,
      digest,
      JSON.stringify(totals),
      String(recordCount),
      now.toISOString(),
    ],
  );
}
