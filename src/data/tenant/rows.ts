import type { Prisma } from "../../generated/prisma/client.js";
import { replacedBy } from "../keys/keys.js";
import { LATEST_CERTIFICATE, LATEST_SNAPSHOT } from "../verification/columns.js";

type ByModel = Readonly<Partial<Record<Prisma.ModelName, string>>>;

/** Conditions on the rows `t` of an organization, for sources that need more than its id. */
export const OWN: ByModel = {
  Organization: "t.id = $organization",
  ApiKeyUsage: "k.organization_id = $organization",
  EmissionRecord: "t.organization_id = $organization AND t.deleted_at IS NULL",
  AuditHead: "t.chain = $organization",
};

/** Conditions on the rows `t` of a user, for sources that need more than the user's id. */
export const MINE: ByModel = {
  User: "t.id = $user",
  Notification: "t.user_id = $user AND (t.organization_id IS NULL OR t.organization_id = $organization)",
  Conversation: "t.organization_id = $organization AND t.user_id = $user",
  ChatMessage: "t.organization_id = $organization AND t.user_id = $user",
  // Requests that the user verifies. A user who becomes a member loses the right to.
  VerificationRequest: `t.verifier_id = $user AND t.verifier_confirmed_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM member_history AS m WHERE m.organization_id = t.organization_id AND m.user_id = t.verifier_id)`,
};

/**
 * Queries of the rows `t` of sources whose columns differ from their table's. None has a secret. Some have the names of
 * users and organizations that a row refers to, of which nothing else can be read. PostgreSQL drops joins and
 * subqueries whose columns a statement does not read.
 */
export const ROWS: ByModel = {
  ApiKey: `SELECT t.id, t.organization_id, t.name, t.display, t.tier, t.scopes, t.created_at, t.created_by, t.expires_at,
    t.revoked_at, t.last_used_at, t.version, u.name AS creator_name, ${replacedBy("t.id")} AS replaced_by
    FROM api_keys AS t LEFT JOIN users AS u ON u.id = t.created_by`,
  ApiKeyUsage: "SELECT t.* FROM api_key_usage AS t JOIN api_keys AS k ON k.id = t.key_id",
  User: "SELECT t.id, t.email, t.email_confirmed_at FROM users AS t",
  Membership: `SELECT t.*, u.email, u.name, u.created_at AS user_created_at, u.disabled_at, o.slug AS organization_slug,
    o.name AS organization_name, o.plan AS organization_plan
    FROM memberships AS t LEFT JOIN users AS u ON u.id = t.user_id LEFT JOIN organizations AS o ON o.id = t.organization_id`,
  Session: `SELECT t.id, t.user_id, t.kind, t.created_at, t.authenticated_at, t.last_used_at, t.expires_at, t.revoked_at,
    t.address, t.user_agent FROM sessions AS t`,
  Invitation: `SELECT t.id, t.organization_id, t.email, t.role, t.invited_by, t.created_at, t.expires_at, t.accepted_at,
    t.revoked_at FROM invitations AS t`,
  VerificationRequest: `SELECT t.id, t.organization_id, o.slug AS organization_slug, o.name AS organization_name, t.number,
    t.period_from, t.period_to, t.scopes, t.level, t.materiality_pct, t.verifier_email, t.verifier_id,
    t.verifier_link_expires_at, t.verifier_accepted_at, t.verifier_confirmed_at, u.email AS account_email,
    u.email_confirmed_at AS account_confirmed_at, u.name AS account_name, u.created_at AS account_created_at,
    vo.name AS account_organization, t.status, t.opinion, t.statement, t.created_at, t.version,
    ${LATEST_SNAPSHOT} AS snapshot, ${LATEST_CERTIFICATE} AS certificate
    FROM verification_requests AS t LEFT JOIN organizations AS o ON o.id = t.organization_id
      LEFT JOIN users AS u ON u.id = t.verifier_id LEFT JOIN organizations AS vo ON vo.id = t.verifier_organization_id`,
  // An entry that was tampered with may hold any text.
  AuditEntry: `SELECT t.*, (SELECT u.name FROM users AS u WHERE t.actor_type = 'user' AND u.id = CASE
      WHEN t.actor_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN t.actor_id::uuid END) AS actor_name
    FROM audit_entries AS t`,
};
