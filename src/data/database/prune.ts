import { CONVERSATION_DAYS } from "../../domain/chat/question.js";
import { USAGE_DAYS } from "../../domain/keys/rules.js";
import { write } from "./transaction.js";
import type { Database } from "./types.js";

/** Rows per transaction: a session can have 2,880 spent refresh tokens, which go with it. */
const BATCH = 20;

/** The database's audit_record() has the same period: it tells of deleting anything later. */
const EXPIRED_LONG_AGO = "expires_at < now() - interval '90 days'";

const STATEMENTS = [
  `DELETE FROM api_key_usage WHERE hour < now() - interval '${USAGE_DAYS} days'`,
  // Each person's latest session says when they last signed in, and in which organization.
  `DELETE FROM sessions WHERE id IN (
     SELECT id FROM sessions AS s
     WHERE ${EXPIRED_LONG_AGO} AND EXISTS (SELECT FROM sessions AS later WHERE later.user_id = s.user_id AND later.created_at > s.created_at)
     ORDER BY expires_at LIMIT ${BATCH})`,
  `DELETE FROM outbox WHERE done_at < now() - interval '30 days'`,
  `DELETE FROM notifications WHERE created_at < now() - interval '90 days'`,
  `DELETE FROM sign_in_links WHERE ${EXPIRED_LONG_AGO}`,
  `DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE ${EXPIRED_LONG_AGO} ORDER BY id LIMIT ${BATCH})`,
  `DELETE FROM conversations WHERE (organization_id, id) IN (
     SELECT organization_id, id FROM conversations WHERE last_message_at <= now() - interval '${CONVERSATION_DAYS} days'
     ORDER BY last_message_at LIMIT ${BATCH})`,
];

/**
 * Deletes what nobody needs any more: counts of requests and notifications from 90 days ago; deliveries that ended 30 days
 * ago; conversations that have ended; and sessions with their spent refresh tokens, sign-in links and invitations that expired
 * 90 days ago. Each person's latest session stays.
 */
export async function prune(database: Database): Promise<void> {
  for (const statement of STATEMENTS) {
    let deleted: number;
    do deleted = await write(database, "serve", (sql) => sql.execute(statement));
    while (deleted >= BATCH);
  }
}
