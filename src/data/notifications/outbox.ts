import type { Severity } from "../../domain/foresight/findings.js";
import type { DeliveryChannel, NotificationCategory } from "../../domain/notifications/categories.js";
import { RETRY_DELAYS_MINUTES } from "../../domain/notifications/retries.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { Prisma } from "../../generated/prisma/client.js";
import { write } from "../database/transaction.js";
import type { Database } from "../database/types.js";
import { IS_SUBSCRIBER } from "./is-subscriber.js";
import { PREFERENCES_COLUMNS, type PreferencesRow, readPreferences } from "./preferences.js";

/** A delivery that was taken to be tried now, with what it needs. */
export interface ClaimedRow extends PreferencesRow {
  readonly id: string;
  readonly channel: DeliveryChannel;
  /** How often it was tried, with this time. */
  readonly attempts: number;
  readonly userId: string;
  /** The address of the account. */
  readonly email: string;
  /** Whether the person may still know: is enabled, and a member of the organization that it concerns. */
  readonly isMeant: boolean;
  readonly organization: { readonly id: string; readonly slug: string; readonly name: string } | null;
  readonly category: NotificationCategory;
  readonly severity: Severity;
  readonly title: string;
  readonly body: string;
  readonly link: string | null;
  readonly createdAt: Date;
}

/** Deliveries that are claimed at once. */
const BATCH = 50;

/**
 * Takes deliveries that are due, those of one person together. Each is due again after the next delay, so that one whose
 * process ends is tried again. Several processes take different ones.
 */
export async function claimDeliveries(database: Database, now: Date): Promise<readonly ClaimedRow[]> {
  const time = now.toISOString();
  // Mostly nothing is due, which a transaction that writes would be too much to find out.
  const isAnyDue = `SELECT FROM outbox WHERE next_at <= $1::timestamptz AND NOT ${IS_SUBSCRIBER} LIMIT 1`;
  if ((await database.select(isAnyDue, [time])).length === 0) return [];
  const { text, values } = Prisma.sql`
    WITH due AS (
      SELECT o.notification_id, o.channel FROM outbox AS o JOIN notifications AS n ON n.id = o.notification_id
      WHERE o.next_at <= ${time}::timestamptz ORDER BY n.user_id, n.created_at LIMIT ${BATCH} FOR UPDATE OF o SKIP LOCKED
    )
    UPDATE outbox AS o SET attempts = o.attempts + 1, next_at = ${time}::timestamptz
      + (${[...RETRY_DELAYS_MINUTES]}::integer[])[least(o.attempts + 1, ${RETRY_DELAYS_MINUTES.length})] * interval '1 minute'
    FROM due JOIN notifications AS n ON n.id = due.notification_id JOIN users AS u ON u.id = n.user_id
      LEFT JOIN organizations AS g ON g.id = n.organization_id LEFT JOIN notification_preferences AS p ON p.user_id = n.user_id
    WHERE o.notification_id = due.notification_id AND o.channel = due.channel
    RETURNING o.notification_id AS id, o.channel, o.attempts, n.user_id AS "userId", u.email,
      u.disabled_at IS NULL AND (n.organization_id IS NULL OR EXISTS (SELECT FROM memberships AS m
        WHERE m.organization_id = n.organization_id AND m.user_id = n.user_id)) AS "isMeant",
      CASE WHEN g.id IS NOT NULL THEN json_build_object('id', g.id, 'slug', g.slug, 'name', g.name) END AS organization,
      n.category, n.severity, n.title, n.body, n.link, n.created_at AS "createdAt", ${PREFERENCES_COLUMNS}`;
  const rows = await write(database, "serve", (sql) => sql.query<ClaimedRow>(text, values));
  return rows.map((row) => ({ ...row, ...readPreferences(row) }));
}

/** How an attempt to deliver ended. */
export interface Outcome extends Pick<ClaimedRow, "id" | "channel"> {
  /** When it was delivered or given up; null if it is tried again. */
  readonly doneAt: Date | null;
  readonly error: string | null;
}

/** Stores how attempts ended. */
export async function settleDeliveries(database: Database, outcomes: readonly Outcome[]): Promise<void> {
  await write(database, "serve", (sql) =>
    sql.execute(
      `UPDATE outbox AS o SET error = s.error, done_at = s.done_at, next_at = CASE WHEN s.done_at IS NULL THEN o.next_at END
       FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[]) AS s (id, channel, done_at, error)
       WHERE o.notification_id = s.id AND o.channel = s.channel AND o.done_at IS NULL`,
      [
        outcomes.map(({ id }) => id),
        outcomes.map(({ channel }) => channel),
        outcomes.map(({ doneAt }) => doneAt?.toISOString() ?? null),
        outcomes.map(({ error }) => error && cutText(error, TEXT_LIMITS.name)),
      ],
    ),
  );
}
