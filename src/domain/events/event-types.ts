import { AUDIT_ACTIONS, type AuditAction, subjectOf } from "../audit-actions.js";
import type { Scope } from "../scopes.js";
import type { DataShape } from "./event-data.js";

/** A type of event: the audit entries it reports, and the scope needed to read it. */
export interface EventType {
  /** Such as `facility.updated`. */
  readonly name: string;
  /** Scope that a reader needs. */
  readonly scope: Scope;
  /** Actions of the audit entries it may report. */
  readonly actions: readonly string[];
  /** Fields of `data` besides the common ones. */
  readonly data: DataShape;
  /** Path of the changed item below /v1, with `{id}` for its id; null without one. */
  readonly path: string | null;
  /** True if the actor is a verifier, whose id is hidden from the organization's integrations. */
  readonly byVerifier: boolean;
  /** Sentence that says what happened. */
  readonly description: string;
}

type Row = Pick<EventType, "scope" | "path"> & {
  /** Names of types. `noun.*` means all actions of the noun in the audit trail. */
  readonly types: readonly string[];
} & Partial<Pick<EventType, "actions" | "data" | "byVerifier" | "description">>;

const actionsOf = (...nouns: readonly string[]) =>
  AUDIT_ACTIONS.filter((action) => nouns.includes(action.split(".")[0] ?? ""));

/** THE catalogue of events. Actions that are missing here are not events. */
const ROWS: readonly Row[] = [
  { types: ["emission_record.*"], scope: "read:emissions", path: "/emissions/records/{id}" },
  {
    types: ["emission_records.changed"],
    scope: "read:emissions",
    path: "/emissions/records",
    data: "rows",
    actions: actionsOf("emission_record"),
    description: "One statement changed more than 100 emission records.",
  },
  {
    types: ["import.completed", "import.undone"],
    scope: "read:emissions",
    path: "/emissions/imports",
    data: "import",
  },
  { types: ["facility.*"], scope: "read:emissions", path: "/facilities/{id}" },
  { types: ["emission_factor.created"], scope: "read:emissions", path: "/emission-factors/{id}" },
  { types: ["business_metric.*"], scope: "read:emissions", path: "/emissions/metrics/{id}" },
  { types: ["framework.*"], scope: "read:compliance", path: "/compliance/frameworks" },
  { types: ["deadline.*"], scope: "read:compliance", path: "/compliance/deadlines/{id}" },
  { types: ["ccts_period.*"], scope: "read:compliance", path: "/compliance/ccts/{id}" },
  {
    types: actionsOf("cbam_declaration").filter((action) => action !== "cbam_declaration.updated"),
    scope: "read:compliance",
    path: "/cbam/declarations/{id}",
  },
  {
    types: ["cbam_declaration.updated"],
    scope: "read:compliance",
    path: "/cbam/declarations/{id}",
    actions: ["cbam_declaration.updated", ...actionsOf("cbam_import")],
    description: "A CBAM declaration or one of its imports was changed.",
  },
  { types: ["credit_batch.created"], scope: "read:credits", path: "/credits/batches/{id}" },
  { types: ["credit_sale.created"], scope: "read:credits", path: "/credits/sales/{id}" },
  { types: ["credit_retirement.created"], scope: "read:credits", path: "/credits/retirements/{id}" },
  { types: ["market_price.created"], scope: "read:market", path: "/markets/prices/{id}" },
  {
    types: ["submitted", "resubmitted", "reopened", "withdrawn"].map(
      (verb) => `verification_request.${verb}`,
    ),
    scope: "read:emissions",
    path: "/verification/requests/{id}",
  },
  ...Object.entries({
    started: "The verifier began the review.",
    changes_requested: "The verifier requested changes.",
    decided: "The verifier decided.",
  }).map(([verb, description]) => ({
    types: [`verification_request.${verb}`],
    scope: "read:emissions" as const,
    path: "/verification/requests/{id}",
    byVerifier: true,
    description,
  })),
  {
    types: ["certificate.created", "certificate.superseded"],
    scope: "read:emissions",
    path: "/verification/certificates/{id}",
    byVerifier: true,
  },
  {
    types: ["certificate.revoked"],
    scope: "read:emissions",
    path: "/verification/certificates/{id}",
    actions: ["certificate.updated"],
  },
  { types: ["api_key.*"], scope: "read:audit", path: "/api-keys/{id}" },
  { types: ["service_account.*"], scope: "read:audit", path: "/service-accounts/{id}" },
  { types: ["webhook_endpoint.*"], scope: "read:audit", path: "/webhook-endpoints/{id}" },
  { types: ["member.*"], scope: "read:audit", path: "/members" },
  { types: ["organization.updated"], scope: "read:audit", path: null },
];

/** All types of events, in the order of the catalogue. */
export const EVENT_TYPES: readonly EventType[] = ROWS.flatMap(({ types, ...row }) =>
  types
    .flatMap((name) => (name.endsWith(".*") ? actionsOf(name.slice(0, -2)) : [name]))
    .map((name) => ({
      actions: [name as AuditAction],
      data: "item" as const,
      byVerifier: false,
      description: describe(name),
      ...row,
      name,
    })),
);

/** Returns `A facility was archived.` for `facility.archived`. */
function describe(name: string): string {
  const [noun = "", verb = ""] = name.split(".");
  const subject = subjectOf(noun);
  const article = /^[aeio]/.test(subject) ? "An" : "A";
  return `${article} ${subject} was ${verb.replaceAll("_", " ")}.`;
}

/** Returns the types that match a pattern such as `facility.*` or `facility.updated`; empty for an unknown pattern. */
export const findEventTypes = (pattern: string): readonly EventType[] =>
  pattern.endsWith(".*")
    ? EVENT_TYPES.filter(({ name }) => name.startsWith(pattern.slice(0, -1)))
    : EVENT_TYPES.filter(({ name }) => name === pattern);

/** Scopes for reading events. A reader needs at least one. */
export const EVENT_SCOPES: readonly Scope[] = [...new Set(EVENT_TYPES.map(({ scope }) => scope))];

/** Returns the types that can be read with these scopes. */
export const eventTypesFor = (scopes: readonly Scope[]): readonly EventType[] =>
  EVENT_TYPES.filter(({ scope }) => scopes.includes(scope));
