import { type AuditAction, subjectOf, subjectsOf } from "./audit-actions.js";
import { capitalize } from "./texts/capitalize.js";

/** An entry of the audit trail, with the current names of its actor and its target. */
export interface SummarizedEntry {
  readonly action: string;
  readonly actorType: string;
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly targetType: string;
  readonly targetId: string | null;
  readonly targetName: string | null;
  readonly changes: Readonly<Record<string, unknown>> | null;
}

/**
 * Phrases for actions that verb and subject do not describe well. `{target}` is the target's name; other parts are
 * values of the entry. A phrase is used only if the entry has all of its parts.
 */
const PHRASES: Readonly<Partial<Record<AuditAction, string>>> = {
  "anomaly.created": "acknowledged an unusual month",
  "anomaly.deleted": "reopened an unusual month",
  "credit_batch.created": 'issued {quantity} credits as batch "{target}"',
  "credit_retirement.created": "retired {quantity} credits",
  "credit_sale.created": "sold {quantity} credits",
  "import.created": 'imported the file "{target}"',
  "invitation.created": "invited {target} as {role}",
  "member.created": "added {target} as {role}",
  "member.deleted": "removed {target} from the organization",
  "period_lock.created": "locked the records from {period_from} to {period_to}",
  "period_lock.deleted": "unlocked the records from {period_from} to {period_to}",
  "sso.refused": "failed to sign in with single sign-on",
  "verification_request.changes_requested": "requested changes to verification request {target}",
  "verification_request.verifier_confirmed": "confirmed the verifier of request {target}",
  "verification_request.verifier_link_created": "created a link for the verifier of request {target}",
  "verification_request.verifier_rejected": "rejected the verifier of request {target}",
  "verification_status_change.created": "moved a verification request to {status}",
};

/** Names of values that differ from their columns. */
const FIELDS: Readonly<Record<string, string>> = {
  co2e_tonnes: "amount in t CO2e",
  factor_id: "emission factor",
  market_based_tonnes: "market-based amount in t CO2e",
  energy_kwh: "energy in kWh",
  biogenic_co2_tonnes: "biogenic CO2 in t",
  mass_t: "mass in t",
  materiality_pct: "materiality in %",
  recorded_on: "date",
  tier: "limit",
};

/** Past tenses that differ from the verb of the action. */
const PAST: Readonly<Record<string, string>> = { undone: "undid", updated: "changed", withdrawn: "withdrew" };

/** Columns that mean nothing to readers. */
const BOOKKEEPING = /^(created_by|import_id|last_updated|set_by|updated_at|version)$/;
/** Columns whose values are codes, to show as names. */
const CODED = /^(basis|level|opinion|plan|recurrence|role|scopes?|severity|status|tier)$/;

const [MAX_FIELDS, MAX_CHARACTERS] = [3, 60];

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const number = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });
const list = new Intl.ListFormat("en");

/** Describes an entry in a sentence: `Ada Person changed the limit of key "ERP" from Free to Pro`. */
export function summarize(entry: SummarizedEntry): string {
  return `${actorOf(entry)} ${phraseOf(entry) ?? describe(entry)}`;
}

function actorOf({ actorType, actorId, actorName }: SummarizedEntry): string {
  if (actorType === "user") return actorName ?? "A former user";
  if (actorType === "service_account") return actorName ?? "A former service account";
  if (actorType === "visitor") return "A visitor";
  if (actorType !== "command") return "Somebody with direct access to the database";
  return actorId === "serve" ? "The gateway" : `The operator (${actorId})`;
}

function phraseOf({ action, targetName, targetId, changes }: SummarizedEntry): string | undefined {
  const phrase = PHRASES[action as AuditAction];
  if (phrase === undefined || targetId === null) return undefined;
  const parts: Record<string, string | null | undefined> = {};
  for (const [, name = ""] of phrase.matchAll(/\{(\w+)\}/g))
    parts[name] = name === "target" ? targetName : formatValue(name, changes?.[name]);
  const isComplete = Object.values(parts).every((part) => part != null);
  return isComplete ? phrase.replace(/\{(\w+)\}/g, (_, name) => parts[name] ?? "") : undefined;
}

function describe({ action, targetType, targetId, targetName, changes }: SummarizedEntry): string {
  const verb = action.slice(action.indexOf(".") + 1).replaceAll("_", " ");
  const { rows } = changes ?? {};
  const did = PAST[verb] ?? verb;
  if (targetId === null)
    return `${did} ${typeof rows === "number" ? number.format(rows) : "many"} ${subjectsOf(targetType)}`;
  const subject = subjectOf(targetType);
  const target =
    targetName === null
      ? `${/^[aeiou]/.test(subject) ? "an" : "a"} ${subject}`
      : `${subject} "${targetName}"`;
  const changed = verb === "updated" ? changesOf(changes) : [];
  const [first] = changed;
  if (first === undefined) return `${did} ${target}`;
  if (changed.length > 1) return `${did} ${nameAll(changed.map(({ name }) => name))} of ${target}`;
  const [from, to] = [formatValue(first.field, first.from), formatValue(first.field, first.to)];
  return `${did} the ${first.name} of ${target}${from === null || to === null ? "" : ` from ${from} to ${to}`}`;
}

const changesOf = (changes: SummarizedEntry["changes"]) =>
  Object.entries(changes ?? {}).flatMap(([field, change]) => {
    if (BOOKKEEPING.test(field) || typeof change !== "object" || change === null || !("to" in change))
      return [];
    const name = FIELDS[field] ?? field.replace(/_id$/, "").replaceAll("_", " ");
    return [{ field, name, from: "from" in change ? change.from : null, to: change.to }];
  });

function nameAll(names: readonly string[]): string {
  const more = names.length - MAX_FIELDS;
  return list.format([...names.slice(0, MAX_FIELDS), ...(more > 0 ? [`${more} more`] : [])]);
}

/** Formats a value; null if it is secret, too long or meaningless to readers, such as an id. */
function formatValue(field: string, value: unknown): string | null {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number")
    return Number.isInteger(value) && /year|vintage/.test(field) ? String(value) : number.format(value);
  if (Array.isArray(value)) {
    const parts = value.slice(0, MAX_FIELDS + 1).map((part) => formatValue(field, part));
    return parts.length > 0 && parts.length <= MAX_FIELDS && !parts.includes(null) ? parts.join(", ") : null;
  }
  if (typeof value !== "string" || value.length > MAX_CHARACTERS || value === "***") return null;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return null;
  if (/^\d{4}-\d\d-\d\d(T.*)?$/.test(value))
    return Number.isNaN(Date.parse(value)) ? null : day.format(new Date(value));
  if (!CODED.test(field)) return `"${value}"`;
  if (value.includes(":")) return value;
  return capitalize(value.replaceAll("_", " "));
}
