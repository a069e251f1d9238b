import type { TABLES } from "./tables.js";

type Table = (typeof TABLES)[keyof typeof TABLES];

/** Columns, separated by spaces, that may be inserted and updated. */
interface Grants {
  readonly insert?: string;
  readonly update?: string;
  readonly mayDelete?: true;
}

/** The role as which people's requests write. */
export const WRITING_ROLE = "gateway_writer";

/** The columns in a list of WRITER_GRANTS. */
export const columnsOf = (list = ""): string[] => list.match(/\w+/g) ?? [];

/** What the writing role may write; the migrations grant it. It may read every table but `audit_pending`. */
export const WRITER_GRANTS: Readonly<Partial<Record<Table, Grants>>> = {
  organizations: { insert: "id slug name", update: "name" },
  users: {
    insert: "id email name password_hash password_changed_at",
    update: "name password_hash password_changed_at email_confirmed_at",
  },
  memberships: { insert: "organization_id user_id role", update: "role", mayDelete: true },
  invitations: {
    insert: "id organization_id email role token_hash invited_by expires_at created_at",
    update: "accepted_at revoked_at",
  },
  sessions: {
    insert: `
      id user_id organization_id kind token_hash token_expires_at refresh_hash authenticated_at
      last_used_at expires_at address user_agent created_at`,
    update: `
      organization_id token_hash token_expires_at refresh_hash authenticated_at last_used_at
      expires_at revoked_at`,
  },
  spent_refresh_tokens: { insert: "session_id hash used_at" },
  sign_in_links: { update: "used_at" },
  notification_preferences: {
    insert: "user_id",
    update: "settings email_address email_confirmed_at webhook_url webhook_secret",
  },
  notifications: {
    insert: `
      user_id organization_id key category severity title body link in_app created_at summary
      held_back`,
    update: "read_at",
  },
  outbox: { insert: "notification_id channel next_at user_id organization_id host" },
  mail_links: {
    insert: "user_id kind email token_hash expires_at",
    update: "email token_hash expires_at used_at",
  },
  mail_jobs: { insert: "kind email user_id organization_id token_sealed created_at next_at" },
  announcements: {
    insert: "title body level starts_at ends_at dismissible audience",
    update: "title body level starts_at ends_at dismissible audience",
    mayDelete: true,
  },
  announcement_dismissals: { insert: "announcement_id user_id dismissed_at" },
  api_keys: {
    insert: `
      id organization_id name hash pepper display tier scopes expires_at created_at created_by`,
    update: "name tier scopes expires_at revoked_at version",
  },
  facilities: {
    insert: "id organization_id code name country import_id",
    update: "name country archived_at",
    mayDelete: true,
  },
  emission_records: {
    insert: `
      id organization_id reference recorded_on scope co2e_tonnes facility_id category source
      import_id created_by activity factor_id calculation market_based_tonnes note`,
    update: `
      recorded_on scope co2e_tonnes facility_id category source import_id deleted_at created_by
      activity factor_id calculation market_based_tonnes note`,
    mayDelete: true,
  },
  imports: {
    insert: "id organization_id file imported_at",
    update: "added updated unchanged facilities_created undone_at",
  },
  replaced_records: {
    insert: `
      organization_id import_id record_id recorded_on scope co2e_tonnes facility_id category source
      previous_import_id details`,
    update: `
      recorded_on scope co2e_tonnes facility_id category source previous_import_id details`,
    mayDelete: true,
  },
  business_metrics: { insert: "id organization_id name unit month value", update: "unit value" },
  anomaly_acknowledgements: {
    insert: "organization_id finding_id value note acknowledged_by acknowledged_at",
    update: "value note acknowledged_by acknowledged_at",
  },
  conversations: {
    insert: "id organization_id user_id module created_at last_message_at",
    update: "last_message_at",
    mayDelete: true,
  },
  chat_messages: {
    insert: "organization_id user_id conversation_id position role said engine details sent_at",
  },
  compliance_statuses: {
    insert: "organization_id framework status last_updated note",
    update: "status last_updated note",
  },
  compliance_deadlines: {
    insert: `
      id organization_id framework title due_date status source source_url recurrence catalogue_id
      day_of_month`,
    update: "title due_date status completed_on evidence recurrence day_of_month",
  },
  ccts_periods: {
    insert: `
      id organization_id entity financial_year target_gei target_source_url achieved_gei output
      average_price`,
    update: "target_gei target_source_url achieved_gei output average_price",
  },
  cbam_declarations: {
    insert: "id organization_id year",
    update: "year status certificates_held assessment",
  },
  cbam_imports: {
    insert: `
      id organization_id declaration_id quarter cn_code country mass_t basis route good
      direct_tco2e_per_t indirect_tco2e_per_t precursors reduction_tco2e`,
    mayDelete: true,
  },
  credit_batches: { insert: "id organization_id reference credit_type vintage quantity" },
  credit_sales: { insert: "id organization_id batch_id reference quantity sold_on buyer price currency" },
  credit_retirements: {
    insert: `
      id organization_id batch_id reference quantity retired_on beneficiary purpose ccts_period_id`,
  },
  emission_factors: {
    insert: `
      id organization_id activity region scope category gas factor unit dimension qualifier source
      source_url source_year verified`,
  },
  verification_requests: {
    insert: `
      id organization_id number period_from period_to scopes level materiality_pct verifier_email
      created_at`,
    update: `
      status opinion statement verifier_id verifier_organization_id verifier_link_hash
      verifier_link_expires_at verifier_accepted_at verifier_confirmed_at`,
  },
  verification_status_changes: {
    insert: "organization_id request_id seq from_status status changed_by changed_at note",
  },
  verification_snapshots: { insert: "organization_id request_id number digest totals record_count taken_at" },
  verification_findings: {
    insert: `
      id organization_id request_id snapshot_number record_id text severity misstatement_tonnes
      created_at`,
  },
  certificates: {
    insert: "organization_id number request_id opinion statement digest signature kid issued_at",
    update: "status superseded_by",
  },
  signing_keys: { insert: "kid public_key" },
  period_locks: { insert: "organization_id request_id period_from period_to scopes", mayDelete: true },
  market_prices: {
    insert: `
      id organization_id credit_type exchange price currency source source_url as_of recorded_at
      region contract unit statutory_until`,
  },
};

/** Tables with an organization's id but without a policy. */
const UNPOLICED: ReadonlySet<string> = new Set<Table>(["outbox"]);

/** The tables whose policies keep the writing role to the rows of one organization. */
export const POLICED_TABLES: readonly Table[] = [
  "organizations",
  "notification_preferences",
  ...(Object.keys(WRITER_GRANTS) as Table[]).filter(
    (table) => columnsOf(WRITER_GRANTS[table]?.insert).includes("organization_id") && !UNPOLICED.has(table),
  ),
];
