import type { Severity } from "../../domain/foresight/find-anomalies.js";
import type { DeliveryChannel, NotificationCategory } from "../../domain/notifications/categories.js";
import { DELIVERY_LIMITS } from "../../domain/notifications/delivery-limits.js";
import { RETRY_DELAYS_MINUTES } from "../../domain/notifications/retries.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { Prisma } from "../../generated/prisma/client.js";
import { write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";
import { countDeliveries } from "./delivery-turns.js";
import { IS_SUBSCRIBER } from "./is-subscriber.js";
import { PREFERENCES_COLUMNS, type PreferencesRow, readPreferences } from "./preferences.js";

/** A claimed delivery, with everything needed to deliver it. */
export interface ClaimedRow extends PreferencesRow {
  readonly id: string;
  readonly channel: DeliveryChannel;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  readonly userId: string;
  /** Host of the webhook at the time the notification was queued. */
  readonly host: string | null;
  /** E-mail address of the account. */
  readonly email: string;
  /** True if the account is still enabled, and still a member of the organization concerned. */
  readonly mayReceive: boolean;
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string } | null;
  readonly category: NotificationCategory;
  readonly severity: Severity;
  readonly title: string;
  readonly body: string;
  readonly summary: string;
  readonly link: string | null;
  readonly createdAt: Date;
}

/**
 * Claims due deliveries of a channel for up to `max` users: for each, up to 100 by e-mail, or one by webhook.
 * Organizations, and then users, that have waited longest come first. A user has at most one delivery in progress, and
 * none during a pause. Each notification becomes due again after the next delay, in case this process ends. Concurrent
 * processes claim different ones, and each may reach the limit of an organization or host.
 */
export async function claimDeliveries(
  database: Database,
  channel: DeliveryChannel,
  max: number,
  now: Date,
): Promise<readonly ClaimedRow[]> {
  const time = now.toISOString();
  // Checked first, because usually nothing is due, and a writing transaction would be wasted.
  const isAnyDue = `SELECT FROM outbox WHERE next_at <= $1::timestamptz AND channel = $2 AND NOT ${IS_SUBSCRIBER} LIMIT 1`;
  if ((await database.select(isAnyDue, [time, channel])).length === 0) return [];
  return write(database, "serve", async (sql) => {
    const { text, values } = claim(channel, max, time);
    const rows = (await sql.query<ClaimedRow>(text, values)).map((row) => ({
      ...row,
      ...readPreferences(row),
    }));
    const parties = rows.map(({ userId, organization }) => ({
      userId,
      organizationId: organization?.id ?? userId,
    }));
    const unique = new Map(parties.map((party) => [`${party.userId} ${party.organizationId}`, party]));
    if (unique.size > 0) await countDeliveries(sql, channel, [...unique.values()], now);
    return rows;
  });
}

function claim(channel: DeliveryChannel, max: number, time: string): Prisma.Sql {
  const limits = DELIVERY_LIMITS[channel];
  // True for a row `o` of the outbox that can be delivered now.
  const isOpen = Prisma.sql`o.channel = ${channel} AND o.next_at <= ${time}::timestamptz
    AND 'person ' || o.user_id NOT IN (SELECT subject FROM paused)
    AND 'organization ' || coalesce(o.organization_id, o.user_id) NOT IN (SELECT subject FROM paused)
    AND coalesce('host ' || o.host, '') NOT IN (SELECT subject FROM paused)`;
  return Prisma.sql`
    WITH paused AS (
      SELECT subject FROM delivery_turns WHERE channel = ${channel} AND paused_until > ${time}::timestamptz
    ), busy AS (
      SELECT DISTINCT user_id, coalesce(organization_id, user_id) AS organization_id, host FROM outbox
      WHERE channel = ${channel} AND claimed_until > ${time}::timestamptz
    ), waiting AS (
      SELECT DISTINCT ON (o.user_id) o.user_id, coalesce(o.organization_id, o.user_id) AS organization_id, o.host
      FROM outbox AS o WHERE ${isOpen} AND o.user_id NOT IN (SELECT user_id FROM busy) ORDER BY o.user_id, o.next_at
    ), turns AS (
      SELECT w.*, g.served_at AS organization_served_at, p.served_at AS person_served_at,
        row_number() OVER (PARTITION BY w.organization_id ORDER BY p.served_at NULLS FIRST, w.user_id)
          + (SELECT count(*) FROM busy AS b WHERE b.organization_id = w.organization_id) AS organization_turn,
        row_number() OVER (PARTITION BY w.host ORDER BY g.served_at NULLS FIRST, p.served_at NULLS FIRST, w.user_id)
          + (SELECT count(*) FROM busy AS b WHERE b.host = w.host) AS host_turn
      FROM waiting AS w
        LEFT JOIN delivery_turns AS g ON g.channel = ${channel} AND g.subject = 'organization ' || w.organization_id
        LEFT JOIN delivery_turns AS p ON p.channel = ${channel} AND p.subject = 'person ' || w.user_id
    ), chosen AS (
      SELECT user_id FROM turns
      WHERE organization_turn <= ${limits.organizationAtOnce} AND (host IS NULL OR host_turn <= ${limits.hostAtOnce})
      ORDER BY organization_turn, organization_served_at NULLS FIRST, person_served_at NULLS FIRST, user_id LIMIT ${max}
    ), due AS (
      SELECT taken.notification_id FROM chosen AS c CROSS JOIN LATERAL (
        SELECT o.notification_id FROM outbox AS o WHERE o.user_id = c.user_id AND ${isOpen}
        ORDER BY o.next_at LIMIT ${limits.notifications} FOR UPDATE OF o SKIP LOCKED) AS taken
    )
    UPDATE outbox AS o SET attempts = o.attempts + 1, claimed_until = ${time}::timestamptz + ${limits.minutes} * interval '1 minute',
      next_at = ${time}::timestamptz
        + (${[...RETRY_DELAYS_MINUTES]}::integer[])[least(o.attempts + 1, ${RETRY_DELAYS_MINUTES.length})] * interval '1 minute'
    FROM due JOIN notifications AS n ON n.id = due.notification_id JOIN users AS u ON u.id = n.user_id
      LEFT JOIN organizations AS g ON g.id = n.organization_id LEFT JOIN notification_preferences AS p ON p.user_id = n.user_id
    WHERE o.notification_id = due.notification_id AND o.channel = ${channel}
    RETURNING o.notification_id AS id, o.channel, o.attempts, o.host, n.user_id AS "userId", u.email,
      u.disabled_at IS NULL AND (n.organization_id IS NULL OR EXISTS (SELECT FROM memberships AS m
        WHERE m.organization_id = n.organization_id AND m.user_id = n.user_id)) AS "mayReceive",
      CASE WHEN g.id IS NOT NULL THEN json_build_object('id', g.id, 'slug', g.slug, 'name', g.name) END AS organization,
      n.category, n.severity, n.title, n.body, n.summary, n.link, n.created_at AS "createdAt", ${PREFERENCES_COLUMNS}`;
}

/** The result of an attempt. */
export interface Outcome extends Pick<ClaimedRow, "id" | "channel"> {
  /** Time at which it was delivered or abandoned; null to try again. */
  readonly doneAt: Date | null;
  readonly error: string | null;
}

export async function settleDeliveries(sql: SqlSession, outcomes: readonly Outcome[]): Promise<void> {
  await sql.execute(
    `UPDATE outbox AS o SET error = s.error, done_at = s.done_at, claimed_until = NULL,
       next_at = CASE WHEN s.done_at IS NULL THEN o.next_at END
     FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[]) AS s (id, channel, done_at, error)
     WHERE o.notification_id = s.id AND o.channel = s.channel AND o.done_at IS NULL`,
    [
      outcomes.map(({ id }) => id),
      outcomes.map(({ channel }) => channel),
      outcomes.map(({ doneAt }) => doneAt?.toISOString() ?? null),
      outcomes.map(({ error }) => error && cutText(error, TEXT_LIMITS.name)),
    ],
  );
}
