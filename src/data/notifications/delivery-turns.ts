import type { DeliveryChannel } from "../../domain/notifications/categories.js";
import { DELIVERY_LIMITS, pauseMinutes } from "../../domain/notifications/delivery-limits.js";
import type { SqlSession } from "../database/types.js";

/** A recipient, for fair scheduling. Without an organization, `organizationId` is the user's id. */
export interface DeliveryParty {
  readonly organizationId: string;
  readonly userId: string;
}

/** Counts started deliveries. Pauses organizations and users that reach their hourly limit until the next hour. */
export async function countDeliveries(
  sql: SqlSession,
  channel: DeliveryChannel,
  parties: readonly DeliveryParty[],
  now: Date,
): Promise<void> {
  const { personPerHour, organizationPerHour } = DELIVERY_LIMITS[channel];
  const subjects = parties.flatMap(({ organizationId, userId }) => [
    `organization ${organizationId}`,
    `person ${userId}`,
  ]);
  // Rows are always in the same order, so that two processes cannot deadlock.
  await sql.execute(
    `INSERT INTO delivery_turns AS t (channel, subject, served_at, hour, count)
     SELECT $1, subject, $3::timestamptz, date_trunc('hour', $3::timestamptz), count(*)
     FROM unnest($2::text[]) AS subject GROUP BY subject ORDER BY subject
     ON CONFLICT (channel, subject) DO UPDATE SET served_at = excluded.served_at, hour = excluded.hour,
       count = excluded.count + CASE WHEN t.hour = excluded.hour THEN t.count ELSE 0 END`,
    [channel, subjects, now.toISOString()],
  );
  await sql.execute(
    `UPDATE delivery_turns SET paused_until = greatest(paused_until, hour + interval '1 hour')
     WHERE channel = $1 AND subject = ANY($2::text[])
       AND count >= CASE WHEN subject LIKE 'person %' THEN $3::integer ELSE $4 END`,
    [channel, subjects, personPerHour, organizationPerHour],
  );
}

/** A pause after a webhook has timed out. */
export interface Pause {
  /** `person <id>` or `host <name>`. */
  readonly subject: string;
  readonly minutes: number;
}

/** Counts a timeout of a webhook, and returns the pauses it causes. */
export async function countTimeout(
  sql: SqlSession,
  { userId, host }: { readonly userId: string; readonly host: string | null },
  now: Date,
): Promise<readonly Pause[]> {
  const subjects = [...(host === null ? [] : [`host ${host}`]), `person ${userId}`];
  const counted = await sql.query<{ subject: string; timeouts: number }>(
    `INSERT INTO delivery_turns AS t (channel, subject, served_at, hour, timeouts)
     SELECT 'webhook', subject, $2::timestamptz, date_trunc('hour', $2::timestamptz), 1
     FROM unnest($1::text[]) AS subject ORDER BY subject
     ON CONFLICT (channel, subject) DO UPDATE SET served_at = excluded.served_at, timeouts = t.timeouts + 1
     RETURNING subject, timeouts`,
    [subjects, now.toISOString()],
  );
  const pauses = counted
    .map(({ subject, timeouts }) => {
      return { subject, minutes: pauseMinutes(subject.startsWith("host ") ? "host" : "person", timeouts) };
    })
    .filter(({ minutes }) => minutes > 0);
  await sql.execute(
    `UPDATE delivery_turns AS t SET paused_until = greatest(t.paused_until, $3::timestamptz + p.minutes * interval '1 minute')
     FROM unnest($1::text[], $2::integer[]) AS p (subject, minutes) WHERE t.channel = 'webhook' AND t.subject = p.subject`,
    [pauses.map(({ subject }) => subject), pauses.map(({ minutes }) => minutes), now.toISOString()],
  );
  return pauses;
}

/** Pauses a user's webhook until the time that its receiver asked for. */
export async function pauseUserWebhook(sql: SqlSession, userId: string, until: Date): Promise<void> {
  await sql.execute(
    `UPDATE delivery_turns SET paused_until = greatest(paused_until, $2::timestamptz)
     WHERE channel = 'webhook' AND subject = $1`,
    [`person ${userId}`, until.toISOString()],
  );
}

/** Ends the pause of a user's webhook, unless the user has reached the hourly limit. */
export async function resumeUserWebhook(sql: SqlSession, userId: string, now: Date): Promise<void> {
  await sql.execute(
    `UPDATE delivery_turns SET paused_until = NULL WHERE channel = 'webhook' AND subject = $1
       AND (count < $2 OR hour < date_trunc('hour', $3::timestamptz))`,
    [`person ${userId}`, DELIVERY_LIMITS.webhook.personPerHour, now.toISOString()],
  );
}

/** Resets a webhook's count of timeouts after a successful request. */
export async function forgetTimeouts(
  sql: SqlSession,
  { userId, host }: { readonly userId: string; readonly host: string | null },
): Promise<void> {
  await sql.execute(
    `UPDATE delivery_turns SET timeouts = 0 WHERE channel = 'webhook' AND subject = ANY($1::text[]) AND timeouts > 0`,
    [[`host ${host}`, `person ${userId}`]],
  );
}
