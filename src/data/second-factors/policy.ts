import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Days that existing members have to set up a second factor once the organization requires one. */
export const GRACE_DAYS = 7;

/** Days before the end of the grace period on which they are reminded. */
const REMINDER_DAYS = [2, 1];

/**
 * SQL for the time from which the organization `o` requires a second factor of its member `m`; null if it does not.
 * Members who joined after the decision need one at once.
 */
export const FACTOR_DUE_AT = `CASE WHEN m.created_at <= o.second_factor_from - interval '${GRACE_DAYS} days' THEN o.second_factor_from
  WHEN o.second_factor_from IS NOT NULL THEN m.created_at END`;

/** SQL for the earliest time from which the user `u` must have a second factor; null if never. */
export const FACTOR_REQUIRED_FROM = `least(CASE WHEN u.is_super_admin THEN u.created_at END,
  (SELECT min(${FACTOR_DUE_AT}) FROM memberships AS m JOIN organizations AS o ON o.id = m.organization_id WHERE m.user_id = u.id))`;

/** Returns the time from which the caller's organization requires a second factor; null if it does not. */
export async function findSecondFactorFrom(tenant: TenantReader): Promise<Date | null> {
  const [row] = await tenant.query<{ secondFactorFrom: Date | null }>(
    Prisma.sql`SELECT second_factor_from AS "secondFactorFrom" FROM ${own.organizations} AS o`,
  );
  return row?.secondFactorFrom ?? null;
}

/** Sets the time from which an organization requires a second factor, unless one is already set. Null clears it. */
export async function setSecondFactorFrom(
  sql: SqlSession,
  organizationId: string,
  from: Date | null,
): Promise<{ readonly secondFactorFrom: Date | null; readonly isChanged: boolean }> {
  const [before] = await sql.query<{ secondFactorFrom: Date | null }>(
    'SELECT second_factor_from AS "secondFactorFrom" FROM organizations WHERE id = $1::uuid FOR NO KEY UPDATE',
    [organizationId],
  );
  const current = before?.secondFactorFrom ?? null;
  if ((current === null) === (from === null)) return { secondFactorFrom: current, isChanged: false };
  await sql.execute("UPDATE organizations SET second_factor_from = $2::timestamptz WHERE id = $1::uuid", [
    organizationId,
    from?.toISOString() ?? null,
  ]);
  return { secondFactorFrom: from, isChanged: true };
}

/** Lists the ids of an organization's enabled members without a second factor. */
export async function listWithoutFactor(sql: SqlSession, organizationId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT u.id FROM memberships AS m JOIN users AS u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid AND u.factor_since IS NULL AND u.disabled_at IS NULL`,
    [organizationId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Queues e-mails to users with confirmed addresses that a second factor will be required: now, and shortly before
 * `from`. An e-mail that is no longer needed when due is not sent. Reuses e-mails queued for about the same time, so
 * that turning the requirement off and on again does not multiply them.
 */
export async function queueFactorMails(
  sql: SqlSession,
  organizationId: string,
  userIds: readonly string[],
  { from, now }: { readonly from: Date; readonly now: Date },
): Promise<void> {
  const times = [now, ...REMINDER_DAYS.map((days) => new Date(from.getTime() - days * 86_400_000))];
  await sql.execute(
    `UPDATE mail_jobs AS j SET next_at = j.created_at
     WHERE j.kind = 'factor_required' AND j.organization_id = $1::uuid AND j.user_id = ANY($2::uuid[])
       AND j.next_at IS NULL AND j.sent_at IS NULL AND j.created_at > $3::timestamptz - interval '1 day'`,
    [organizationId, userIds, now.toISOString()],
  );
  await sql.execute(
    `INSERT INTO mail_jobs (kind, email, user_id, organization_id, created_at, next_at)
     SELECT 'factor_required', u.email, u.id, $1::uuid, t, t FROM users AS u, unnest($3::timestamptz[]) AS t
     WHERE u.id = ANY($2::uuid[]) AND u.email_confirmed_at IS NOT NULL AND NOT EXISTS (
       SELECT FROM mail_jobs AS j WHERE j.kind = 'factor_required' AND j.user_id = u.id AND j.organization_id = $1::uuid
         AND j.created_at > t - interval '1 day' AND j.created_at < t + interval '1 day')`,
    [organizationId, userIds, times.map((time) => time.toISOString())],
  );
}

/** Cancels an organization's unsent e-mails about second factors. */
export async function cancelFactorMails(sql: SqlSession, organizationId: string): Promise<void> {
  await sql.execute(
    `UPDATE mail_jobs SET next_at = NULL
     WHERE kind = 'factor_required' AND organization_id = $1::uuid AND next_at IS NOT NULL`,
    [organizationId],
  );
}

/** Returns true if an enabled user must have a second factor, now or later, and has none. */
export async function isFactorMissing(sql: Pick<SqlSession, "query">, userId: string): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM users AS u WHERE u.id = $1::uuid AND u.disabled_at IS NULL AND u.factor_since IS NULL
       AND ${FACTOR_REQUIRED_FROM} IS NOT NULL`,
    [userId],
  );
  return rows.length > 0;
}

/**
 * Returns true if anyone else relies on a user's second factors: another organization that the user is a member or
 * verifier of, or the platform.
 */
export async function isReliedOnElsewhere(
  sql: SqlSession,
  userId: string,
  organizationId: string,
): Promise<boolean> {
  const rows = await sql.query(
    `SELECT FROM users AS u WHERE u.id = $1::uuid AND (u.is_super_admin
       OR EXISTS (SELECT FROM memberships AS m WHERE m.user_id = u.id AND m.organization_id <> $2::uuid)
       OR EXISTS (SELECT FROM verification_requests AS r WHERE r.verifier_id = u.id AND r.organization_id <> $2::uuid))`,
    [userId, organizationId],
  );
  return rows.length > 0;
}
