import type { Severity } from "../../domain/foresight/findings.js";
import type { DeliveryChannel, NotificationCategory } from "../../domain/notifications/categories.js";
import type { Role } from "../../domain/people/roles.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { PREFERENCES_COLUMNS, type PreferencesRow, readPreferences } from "./preferences.js";

/** Somebody who may be told, with their preferences. */
export interface RecipientRow extends PreferencesRow {
  readonly userId: string;
}

/** The people with these ids, or the members of an organization with one of these roles; disabled ones are left out. */
export async function listRecipients(
  sql: SqlSession,
  to:
    | { readonly users: readonly string[] }
    | { readonly organizationId: string; readonly roles: readonly Role[] },
): Promise<readonly RecipientRow[]> {
  // Roles as text, because the drivers do not know arrays of the schema's enums.
  const isMeant =
    "users" in to
      ? Prisma.sql`u.id = ANY(${[...to.users]}::uuid[])`
      : Prisma.sql`u.id IN (SELECT user_id FROM memberships WHERE organization_id = ${to.organizationId}::uuid
          AND role = ANY(${[...to.roles]}::text[]::member_role[]))`;
  const { text, values } = Prisma.sql`SELECT u.id AS "userId", ${PREFERENCES_COLUMNS}
    FROM users AS u LEFT JOIN notification_preferences AS p ON p.user_id = u.id
    WHERE u.disabled_at IS NULL AND ${isMeant}`;
  const rows = await sql.query<{ userId: string }>(text, values);
  return rows.map(({ userId, ...row }) => ({ userId, ...readPreferences(row) }));
}

/** What is told. */
export interface NewNotification {
  /** Null for what concerns a person alone. */
  readonly organizationId: string | null;
  readonly key: string;
  readonly category: NotificationCategory;
  readonly severity: Severity;
  readonly title: string;
  readonly body: string;
  readonly link: string | null;
  readonly now: Date;
}

/** Whom it is told, and how. */
export interface Addressee {
  readonly userId: string;
  readonly inApp: boolean;
  /** When it is first tried to deliver it, by channel. */
  readonly deliveries: Partial<Readonly<Record<DeliveryChannel, Date>>>;
}

/** Tells people of something of which they were not told before. */
export async function insertNotifications(
  sql: SqlSession,
  { organizationId, key, category, severity, title, body, link, now }: NewNotification,
  addressees: readonly Addressee[],
): Promise<void> {
  const added = await sql.query<{ id: string; userId: string }>(
    `INSERT INTO notifications (user_id, in_app, organization_id, key, category, severity, title, body, link, created_at)
     SELECT a.user_id, a.in_app, $3::uuid, $4, $5, $6, $7, $8, $9, $10::timestamptz
     FROM unnest($1::uuid[], $2::boolean[]) AS a (user_id, in_app)
     ON CONFLICT (user_id, key) DO NOTHING RETURNING id, user_id AS "userId"`,
    [
      ...[addressees.map(({ userId }) => userId), addressees.map(({ inApp }) => inApp)],
      ...[organizationId, key, category, severity, title, body, link, now.toISOString()],
    ],
  );
  const deliveriesOf = new Map(addressees.map(({ userId, deliveries }) => [userId, deliveries]));
  const deliveries = added.flatMap(({ id, userId }) =>
    Object.entries(deliveriesOf.get(userId) ?? {}).map(([channel, nextAt]) => ({ id, channel, nextAt })),
  );
  if (deliveries.length === 0) return;
  await sql.execute(
    `INSERT INTO outbox (notification_id, channel, next_at)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[])`,
    [
      deliveries.map(({ id }) => id),
      deliveries.map(({ channel }) => channel),
      deliveries.map(({ nextAt }) => nextAt.toISOString()),
    ],
  );
}
