import type { Addition, LeftAddition } from "../../domain/people/additions.js";
import type { SqlSession } from "../database/types.js";
import { cancelChangeMails } from "../notifications/mail-jobs.js";
import { resetPreferences } from "../notifications/preferences.js";
import { hasFactor, readFactors, removeFactors, updateFactorSince } from "../second-factors/factors.js";
import { endMailLink } from "./mail-links.js";

/** SQL for the host of a URL, whose path may be a secret. */
const hostOf = (url: string) => `substring(${url} FROM '^[a-z]+://([^/?#]+)')`;

type Queryable = Pick<SqlSession, "query">;

/** Lists what was added to an account at or after a time, oldest first. */
export const listAdditions = (sql: Queryable, userId: string, since: Date, now: Date): Promise<Addition[]> =>
  sql.query<Addition>(
    `SELECT kind, id, name, "addedAt" FROM (
       SELECT 'totp' AS kind, user_id AS id, '' AS name, confirmed_at AS "addedAt" FROM totp_secrets WHERE user_id = $1::uuid
       UNION ALL SELECT 'passkey', id, name, created_at FROM passkeys WHERE user_id = $1::uuid
       UNION ALL SELECT 'recovery_codes', id, '', recovery_codes_at FROM users
         WHERE id = $1::uuid AND EXISTS (SELECT FROM recovery_codes WHERE user_id = $1::uuid)
       UNION ALL SELECT 'identity', i.id, o.name, i.created_at FROM identities AS i
         JOIN sso_connections AS c ON c.id = i.connection_id JOIN organizations AS o ON o.id = c.organization_id WHERE i.user_id = $1::uuid
       UNION ALL SELECT 'session', id, coalesce(user_agent, ''), created_at FROM sessions
         WHERE user_id = $1::uuid AND revoked_at IS NULL AND expires_at > $3::timestamptz
       UNION ALL SELECT 'email_change', min(id::text)::uuid, email, min(created_at) FROM (
           SELECT id, email, coalesce(created_at, expires_at - interval '1 day') AS created_at FROM mail_links
           WHERE user_id = $1::uuid AND kind = 'change' AND used_at IS NULL AND expires_at > $3::timestamptz
           UNION ALL SELECT id, email, created_at FROM mail_jobs
           WHERE user_id = $1::uuid AND kind = 'change' AND next_at IS NOT NULL) AS pending GROUP BY email
     ) AS added WHERE "addedAt" >= $2::timestamptz ORDER BY "addedAt", kind, id`,
    [userId, since.toISOString(), now.toISOString()],
  );

/** Lists a user's own address and webhook for notifications. When they were added is unknown. */
export const listReceivers = (sql: Queryable, userId: string): Promise<Addition[]> =>
  sql.query<Addition>(
    `SELECT r.kind, p.user_id AS id, r.name, NULL::timestamptz AS "addedAt" FROM notification_preferences AS p, LATERAL (VALUES
       ('notification_address', p.email_address), ('notification_webhook', ${hostOf("p.webhook_url")})) AS r (kind, name)
     WHERE p.user_id = $1::uuid AND r.name IS NOT NULL`,
    [userId],
  );

/** Lists up to 100 additions of a user to organizations at or after a time, oldest first. */
export const listLeftAdditions = (sql: Queryable, userId: string, since: Date): Promise<LeftAddition[]> =>
  sql.query<LeftAddition>(
    `SELECT a.kind, coalesce(a.name, o.name) AS name, o.name AS organization, a.created_at AS "addedAt" FROM (
       SELECT 'membership' AS kind, NULL AS name, organization_id, created_at FROM memberships WHERE user_id = $1::uuid
       UNION ALL SELECT 'invitation', email, organization_id, created_at FROM invitations WHERE invited_by = $1::uuid AND revoked_at IS NULL
       UNION ALL SELECT 'api_key', name, organization_id, created_at FROM api_keys WHERE created_by = $1::uuid AND revoked_at IS NULL
       UNION ALL SELECT 'service_account', name, organization_id, created_at FROM service_accounts
         WHERE created_by = $1::uuid AND revoked_at IS NULL
       UNION ALL SELECT 'webhook_endpoint', ${hostOf("url")}, organization_id, created_at FROM webhook_endpoints WHERE created_by = $1::uuid
     ) AS a JOIN organizations AS o ON o.id = a.organization_id
     WHERE a.created_at >= $2::timestamptz ORDER BY a.created_at, a.kind LIMIT 100`,
    [userId, since.toISOString()],
  );

/**
 * Removes additions of a locked user. Without a second factor left, also removes the recovery codes. Returns true if
 * that removed the last factor.
 */
export async function removeAdditions(
  sql: SqlSession,
  userId: string,
  additions: readonly Addition[],
  now: Date,
): Promise<boolean> {
  const idsOf = (kind: Addition["kind"]) => additions.flatMap((one) => (one.kind === kind ? [one.id] : []));
  const has = (kind: Addition["kind"]) => additions.some((one) => one.kind === kind);
  const before = await readFactors(sql, userId, now);
  const own = [userId, idsOf("passkey")];
  await sql.execute("DELETE FROM passkeys WHERE user_id = $1::uuid AND id = ANY($2::uuid[])", own);
  if (has("totp")) await sql.execute("DELETE FROM totp_secrets WHERE user_id = $1::uuid", [userId]);
  if (has("recovery_codes"))
    await sql.execute("DELETE FROM recovery_codes WHERE user_id = $1::uuid", [userId]);
  await sql.execute("DELETE FROM identities WHERE user_id = $1::uuid AND id = ANY($2::uuid[])", [
    userId,
    idsOf("identity"),
  ]);
  if (has("email_change")) {
    await endMailLink(sql, userId, "change", now);
    await cancelChangeMails(sql, userId);
  }
  if (has("notification_address") || has("notification_webhook")) await resetPreferences(sql, userId);
  const after = await readFactors(sql, userId, now);
  if (after !== null && hasFactor(after)) {
    await updateFactorSince(sql, userId, now);
    return false;
  }
  await removeFactors(sql, { id: userId }, now);
  return before !== null && hasFactor(before);
}
