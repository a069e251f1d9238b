import { FAILING_AFTER, type Health, UNREACHABLE_MS } from "../../domain/webhooks/endpoint-health.js";
import { write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";
import type { GatewayEvent } from "../events/to-event.js";
import { IS_SUBSCRIBER } from "../notifications/is-subscriber.js";

/** A lease on an endpoint, which gives this process the right to work on it. Every step of the work renews it. */
export interface Claim {
  readonly endpointId: string;
  readonly organizationId: string;
  readonly claim: string;
}

/** Longer than the time limit of a request, so that waiting for a response does not lose the lease. */
const LEASE_SECONDS = 20;

/** Maximum number of an organization's endpoints that one process works on at the same time. */
const ORGANIZATION_AT_ONCE = 3;

// A failing endpoint with a pending delivery is only retried: its place in the trail does not advance.
const READY = `SELECT p.endpoint_id, p.organization_id, p.served_at
  FROM webhook_progress AS p JOIN webhook_endpoints AS e ON e.id = p.endpoint_id
    LEFT JOIN audit_heads AS h ON h.chain = p.organization_id
  WHERE e.disabled_at IS NULL AND coalesce(p.claimed_until <= $1::timestamptz, true)
    AND coalesce(p.paused_until <= $1::timestamptz, true) AND p.endpoint_id <> ALL($2::uuid[]) AND NOT ${IS_SUBSCRIBER}
    AND (p.next_at <= $1::timestamptz OR (h.seq > p.seq AND (p.failures < ${FAILING_AFTER} OR NOT EXISTS (
      SELECT FROM webhook_deliveries AS d WHERE d.endpoint_id = p.endpoint_id AND d.status = 'pending'))))`;

/**
 * Claims up to `max` endpoints that have something to send and that no process is working on. Organizations take turns,
 * and so do the endpoints of each. `busy` lists the endpoints that this process is working on.
 */
export async function claimEndpoints(
  database: Database,
  max: number,
  busy: readonly Claim[],
  now: Date,
): Promise<readonly Claim[]> {
  const values = [now.toISOString(), busy.map(({ endpointId }) => endpointId)];
  // Checked first, because usually there is nothing to send, and a writing transaction would be wasted.
  if ((await database.select(`${READY} LIMIT 1`, values)).length === 0) return [];
  return write(database, "serve", (sql) =>
    sql.query<Claim>(
      `WITH ready AS (${READY}), turns AS (
         SELECT r.*, max(r.served_at) OVER (PARTITION BY r.organization_id) AS organization_served_at,
           row_number() OVER (PARTITION BY r.organization_id ORDER BY r.served_at NULLS FIRST, r.endpoint_id)
             + (SELECT count(*) FROM unnest($3::uuid[]) AS busy (id) WHERE busy.id = r.organization_id) AS turn
         FROM ready AS r
       ), chosen AS (
         SELECT endpoint_id FROM turns WHERE turn <= ${ORGANIZATION_AT_ONCE}
         ORDER BY turn, organization_served_at NULLS FIRST, endpoint_id LIMIT $4
       ), locked AS (
         SELECT p.endpoint_id FROM webhook_progress AS p JOIN chosen AS c ON c.endpoint_id = p.endpoint_id
         WHERE coalesce(p.claimed_until <= $1::timestamptz, true) FOR UPDATE OF p SKIP LOCKED
       )
       UPDATE webhook_progress AS p SET claim = gen_random_uuid(), served_at = $1::timestamptz, next_at = $1::timestamptz,
         claimed_until = $1::timestamptz + interval '${LEASE_SECONDS} seconds'
       FROM locked WHERE p.endpoint_id = locked.endpoint_id
       RETURNING p.endpoint_id AS "endpointId", p.organization_id AS "organizationId", p.claim`,
      [...values, busy.map(({ organizationId }) => organizationId), max],
    ),
  );
}

/** The current state of a claimed endpoint. */
export interface ClaimedEndpoint extends Health {
  readonly url: string;
  readonly types: readonly string[];
  readonly format: "json" | "cloudevents";
  /** Encrypted. */
  readonly secret: string;
  /** Encrypted; null if it has expired. */
  readonly previousSecret: string | null;
  readonly isDisabled: boolean;
  readonly pausedUntil: Date | null;
  /** Id of the last event that was read from the trail for it. */
  readonly place: string;
  /** True if the trail has more entries. */
  readonly hasMore: boolean;
}

/** Renews the lease and locks the endpoint's progress; undefined if this process has lost the lease. */
export async function renewClaim(
  sql: SqlSession,
  { endpointId, claim }: Claim,
  now: Date,
): Promise<ClaimedEndpoint | undefined> {
  const held = await sql.execute(
    `UPDATE webhook_progress SET claimed_until = $3::timestamptz + interval '${LEASE_SECONDS} seconds'
     WHERE endpoint_id = $1::uuid AND claim = $2::uuid`,
    [endpointId, claim, now.toISOString()],
  );
  if (held === 0) return undefined;
  const [row] = await sql.query<ClaimedEndpoint>(
    `SELECT e.url, e.types, e.format, e.secret, CASE WHEN e.secret_expires_at > $2::timestamptz THEN e.previous_secret END AS "previousSecret",
       e.disabled_at IS NOT NULL AS "isDisabled", p.failures, p.failing_since AS "failingSince", p.paused_until AS "pausedUntil",
       p.place, coalesce(h.seq > p.seq, false) AS "hasMore"
     FROM webhook_progress AS p JOIN webhook_endpoints AS e ON e.id = p.endpoint_id
       LEFT JOIN audit_heads AS h ON h.chain = p.organization_id WHERE p.endpoint_id = $1::uuid`,
    [endpointId, now.toISOString()],
  );
  return row;
}

/** A delivery to attempt. */
export interface DueDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly body: string;
  /** Number of earlier attempts. */
  readonly attempts: number;
}

const DUE = `id, event_id AS "eventId", body, attempts`;

/** Lists up to `max` due deliveries that are not in progress: first attempts before retries, then by event. */
export function listDue(
  sql: SqlSession,
  endpointId: string,
  { max, inProgress, now }: { max: number; inProgress: readonly string[]; now: Date },
): Promise<DueDelivery[]> {
  return sql.query<DueDelivery>(
    `SELECT ${DUE} FROM webhook_deliveries
     WHERE endpoint_id = $1::uuid AND status = 'pending' AND next_attempt_at <= $2::timestamptz AND id <> ALL($3::uuid[])
     ORDER BY attempts > 0, seq LIMIT $4`,
    [endpointId, now.toISOString(), inProgress, max],
  );
}

/** Finds the delivery to probe a failing endpoint with: the earliest due one, or else the earliest pending one. */
export async function findProbe(
  sql: SqlSession,
  endpointId: string,
  now: Date,
): Promise<(DueDelivery & { readonly isDue: boolean }) | undefined> {
  const [row] = await sql.query<DueDelivery & { isDue: boolean }>(
    `SELECT ${DUE}, next_attempt_at <= $2::timestamptz AS "isDue" FROM webhook_deliveries
     WHERE endpoint_id = $1::uuid AND status = 'pending' ORDER BY next_attempt_at > $2::timestamptz, seq LIMIT 1`,
    [endpointId, now.toISOString()],
  );
  return row;
}

/**
 * Queues events, and moves the endpoint's place in the trail to the id `next`. Returns undefined, and changes nothing,
 * if this process has lost the lease, or if the endpoint's place is no longer `place`.
 */
export async function queueEvents(
  sql: SqlSession,
  { endpointId, organizationId, claim }: Claim,
  { place, next, events }: { place: string; next: string; events: readonly GatewayEvent[] },
  now: Date,
): Promise<DueDelivery[] | undefined> {
  const moved = await sql.execute(
    `UPDATE webhook_progress SET place = $4, seq = split_part($4, '-', 1)::bigint
     WHERE endpoint_id = $1::uuid AND claim = $2::uuid AND place = $3`,
    [endpointId, claim, place, next],
  );
  if (moved === 0) return undefined;
  if (events.length === 0) return [];
  const queued = await sql.query<DueDelivery>(
    `INSERT INTO webhook_deliveries (organization_id, endpoint_id, seq, event_id, type, body, next_attempt_at, created_at)
     SELECT $1::uuid, $2::uuid, split_part(e.id, '-', 1)::bigint, e.id, e.type, e.body, $3::timestamptz, $3::timestamptz
     FROM unnest($4::text[], $5::text[], $6::text[]) AS e (id, type, body)
     ON CONFLICT (endpoint_id, seq) DO NOTHING RETURNING ${DUE}`,
    [
      organizationId,
      endpointId,
      now.toISOString(),
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map((event) => JSON.stringify(event)),
    ],
  );
  const order = new Map(events.map(({ id }, index) => [id, index]));
  return queued.sort((a, b) => (order.get(a.eventId) ?? 0) - (order.get(b.eventId) ?? 0));
}

/** The result of an attempt. */
export interface AttemptResult {
  readonly id: string;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  /** Null if it was delivered. */
  readonly error: string | null;
  readonly at: Date;
  /** Time of the next attempt; null if it was delivered or has failed for good. */
  readonly nextAt: Date | null;
}

export async function settleAttempts(sql: SqlSession, attempted: readonly AttemptResult[]): Promise<void> {
  await sql.execute(
    `UPDATE webhook_deliveries AS d SET attempts = a.attempts, last_status = a.status, last_error = a.error, last_attempt_at = a.at,
       status = CASE WHEN a.error IS NULL THEN 'delivered' WHEN a.next_at IS NULL THEN 'failed' ELSE 'pending' END,
       next_attempt_at = a.next_at
     FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::text[], $5::timestamptz[], $6::timestamptz[])
       AS a (id, attempts, status, error, at, next_at)
     WHERE d.id = a.id AND d.status = 'pending'`,
    [
      attempted.map(({ id }) => id),
      attempted.map(({ attempts }) => attempts),
      attempted.map(({ status }) => status),
      attempted.map(({ error }) => error),
      attempted.map(({ at }) => at.toISOString()),
      attempted.map(({ nextAt }) => nextAt?.toISOString() ?? null),
    ],
  );
}

/** Stores the health of a claimed endpoint, and the time until which it is paused. */
export async function updateHealth(
  sql: SqlSession,
  { endpointId, claim }: Claim,
  { failures, failingSince }: Health,
  pausedUntil: Date | null,
): Promise<void> {
  await sql.execute(
    `UPDATE webhook_progress SET failures = $3, failing_since = $4::timestamptz, paused_until = greatest(paused_until, $5::timestamptz)
     WHERE endpoint_id = $1::uuid AND claim = $2::uuid`,
    [endpointId, claim, failures, failingSince?.toISOString() ?? null, pausedUntil?.toISOString() ?? null],
  );
}

/** Requeues the deliveries that have failed for good since an endpoint began to fail; returns their number. */
export function queueFailedSince(
  sql: SqlSession,
  endpointId: string,
  since: Date,
  now: Date,
): Promise<number> {
  return sql.execute(
    `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = $3::timestamptz
     WHERE endpoint_id = $1::uuid AND status = 'failed' AND last_attempt_at >= $2::timestamptz`,
    [endpointId, since.toISOString(), now.toISOString()],
  );
}

/**
 * Ends the lease on an endpoint, and schedules it for its next due delivery. A failing endpoint without pending
 * deliveries is scheduled for the time at which it counts as unreachable.
 */
export async function releaseEndpoint(sql: SqlSession, { endpointId, claim }: Claim): Promise<void> {
  // A separate statement: one that waits for the lock would not see the deliveries that the lock's holder made due.
  await sql.query("SELECT FROM webhook_progress WHERE endpoint_id = $1::uuid FOR UPDATE", [endpointId]);
  await sql.execute(
    `UPDATE webhook_progress AS p SET claim = NULL, claimed_until = NULL, next_at = coalesce(
       (SELECT min(d.next_attempt_at) FROM webhook_deliveries AS d WHERE d.endpoint_id = p.endpoint_id AND d.status = 'pending'),
       CASE WHEN p.failures >= ${FAILING_AFTER} THEN p.failing_since + interval '${UNREACHABLE_MS} milliseconds' END)
     WHERE p.endpoint_id = $1::uuid AND p.claim = $2::uuid`,
    [endpointId, claim],
  );
}
