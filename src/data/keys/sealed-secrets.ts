import type { Database } from "../database/types.js";

/** Columns with secrets that the gateway encrypts with a key derived from the pepper. */
const COLUMNS = {
  authenticatorApps: "secret_sealed FROM totp_secrets",
  identityProviders: "client_secret_sealed FROM sso_connections",
  webhookEndpoints: "secret FROM webhook_endpoints",
  notificationWebhooks: "webhook_secret FROM notification_preferences",
  unsentMails: "token_sealed FROM mail_jobs",
} as const;

export type SealedSecrets = keyof typeof COLUMNS;

/** Lists up to `max` encrypted secrets of a kind. */
export async function listSealed(
  database: Pick<Database, "select">,
  kind: SealedSecrets,
  max: number,
): Promise<string[]> {
  const [column, table] = COLUMNS[kind].split(" FROM ");
  const rows = await database.select<{ sealed: string }>(
    `SELECT ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL LIMIT $1`,
    [max],
  );
  return rows.map(({ sealed }) => sealed);
}
