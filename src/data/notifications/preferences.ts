import type { ChangedSettings } from "../../domain/notifications/notification-settings.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import type { TenantReader } from "../tenant/reader.js";
import { mine } from "../tenant/sources.js";

/** A user's notification preferences. `changed` contains only the settings that differ from the defaults. */
export interface PreferencesRow {
  readonly changed: ChangedSettings;
  readonly version: number;
  /** Encrypted; null without a webhook. */
  readonly webhookSecret: string | null;
  /** True if the e-mail address is confirmed. */
  readonly isConfirmed: boolean;
}

/** A stored row. Address and URL are separate columns, because the audit trail masks them. */
interface StoredRow extends Pick<PreferencesRow, "version" | "webhookSecret" | "isConfirmed"> {
  readonly settings: ChangedSettings;
  readonly emailAddress: string | null;
  readonly webhookUrl: string | null;
}

/** The columns of a StoredRow, from the preferences `p` of a user `u`. */
export const PREFERENCES_COLUMNS = Prisma.sql`p.settings, p.email_address AS "emailAddress", p.webhook_url AS "webhookUrl",
  p.webhook_secret AS "webhookSecret", p.version,
  CASE WHEN lower(coalesce(p.email_address, u.email)) = lower(u.email) THEN u.email_confirmed_at
    ELSE p.email_confirmed_at END IS NOT NULL AS "isConfirmed"`;

/** Converts a row. Returns the defaults if there is no row. */
export function readPreferences(row: Partial<StoredRow> | undefined): PreferencesRow {
  const {
    settings = {},
    emailAddress,
    webhookUrl,
    webhookSecret = null,
    version = 1,
    isConfirmed = false,
  } = withoutNulls(row);
  const { channels, ...others } = settings as Readonly<Record<string, Readonly<Record<string, object>>>>;
  const changed = {
    ...others,
    channels: {
      ...channels,
      email: { ...channels?.["email"], ...(emailAddress && { address: emailAddress }) },
      webhook: { ...channels?.["webhook"], ...(webhookUrl && { url: webhookUrl }) },
    },
  };
  return { changed, version, webhookSecret, isConfirmed };
}

/** Drops the nulls of an outer join. */
const withoutNulls = (row: Partial<StoredRow> = {}) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Partial<StoredRow>;

export async function findPreferences(tenant: TenantReader): Promise<PreferencesRow> {
  const [row] = await tenant.query<StoredRow>(
    Prisma.sql`SELECT ${PREFERENCES_COLUMNS} FROM ${mine.users} AS u
      LEFT JOIN ${mine.notification_preferences} AS p ON p.user_id = u.id`,
  );
  return readPreferences(row);
}

/** Locks a user's preferences until the transaction ends, and returns them. */
export async function lockPreferences(sql: SqlSession, userId: string): Promise<PreferencesRow> {
  await sql.execute(
    "INSERT INTO notification_preferences (user_id) VALUES ($1::uuid) ON CONFLICT DO NOTHING",
    [userId],
  );
  const { text, values } =
    Prisma.sql`SELECT ${PREFERENCES_COLUMNS} FROM notification_preferences AS p JOIN users AS u ON u.id = p.user_id WHERE u.id = ${userId}::uuid FOR UPDATE OF p`;
  const [row] = await sql.query<StoredRow>(text, values);
  return readPreferences(row);
}

/** Changes a user's preferences, and returns their new version. A new address is unconfirmed. */
export async function updatePreferences(
  sql: SqlSession,
  userId: string,
  { changed, webhookSecret }: Pick<PreferencesRow, "changed" | "webhookSecret">,
): Promise<number> {
  const { channels = {}, ...others } = changed as Readonly<Record<string, ChangedSettings>>;
  const { address = null, ...email } = (channels["email"] ?? {}) as ChangedSettings;
  const { url = null, ...webhook } = (channels["webhook"] ?? {}) as ChangedSettings;
  const settings = { ...others, channels: { ...channels, email, webhook } };
  const [row] = await sql.query<{ version: number }>(
    `UPDATE notification_preferences SET settings = $2::jsonb, email_address = $3,
       email_confirmed_at = CASE WHEN lower(email_address) = lower($3) THEN email_confirmed_at END, webhook_url = $4, webhook_secret = $5
     WHERE user_id = $1::uuid RETURNING version`,
    [userId, JSON.stringify(settings), address, url, webhookSecret],
  );
  if (!row) throw new Error(`the user ${userId} has no preferences`);
  return row.version;
}

/** Resets a user's preferences to the defaults, without a separate address or a webhook. */
export async function resetPreferences(sql: SqlSession, userId: string): Promise<void> {
  await sql.execute(
    `UPDATE notification_preferences SET settings = '{}', email_address = NULL, email_confirmed_at = NULL, webhook_url = NULL,
       webhook_secret = NULL WHERE user_id = $1::uuid`,
    [userId],
  );
}
