import { CONVERSATION_DAYS } from "../../../domain/chat/question.js";
import { CHANGE_DAYS } from "../../../domain/collections.js";
import { KEY_HOURS } from "../../../domain/idempotency-key.js";
import { USAGE_DAYS } from "../../../domain/keys/key-limits.js";
import { DELIVERY_DAYS } from "../../../domain/webhooks/endpoint-health.js";
import { write } from "../transaction.js";
import type { Database } from "../types.js";

/** Rows per transaction. Deleting a session also deletes its spent refresh tokens, up to 2,880. */
const BATCH = 20;
/** Rows per transaction, for tables whose deletions cascade to few rows or none. */
const LARGE_BATCH = 1_000;

/** Returns a statement that deletes a batch of rows whose time is before `before`. */
const deleteBefore = (table: string, key: string, time: string, before: string) =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${time} < ${before} ORDER BY ${time} LIMIT ${LARGE_BATCH})`;

/** The database's audit_record() uses the same period, and records deletions of anything more recent. */
const EXPIRED_LONG_AGO = "expires_at < now() - interval '90 days'";

/**
 * A change set whose successor is so old that no cursor can be before it. It is kept while the next set has
 * a smaller stamp, because `verify` skips rows with stamps up to that of the oldest set.
 */
const EXPIRED_SET = `s.committed_at < now() - interval '${CHANGE_DAYS} days' AND (
  SELECT f.stamp > s.stamp AND f.committed_at < now() - interval '${CHANGE_DAYS} days' FROM change_sets AS f
  WHERE f.organization_id = s.organization_id AND f.position > s.position ORDER BY f.position LIMIT 1)`;

const STATEMENTS = [
  deleteBefore("api_key_usage", "key_id, hour", "hour", `now() - interval '${USAGE_DAYS} days'`),
  // Keeps each user's latest session, which has the time and organization of the last sign-in.
  `DELETE FROM sessions WHERE id IN (
     SELECT id FROM sessions AS s
     WHERE ${EXPIRED_LONG_AGO} AND EXISTS (SELECT FROM sessions AS later WHERE later.user_id = s.user_id AND later.created_at > s.created_at)
     ORDER BY expires_at LIMIT ${BATCH})`,
  deleteBefore("outbox", "notification_id, channel", "done_at", "now() - interval '30 days'"),
  deleteBefore("delivery_turns", "channel, subject", "served_at", "now() - interval '1 day'"),
  deleteBefore("webhook_deliveries", "id", "created_at", `now() - interval '${DELIVERY_DAYS} days'`),
  deleteBefore("mail_jobs", "id", "created_at", "now() - interval '1 day'"),
  deleteBefore(
    "idempotency_keys",
    "organization_id, caller, key_hash",
    "created_at",
    `now() - interval '${KEY_HOURS} hours'`,
  ),
  deleteBefore("sso_events", "id", "created_at", "now() - interval '1 day'"),
  deleteBefore("notifications", "id", "created_at", "now() - interval '90 days'"),
  deleteBefore("spent_tokens", "hash", "expires_at", "now()"),
  `DELETE FROM sign_in_links WHERE ${EXPIRED_LONG_AGO}`,
  `DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE ${EXPIRED_LONG_AGO} ORDER BY id LIMIT ${BATCH})`,
  `DELETE FROM conversations WHERE (organization_id, id) IN (
     SELECT organization_id, id FROM conversations WHERE last_message_at <= now() - interval '${CONVERSATION_DAYS} days'
     ORDER BY last_message_at LIMIT ${BATCH})`,
  // Deleted before their change sets, without which the query could not find them.
  `DELETE FROM removed_rows WHERE (organization_id, stamp, collection, id) IN (
     SELECT r.organization_id, r.stamp, r.collection, r.id
     FROM change_sets AS s JOIN removed_rows AS r ON r.organization_id = s.organization_id AND r.stamp = s.stamp
     WHERE ${EXPIRED_SET} LIMIT ${LARGE_BATCH})`,
  `DELETE FROM change_sets WHERE (organization_id, position) IN (
     SELECT s.organization_id, s.position FROM change_sets AS s
     WHERE ${EXPIRED_SET} AND NOT EXISTS (
       SELECT FROM removed_rows AS r WHERE r.organization_id = s.organization_id AND r.stamp = s.stamp)
     ORDER BY s.committed_at LIMIT ${LARGE_BATCH})`,
];

/**
 * Deletes old data. After 90 days: request counts, notifications and superseded changes. 90 days after they expire:
 * sessions with their spent refresh tokens, sign-in links and invitations. After 30 days: finished deliveries and
 * webhook deliveries. After a day: e-mails about accounts, sent or not, idempotency keys, delivery turns and single
 * sign-on events. At once: expired spent tokens and ended conversations. Keeps each user's latest session.
 */
export async function prune(database: Database): Promise<void> {
  const failures: unknown[] = [];
  for (const statement of STATEMENTS) {
    try {
      let deleted: number;
      do deleted = await write(database, "serve", (sql) => sql.execute(statement));
      while (deleted >= BATCH);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "could not delete some expired rows");
}
