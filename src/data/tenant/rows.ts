import type { Prisma } from "../../generated/prisma/client.js";
import { replacedBy } from "../keys/keys.js";
import { INVENTORY, LATEST_CERTIFICATE, LATEST_SNAPSHOT } from "../verification/columns.js";

type ByModel = Readonly<Partial<Record<Prisma.ModelName, string>>>;

/** Conditions on an organization's rows `t`, for sources that need more than its id. */
export const OWN: ByModel = {
  Organization: "t.id = $organization",
  ApiKeyUsage: "k.organization_id = $organization",
  EmissionRecord: "t.organization_id = $organization AND t.deleted_at IS NULL",
  AuditHead: "t.chain = $organization",
};

/** Conditions on a user's rows `t`, for sources that need more than the user's id. */
export const MINE: ByModel = {
  User: "t.id = $user",
  Notification: "t.user_id = $user AND (t.organization_id IS NULL OR t.organization_id = $organization)",
  Conversation: "t.organization_id = $organization AND t.user_id = $user",
  ChatMessage: "t.organization_id = $organization AND t.user_id = $user",
  // Requests that the user verifies. A user who was ever a member of the organization cannot see them.
  VerificationRequest: `t.verifier_id = $user AND t.verifier_confirmed_at IS NOT NULL AND u.email_confirmed_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM member_history AS m WHERE m.organization_id = t.organization_id AND m.user_id = t.verifier_id)`,
};

/** Returns SQL that casts text to a UUID; null for other text. */
const uuidIn = (text: string) =>
  `CASE WHEN ${text} ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN ${text}::uuid END`;

/** Table and column with the name of an audit entry's target, by target type. */
const NAMED_TARGETS = {
  api_key: ["api_keys", "name"],
  business_metric: ["business_metrics", "name"],
  cbam_declaration: ["cbam_declarations", "year::text"],
  ccts_period: ["ccts_periods", "financial_year"],
  credit_batch: ["credit_batches", "reference"],
  credit_retirement: ["credit_retirements", "reference"],
  credit_sale: ["credit_sales", "reference"],
  deadline: ["compliance_deadlines", "title"],
  directory_group: ["directory_groups", "display_name"],
  emission_factor: ["emission_factors", "activity"],
  emission_record: ["emission_records", "reference"],
  emission_stream: ["emission_streams", "category"],
  energy_claim: ["energy_claims", "reference"],
  energy_instrument: ["energy_instruments", "reference"],
  entity: ["entities", "name"],
  facility: ["facilities", "name"],
  import: ["imports", "file"],
  inventory_issue: ["inventory_issues", "year::text"],
  invitation: ["invitations", "email"],
  line_judgement: ["line_judgements", "line::text"],
  reduction_target: ["reduction_targets", "name"],
  service_account: ["service_accounts", "name"],
  service_account_token: ["service_account_tokens", "display"],
  verification_request: ["verification_requests", "number"],
  webhook_endpoint: ["webhook_endpoints", "description"],
} as const;

/** Current names of targets, by target type. */
const TARGETS = [
  `WHEN 'member' THEN (SELECT u.name FROM users AS u WHERE u.id = ${uuidIn("t.target_id")})`,
  "WHEN 'organization' THEN (SELECT o.name FROM organizations AS o WHERE o.id = t.organization_id)",
  "WHEN 'certificate' THEN t.target_id",
  "WHEN 'framework' THEN t.target_id",
  "WHEN 'inventory_policy' THEN t.target_id",
  ...Object.entries(NAMED_TARGETS).map(
    ([type, [table, name]]) => `WHEN '${type}' THEN (SELECT x.${name} FROM ${table} AS x
      WHERE x.organization_id = t.organization_id AND x.id = ${uuidIn("t.target_id")})`,
  ),
];

/**
 * Queries for sources `t` whose columns differ from their table's. None contains a secret. Some contain a few columns,
 * such as names, of the users and organizations that a row refers to, of which nothing else is readable. PostgreSQL
 * drops joins and subqueries whose columns a statement does not read.
 */
export const ROWS: ByModel = {
  Facility: `SELECT t.*, e.code AS entity FROM facilities AS t
    LEFT JOIN entities AS e ON e.organization_id = t.organization_id AND e.id = t.entity_id`,
  ApiKey: `SELECT t.id, t.organization_id, t.name, t.display, t.tier, t.scopes, t.created_at, t.created_by, t.expires_at,
    t.revoked_at, t.last_used_at, t.version, coalesce(u.name, s.name) AS creator_name, ${replacedBy("t.id")} AS replaced_by
    FROM api_keys AS t LEFT JOIN users AS u ON u.id = t.created_by LEFT JOIN service_accounts AS s ON s.id = t.created_by`,
  ServiceAccount: `SELECT t.*, u.name AS creator_name
    FROM service_accounts AS t LEFT JOIN users AS u ON u.id = t.created_by`,
  ServiceAccountToken: `SELECT t.id, t.organization_id, t.service_account_id, t.display, t.created_at, t.expires_at, t.revoked_at,
    t.last_used_at FROM service_account_tokens AS t`,
  ApiKeyUsage: "SELECT t.* FROM api_key_usage AS t JOIN api_keys AS k ON k.id = t.key_id",
  User: "SELECT t.id, t.email, t.email_confirmed_at FROM users AS t",
  Membership: `SELECT t.*, u.email, u.name, u.created_at AS user_created_at, u.disabled_at, u.factor_since IS NOT NULL AS has_factor,
    u.password_hash IS NOT NULL AS has_password, o.slug AS organization_slug,
    o.name AS organization_name, o.plan AS organization_plan
    FROM memberships AS t LEFT JOIN users AS u ON u.id = t.user_id LEFT JOIN organizations AS o ON o.id = t.organization_id`,
  Session: `SELECT t.id, t.user_id, t.kind, t.created_at, t.authenticated_at, t.last_used_at, t.expires_at, t.revoked_at,
    t.address, t.user_agent FROM sessions AS t`,
  Invitation: `SELECT t.id, t.organization_id, t.email, t.role, t.invited_by, t.created_at, t.expires_at, t.accepted_at,
    t.revoked_at FROM invitations AS t`,
  VerificationRequest: `SELECT t.id, t.organization_id, o.slug AS organization_slug, o.name AS organization_name, t.number,
    t.period_from, t.period_to, t.scopes, ${INVENTORY} AS inventory, t.level, t.materiality_pct, t.verifier_email, t.verifier_id,
    t.verifier_link_expires_at, t.verifier_accepted_at, t.verifier_confirmed_at, u.email AS account_email,
    u.email_confirmed_at AS account_confirmed_at, u.name AS account_name, u.created_at AS account_created_at,
    vo.name AS account_organization, t.status, t.opinion, t.statement, t.created_at, t.inventory_year,
    t.inventory_issue, t.version, ${LATEST_SNAPSHOT} AS snapshot, ${LATEST_CERTIFICATE} AS certificate
    FROM verification_requests AS t LEFT JOIN organizations AS o ON o.id = t.organization_id
      LEFT JOIN users AS u ON u.id = t.verifier_id LEFT JOIN organizations AS vo ON vo.id = t.verifier_organization_id`,
  WebhookEndpoint: `SELECT t.id, t.organization_id, t.url, t.types, t.description, t.format, t.secret_expires_at AS overlap_ends_at, t.disabled_at,
    t.disabled_reason, t.created_by, t.created_at, t.version, p.failures
    FROM webhook_endpoints AS t LEFT JOIN webhook_progress AS p ON p.endpoint_id = t.id`,
  SsoConnection: `SELECT t.organization_id, t.id, t.issuer, t.client_id, t.default_role, t.role_claim, t.role_map, t.missing_email_verified,
    t.second_factor, t.tested_at, t.tested_by, t.enabled_at, t.enforced_at, t.break_glass, t.version FROM sso_connections AS t`,
  Domain: `SELECT t.organization_id, t.domain, t.token AS proof, t.proven_at, t.checked_at, t.failing_since FROM domains AS t`,
  // The ids of an entry that was tampered with may be any text.
  AuditEntry: `SELECT t.*, CASE t.actor_type
      WHEN 'user' THEN (SELECT u.name FROM users AS u WHERE u.id = ${uuidIn("t.actor_id")})
      WHEN 'service_account' THEN (SELECT a.name FROM service_accounts AS a
        WHERE a.organization_id = t.organization_id AND a.id = ${uuidIn("t.actor_id")}) END AS actor_name,
      CASE t.target_type ${TARGETS.join(" ")} END AS target_name
    FROM audit_entries AS t`,
};
