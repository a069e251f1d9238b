import type { Severity } from "../../domain/foresight/find-anomalies.js";
import type { DeliveryChannel, NotificationCategory } from "../../domain/notifications/categories.js";
import { MAX_WAITING } from "../../domain/notifications/delivery-limits.js";
import type { Role } from "../../domain/people/roles.js";
import { cutText, TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { PREFERENCES_COLUMNS, type PreferencesRow, readPreferences } from "./preferences.js";

/** A possible recipient of a notification, with their preferences. */
export interface RecipientRow extends PreferencesRow {
  readonly userId: string;
}

/** Lists the users with these ids, or an organization's members with these roles. Omits disabled accounts. */
export async function listRecipients(
  sql: SqlSession,
  to:
    | { readonly users: readonly string[] }
    | { readonly organizationId: string; readonly roles: readonly Role[] },
): Promise<readonly RecipientRow[]> {
  // Roles as text, because the drivers do not support arrays of the schema's enums.
  const condition =
    "users" in to
      ? Prisma.sql`u.id = ANY(${[...to.users]}::uuid[])`
      : Prisma.sql`u.id IN (SELECT user_id FROM memberships WHERE organization_id = ${to.organizationId}::uuid
          AND role = ANY(${[...to.roles]}::text[]::member_role[]))`;
  const { text, values } = Prisma.sql`SELECT u.id AS "userId", ${PREFERENCES_COLUMNS}
    FROM users AS u LEFT JOIN notification_preferences AS p ON p.user_id = u.id
    WHERE u.disabled_at IS NULL AND ${condition}`;
  const rows = await sql.query<{ userId: string }>(text, values);
  return rows.map(({ userId, ...row }) => ({ userId, ...readPreferences(row) }));
}

export interface NewNotification {
  /** Null for a notification that concerns a user alone. */
  readonly organizationId: string | null;
  readonly key: string;
  readonly category: NotificationCategory;
  readonly severity: Severity;
  readonly title: string;
  readonly body: string;
  /** Sentence for e-mails, without any tenant-written text (default: the category's sentence). */
  readonly summary?: string;
  readonly link: string | null;
  readonly now: Date;
}

/** A recipient of a notification, with its deliveries. */
export interface Addressee {
  readonly userId: string;
  readonly inApp: boolean;
  readonly deliveries: readonly NewDelivery[];
}

export interface NewDelivery {
  readonly channel: DeliveryChannel;
  /** Time of the first attempt. */
  readonly nextAt: Date;
  /** Host name of the webhook. */
  readonly host: string | null;
}

/**
 * Notifies people once per event. If too many deliveries of a channel are waiting for a user, queues none for that
 * channel, and marks the notification as held back.
 */
export async function insertNotifications(
  sql: SqlSession,
  { organizationId, key, category, severity, title, body, summary = "", link, now }: NewNotification,
  addressees: readonly Addressee[],
): Promise<void> {
  const full = await listFullQueues(sql, addressees);
  const planned = addressees.map(({ userId, inApp, deliveries }) => {
    const queued = deliveries.filter(({ channel }) => !full.has(`${channel} ${userId}`));
    return { userId, inApp, queued, isHeldBack: queued.length < deliveries.length };
  });
  const added = await sql.query<{ id: string; userId: string }>(
    `INSERT INTO notifications (user_id, in_app, held_back, organization_id, key, category, severity, title, body, summary, link, created_at)
     SELECT a.user_id, a.in_app, a.held_back, $4::uuid, $5, $6, $7, $8, $9, $10, $11, $12::timestamptz
     FROM unnest($1::uuid[], $2::boolean[], $3::boolean[]) AS a (user_id, in_app, held_back)
     ON CONFLICT (user_id, key) DO NOTHING RETURNING id, user_id AS "userId"`,
    [
      planned.map(({ userId }) => userId),
      planned.map(({ inApp }) => inApp),
      planned.map(({ isHeldBack }) => isHeldBack),
      organizationId,
      key,
      category,
      severity,
      title,
      body,
      summary,
      link,
      now.toISOString(),
    ],
  );
  const idOf = new Map(added.map(({ id, userId }) => [userId, id]));
  const deliveries = planned.flatMap(({ userId, queued }) => {
    const id = idOf.get(userId);
    return id === undefined ? [] : queued.map((delivery) => ({ id, userId, ...delivery }));
  });
  if (deliveries.length === 0) return;
  await sql.execute(
    `INSERT INTO outbox (notification_id, user_id, organization_id, channel, host, next_at)
     SELECT d.id, d.user_id, $6::uuid, d.channel, d.host, d.next_at
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[]) AS d (id, user_id, channel, host, next_at)`,
    [
      deliveries.map(({ id }) => id),
      deliveries.map(({ userId }) => userId),
      deliveries.map(({ channel }) => channel),
      deliveries.map(({ host }) => host && cutText(host, TEXT_LIMITS.name)),
      deliveries.map(({ nextAt }) => nextAt.toISOString()),
      organizationId,
    ],
  );
}

/** Lists the full queues, as `<channel> <user id>`. Concurrent requests may overfill one. */
async function listFullQueues(sql: SqlSession, addressees: readonly Addressee[]): Promise<Set<string>> {
  const full = await sql.query<{ queue: string }>(
    `SELECT channel || ' ' || user_id AS queue FROM outbox WHERE user_id = ANY($1::uuid[]) AND next_at IS NOT NULL
     GROUP BY channel, user_id HAVING count(*) >= $2`,
    [addressees.map(({ userId }) => userId), MAX_WAITING],
  );
  return new Set(full.map(({ queue }) => queue));
}
