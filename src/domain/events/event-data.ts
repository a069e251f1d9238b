/** JSON Schema of a field. */
interface Field {
  readonly type: string | readonly string[];
  readonly description: string;
  readonly format?: string;
  readonly items?: { readonly type: string };
  readonly enum?: readonly string[];
}

type Fields = Readonly<Record<string, Field>>;

/** Fields of `data` in every event, besides `actor`. */
export const COMMON_DATA = {
  organization_id: { type: "string", format: "uuid", description: "Organization whose data changed." },
  seq: { type: "integer", description: "Number of the audit entry." },
  request_id: {
    type: ["string", "null"],
    format: "uuid",
    description: "Request that made the change; null for a change without a request.",
  },
} satisfies Fields;

/** Fields of `data.actor`. */
export const ACTOR_DATA = {
  type: {
    type: "string",
    description: "`user`, `service_account`, `verifier`, `command` or `sql`. More may follow.",
  },
  id: {
    type: ["string", "null"],
    description: "Id of the user or service account, or name of the command; null for other actors.",
  },
} satisfies Fields;

const href = {
  type: ["string", "null"],
  description: "Path for reading the changed data; null if it has none.",
} satisfies Field;
const count = (description: string) => ({ type: ["integer", "null"], description }) satisfies Field;

/** Fields of `data`, by kind of event. */
export const EVENT_DATA = {
  item: {
    id: {
      type: ["string", "null"],
      description: "Id of the item; null if one statement changed many. In this case, list the items again.",
    },
    version: { type: ["integer", "null"], description: "Version after the change; null if unknown." },
    changed: {
      type: "array",
      items: { type: "string" },
      description: "Names of the changed fields; empty if the item was created or deleted.",
    },
    href,
    rows: { type: "integer", description: "Number of items, if one statement changed many." },
  },
  rows: {
    operation: {
      type: "string",
      enum: ["created", "updated", "deleted", "restored"],
      description: "Kind of change.",
    },
    rows: { type: "integer", description: "Number of records." },
    import_id: {
      type: ["string", "null"],
      format: "uuid",
      description: "Import that changed the records; null for other changes.",
    },
  },
  import: {
    id: { type: "string", format: "uuid", description: "Id of the import." },
    href,
    added: count("Records that the import added."),
    updated: count("Records that the import changed."),
    unchanged: count("Records that already existed and did not change."),
    facilities_created: count("Facilities that the import created."),
  },
} satisfies Record<string, Fields>;

/** Fields that are present only if one statement changed many items. */
export const OPTIONAL_DATA: readonly string[] = ["item.rows"];

export type DataShape = keyof typeof EVENT_DATA;
