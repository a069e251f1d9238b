import type { EventPosition } from "../../domain/events/event-id.js";
import { eventIdOf } from "../../domain/events/event-id.js";
import { type DisabledReason, MAX_RESENT } from "../../domain/webhooks/endpoint-health.js";
import type { SqlSession } from "../database/types.js";
import type { EndpointRow } from "./endpoints.js";

/** A locked endpoint, with its encrypted secrets. */
export interface LockedEndpoint
  extends Pick<EndpointRow, "id" | "url" | "types" | "description" | "format" | "version"> {
  readonly secret: string;
  /** Null if it has expired. */
  readonly previousSecret: string | null;
  readonly disabledAt: Date | null;
}

export interface NewEndpoint
  extends Pick<EndpointRow, "url" | "types" | "description" | "format" | "createdBy"> {
  readonly id: string;
  readonly organizationId: string;
  readonly secret: string;
  readonly isEnabled: boolean;
  /** Place in the trail after which it receives events. */
  readonly place: EventPosition;
  readonly now: Date;
}

/** Counts an organization's endpoints. Lock the organization's row first. */
export async function countLockedEndpoints(sql: SqlSession, organizationId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM webhook_endpoints WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return row?.count ?? 0;
}

export async function insertEndpoint(sql: SqlSession, endpoint: NewEndpoint): Promise<void> {
  const { id, organizationId, url, types, description, format, secret, isEnabled, createdBy, place, now } =
    endpoint;
  await sql.execute(
    `INSERT INTO webhook_endpoints (id, organization_id, url, types, description, format, secret, disabled_at, disabled_reason,
       created_by, created_at)
     VALUES ($1::uuid, $2::uuid, $3, $4::text[], $5, $6, $7, CASE WHEN NOT $8 THEN $10::timestamptz END,
       CASE WHEN NOT $8 THEN 'request' END, $9::uuid, $10::timestamptz)`,
    [
      id,
      organizationId,
      url,
      [...types],
      description,
      format,
      secret,
      isEnabled,
      createdBy,
      now.toISOString(),
    ],
  );
  await sql.execute(
    `INSERT INTO webhook_progress (endpoint_id, organization_id, seq, place) VALUES ($1::uuid, $2::uuid, $3::bigint, $4)`,
    [id, organizationId, place.seq, eventIdOf(place)],
  );
}

/**
 * Locks an organization's endpoint until the transaction ends, and returns it; null if it does not exist. Locks its
 * progress first, in the same order as deliveries do.
 */
export async function lockEndpoint(
  sql: SqlSession,
  organizationId: string,
  id: string,
  now: Date,
): Promise<LockedEndpoint | null> {
  await sql.query(
    "SELECT FROM webhook_progress WHERE endpoint_id = $1::uuid AND organization_id = $2::uuid FOR UPDATE",
    [id, organizationId],
  );
  const [row] = await sql.query<LockedEndpoint>(
    `SELECT id, url, types, description, format, version, secret, disabled_at AS "disabledAt",
       CASE WHEN secret_expires_at > $3::timestamptz THEN previous_secret END AS "previousSecret" FROM webhook_endpoints
     WHERE organization_id = $1::uuid AND id = $2::uuid FOR UPDATE`,
    [organizationId, id, now.toISOString()],
  );
  return row ?? null;
}

/** Changes the settings of an endpoint. */
export async function updateEndpoint(
  sql: SqlSession,
  id: string,
  { url, types, description, format }: Pick<EndpointRow, "url" | "types" | "description" | "format">,
): Promise<void> {
  await sql.execute(
    "UPDATE webhook_endpoints SET url = $2, types = $3::text[], description = $4, format = $5 WHERE id = $1::uuid",
    [id, url, [...types], description, format],
  );
}

/** Replaces an endpoint's secret. The old one also signs until `previousUntil`; null stops it at once. */
export async function replaceSecret(
  sql: SqlSession,
  id: string,
  secret: string,
  previousUntil: Date | null,
): Promise<void> {
  await sql.execute(
    `UPDATE webhook_endpoints SET secret = $2, previous_secret = CASE WHEN $3::timestamptz IS NOT NULL THEN secret END,
       secret_expires_at = $3::timestamptz WHERE id = $1::uuid`,
    [id, secret, previousUntil?.toISOString() ?? null],
  );
}

/** Disables an endpoint. Returns its new version; undefined if it was already disabled. */
export async function disableEndpoint(
  sql: SqlSession,
  id: string,
  reason: DisabledReason,
  now: Date,
): Promise<number | undefined> {
  const [row] = await sql.query<{ version: number }>(
    `UPDATE webhook_endpoints SET disabled_at = $3::timestamptz, disabled_reason = $2
     WHERE id = $1::uuid AND disabled_at IS NULL RETURNING version`,
    [id, reason, now.toISOString()],
  );
  return row?.version;
}

/** Enables and resumes a disabled endpoint. */
export async function enableEndpoint(
  sql: SqlSession,
  id: string,
  skipTo: EventPosition | null,
  now: Date,
): Promise<void> {
  await sql.execute(
    "UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL WHERE id = $1::uuid",
    [id],
  );
  await resumeEndpoint(sql, id, skipTo, now);
}

/**
 * Clears an endpoint's failures and continues where it stopped. Its pending deliveries, and those that failed for good
 * since it began to fail, are due now. With `skipTo`, continues there instead, and its pending deliveries fail.
 */
export async function resumeEndpoint(
  sql: SqlSession,
  id: string,
  skipTo: EventPosition | null,
  now: Date,
): Promise<void> {
  await (skipTo
    ? sql.execute(
        `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, last_error = 'it was skipped'
         WHERE endpoint_id = $1::uuid AND status = 'pending'`,
        [id],
      )
    : sql.execute(
        `UPDATE webhook_deliveries AS d SET status = 'pending', attempts = 0, next_attempt_at = $2::timestamptz
         FROM webhook_progress AS p WHERE p.endpoint_id = $1::uuid AND d.endpoint_id = p.endpoint_id
           AND (d.status = 'pending' OR d.status = 'failed' AND d.last_attempt_at >= p.failing_since)`,
        [id, now.toISOString()],
      ));
  await sql.execute(
    `UPDATE webhook_progress SET failures = 0, failing_since = NULL, paused_until = NULL, claim = NULL, claimed_until = NULL,
       next_at = $2::timestamptz, seq = coalesce($3::bigint, seq), place = coalesce($4, place) WHERE endpoint_id = $1::uuid`,
    [id, now.toISOString(), skipTo?.seq ?? null, skipTo && eventIdOf(skipTo)],
  );
}

/** Deletes an endpoint. A job prunes its deliveries later. */
export async function deleteEndpoint(sql: SqlSession, id: string): Promise<void> {
  await sql.execute("DELETE FROM webhook_endpoints WHERE id = $1::uuid", [id]);
}

/** Selects deliveries to send again, by the numbers of their events: greater than `after`, up to `until`. */
export interface Resend {
  readonly endpointId: string;
  /** Id of a single delivery. */
  readonly id?: string;
  readonly after?: number | null;
  readonly until?: number | null;
  readonly status?: "failed" | null;
}

/**
 * Requeues up to 10,000 finished deliveries, oldest first, or the one with `id`, even if it is pending. Returns their
 * number. A dry run only counts.
 */
export async function resendDeliveries(
  sql: SqlSession,
  { endpointId, id, after, until, status }: Resend,
  isDryRun: boolean,
  now: Date,
): Promise<number> {
  const chosen = `SELECT id FROM webhook_deliveries WHERE endpoint_id = $1::uuid AND (status <> 'pending' OR $2::uuid IS NOT NULL)
    AND ($2::uuid IS NULL OR id = $2::uuid) AND ($3::bigint IS NULL OR seq > $3::bigint)
    AND ($4::bigint IS NULL OR seq <= $4::bigint)${status === "failed" ? " AND status = 'failed'" : ""}
    ORDER BY seq LIMIT ${MAX_RESENT}`;
  const values = [endpointId, id ?? null, after ?? null, until ?? null];
  if (isDryRun) {
    const [row] = await sql.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (${chosen}) AS chosen`,
      values,
    );
    return row?.count ?? 0;
  }
  const count = await sql.execute(
    `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = $5::timestamptz WHERE id IN (${chosen})`,
    [...values, now.toISOString()],
  );
  await sql.execute("UPDATE webhook_progress SET next_at = $2::timestamptz WHERE endpoint_id = $1::uuid", [
    endpointId,
    now.toISOString(),
  ]);
  return count;
}
