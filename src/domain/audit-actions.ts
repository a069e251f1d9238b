import { pluralOf } from "./texts/count-of.js";

/** Subjects of the audit trail with their actions. An action is named `noun.verb`. */
const VERBS = {
  account: ["provisioned"],
  activity_mapping: ["created", "deleted", "updated"],
  announcement: ["created", "deleted", "updated"],
  anomaly: ["created", "deleted", "updated"],
  api_key: ["created", "deleted", "restored", "revoked", "rotated", "updated"],
  break_glass: ["used"],
  business_metric: ["created", "deleted", "updated"],
  cbam_declaration: ["amended", "created", "deleted", "submitted", "updated"],
  cbam_import: ["created", "deleted", "updated"],
  ccts_period: ["created", "deleted", "updated"],
  certificate: ["created", "deleted", "superseded", "updated"],
  credit_batch: ["created", "deleted", "updated"],
  credit_retirement: ["created", "deleted", "updated"],
  credit_sale: ["created", "deleted", "updated"],
  deadline: ["completed", "created", "deleted", "reopened", "updated"],
  directory_group: ["created", "deleted", "mapped", "updated"],
  directory_member: ["created", "deleted"],
  directory_user: ["created", "deactivated", "deleted", "reactivated", "updated"],
  domain: ["created", "deleted", "lapsed", "proven", "removed", "updated"],
  email: ["change_cancelled", "changed", "confirmed", "released"],
  emission_factor: ["created", "deleted", "updated"],
  emission_record: ["created", "deleted", "restored", "updated"],
  emission_stream: ["created", "deleted", "updated"],
  energy_claim: ["created", "deleted", "updated", "withdrawn"],
  energy_instrument: ["created", "deleted", "updated"],
  entity: ["created", "deleted", "updated"],
  entity_holding: ["created", "deleted", "updated"],
  facility: ["archived", "created", "deleted", "restored", "updated"],
  factor: ["added", "created", "deleted", "locked", "removed", "reset", "updated"],
  framework: ["created", "deleted", "updated"],
  import: ["completed", "created", "deleted", "undone", "updated"],
  inventory_issue: ["created", "deleted"],
  inventory_policy: ["created", "deleted", "updated"],
  invitation: ["accepted", "created", "deleted", "revoked", "updated"],
  line_judgement: ["created", "deleted", "updated"],
  market_price: ["created", "deleted", "updated"],
  member: ["created", "deleted", "updated"],
  notification_preferences: ["created", "deleted", "updated"],
  organization: ["created", "deleted", "updated"],
  password: ["removed", "reset"],
  period_lock: ["created", "deleted", "updated"],
  policy: ["changed"],
  recovery_codes: ["created", "used"],
  reduction_target: ["created", "deleted", "updated"],
  service_account: ["created", "deleted", "restored", "revoked", "rotated", "updated"],
  service_account_token: ["created", "deleted", "restored", "revoked", "updated"],
  session: ["deleted", "ended", "updated"],
  sign_in_link: ["created"],
  signing_key: ["created", "deleted", "updated"],
  sso: [
    "created",
    "deleted",
    "disabled",
    "enabled",
    "enforced",
    "linked",
    "refused",
    "released",
    "saved",
    "signed_in",
    "tested",
    "updated",
  ],
  user: ["created", "deleted", "disabled", "enabled", "password_changed", "updated"],
  verification_finding: ["created", "deleted"],
  verification_request: [
    "accepted",
    "changes_requested",
    "created",
    "decided",
    "deleted",
    "reopened",
    "resubmitted",
    "started",
    "submitted",
    "updated",
    "verifier_confirmed",
    "verifier_link_created",
    "verifier_rejected",
    "withdrawn",
  ],
  verification_snapshot: ["created", "deleted"],
  verification_status_change: ["created", "deleted"],
  webhook_endpoint: ["created", "deleted", "disabled", "enabled", "rotated", "updated"],
} as const;

type Verbs = typeof VERBS;

export type AuditAction = { [Noun in keyof Verbs]: `${Noun}.${Verbs[Noun][number]}` }[keyof Verbs];

/** All actions of the audit trail, in alphabetical order. The database accepts no others. */
export const AUDIT_ACTIONS: readonly AuditAction[] = Object.entries(VERBS).flatMap(([noun, verbs]) =>
  verbs.map((verb) => `${noun}.${verb}` as AuditAction),
);

/** Subjects of the platform's audit trail. */
const OF_PLATFORM = [
  "announcement",
  "email",
  "factor",
  "notification_preferences",
  "password",
  "recovery_codes",
  "sign_in_link",
  "signing_key",
  "user",
];

/** Subjects of an organization's audit trail. */
export const AUDIT_SUBJECTS: readonly string[] = Object.keys(VERBS).filter(
  (noun) => !OF_PLATFORM.includes(noun),
);

/** Names of subjects that differ from their nouns. */
const SUBJECT_NAMES: Readonly<Record<string, string>> = {
  activity_mapping: "factor mapping",
  anomaly: "unusual month",
  api_key: "key",
  cbam_declaration: "CBAM declaration",
  cbam_import: "CBAM import",
  ccts_period: "CCTS period",
};

/** Returns the name of a target's type: `emission record` for `emission_record`. */
export const subjectOf = (targetType: string): string =>
  SUBJECT_NAMES[targetType] ?? targetType.replaceAll("_", " ");

/** Returns the plural name of a target's type: `facilities` for `facility`, `recovery codes` for `recovery_codes`. */
export const subjectsOf = (targetType: string): string => pluralOf(subjectOf(targetType).replace(/s$/, ""));

/** Returns true if `text` is an action of the audit trail. */
export function isAuditAction(text: string): text is AuditAction {
  return (AUDIT_ACTIONS as readonly string[]).includes(text);
}
