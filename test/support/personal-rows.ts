import type { Database } from "../../src/data/database/types.js";

/** The organization and the person of the rows. */
export interface RowParties {
  readonly organizationId: string;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  /** Another member of the organization. */
  readonly other: { readonly id: string };
}

const HASH = (of: string) => `encode(sha256(convert_to('${of}' || $u, 'UTF8')), 'hex')`;
const SOON = "'2999-01-01'";

/**
 * Rows that requests and jobs would write over time: `$o` is the organization, `$u` the person, `$v` another member, and
 * `$e` and `$n` the person's address and name.
 */
const ROWS = [
  `INSERT INTO conversations (organization_id, user_id, module, created_at, last_message_at) SELECT $o, $u, 'emissions', now(), now()`,
  `INSERT INTO chat_messages (organization_id, user_id, conversation_id, position, role, said, sent_at)
   SELECT $o, $u, id, 0, 'user', 'I am ' || $n || ' (' || $e || ')', now() FROM conversations WHERE user_id = $u`,
  `INSERT INTO invitations (organization_id, email, role, token_hash, expires_at) SELECT $o, upper($e), 'viewer', ${HASH("invitation")}, ${SOON}`,
  `INSERT INTO mail_jobs (kind, email, user_id, organization_id, created_at) SELECT 'sign_in_link_used', $e, $u, $o, now()
   UNION ALL SELECT 'sign_in_link_used', $e, NULL, $o, now()`,
  `INSERT INTO mail_links (user_id, kind, email, token_hash, expires_at) SELECT $u, 'reset', $e, ${HASH("reset")}, ${SOON}`,
  `INSERT INTO notifications (user_id, organization_id, key, category, severity, title, body, in_app, created_at)
   SELECT $v, $o, 'key', 'security', 'medium', 'A key was created', 'By ' || $n || '.', true, now()
   UNION ALL SELECT $u, $o, 'key', 'security', 'medium', 'A key was created', 'By you.', true, now()`,
  `INSERT INTO delivery_turns (channel, subject, served_at, hour) SELECT 'email', 'organization ' || $o, now(), now()`,
  `INSERT INTO notification_preferences (user_id, email_address, webhook_url) SELECT $u, $e, 'https://example.org/' || $e`,
  `INSERT INTO idempotency_keys (organization_id, caller, key_hash, fingerprint, body)
   SELECT $o, 'user:' || $v, sha256('a'), sha256('b'), convert_to('{"email":"' || $e || '"}', 'UTF8')`,
  `INSERT INTO sign_in_links (user_id, token_hash, expires_at) SELECT $u, ${HASH("link")}, ${SOON}`,
  `INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, backed_up, user_verified, name, created_at)
   SELECT $u, 'a' || md5($u::text), 'b', 0, '{}', false, true, $n || '''s phone', now()`,
  `INSERT INTO recovery_codes (user_id, code_hash) SELECT $u, ${HASH("code")}`,
  `INSERT INTO identities (connection_id, subject, user_id, created_at, last_used_at) SELECT id, $e, $u, now(), now() FROM sso_connections WHERE organization_id = $o`,
  `INSERT INTO sso_events (organization_id, target_id, created_at) SELECT $o, $u, now()`,
  `DELETE FROM directory_users WHERE organization_id = $o`,
  `INSERT INTO directory_users (organization_id, user_id, user_name, given_name, family_name, external_id, created_at, updated_at)
   SELECT $o, $u, $e, split_part($n, ' ', 1), $n, $e, now(), now()`,
  `INSERT INTO directory_members (organization_id, group_id, user_id) SELECT $o, id, $u FROM directory_groups WHERE organization_id = $o`,
  `INSERT INTO webhook_progress (endpoint_id, organization_id, seq, place) SELECT id, $o, 1, '1-0123456789abcdef' FROM webhook_endpoints WHERE organization_id = $o`,
  `INSERT INTO webhook_deliveries (organization_id, endpoint_id, seq, event_id, type, body, next_attempt_at, created_at)
   SELECT $o, id, 1, $o::text, 'facility.created', '{"organization":"' || $o || '"}', now(), now() FROM webhook_endpoints WHERE organization_id = $o`,
  `INSERT INTO replaced_records (organization_id, import_id, record_id, recorded_on, scope, co2e_tonnes)
   SELECT $o, id, gen_random_uuid(), '2026-01-01', 'scope_1', 1 FROM imports WHERE organization_id = $o`,
  `INSERT INTO verification_findings (organization_id, request_id, snapshot_number, text, severity, created_at)
   SELECT $o, request_id, number, 'A finding', 'low', now() FROM verification_snapshots WHERE organization_id = $o`,
  `INSERT INTO announcements (title, body, level, starts_at, audience) SELECT 'Maintenance', 'On Sunday', 'info', now(),
     jsonb_build_object('kind', 'organizations', 'values', jsonb_build_array(slug, 'another')) FROM organizations WHERE id = $o`,
  `INSERT INTO compliance_deadlines (organization_id, framework, title, due_date, status, owner) SELECT $o, 'CDP', 'Owned', '2026-03-01', 'pending', $n`,
];

/** Adds a row to the tables that `fillTables` leaves empty. */
export async function addPersonalRows(database: Database, { organizationId, user, other }: RowParties) {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const values: Readonly<Record<string, string>> = {
    o: `${quote(organizationId)}::uuid`,
    u: `${quote(user.id)}::uuid`,
    v: `${quote(other.id)}::uuid`,
    e: `${quote(user.email)}::text`,
    n: `${quote(user.name)}::text`,
  };
  await database.transaction(async ({ script }) => {
    for (const row of ROWS)
      await script(row.replace(/\$([ouven])\b/g, (_, name: string) => values[name] ?? "")).catch((error) => {
        throw new Error(`${row}: ${error.message}`);
      });
  });
}
