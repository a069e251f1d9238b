/** A field as a JSON Schema. */
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
  organization_id: { type: "string", format: "uuid", description: "The organization whose data changed." },
  seq: { type: "integer", description: "Number of the audit entry." },
  request_id: {
    type: ["string", "null"],
    format: "uuid",
    description: "The request that made the change; null if it was no request.",
  },
} satisfies Fields;

/** Fields of `data.actor`. */
export const ACTOR_DATA = {
  type: {
    type: "string",
    description: "`user`, `service_account`, `verifier`, `command` or `sql`. More may follow.",
  },
  id: { type: ["string", "null"], description: "Id of the user or service account, or name of the command." },
} satisfies Fields;

const href = {
  type: ["string", "null"],
  description: "Path where it is read; null if none exists.",
} satisfies Field;
const count = (description: string) => ({ type: ["integer", "null"], description }) satisfies Field;

/** Fields of `data` by the kind of event. */
export const EVENT_DATA = {
  item: {
    id: {
      type: ["string", "null"],
      description: "Its id; null if one statement changed many at once. Then list them again.",
    },
    version: { type: ["integer", "null"], description: "Its version after the change, if it is known." },
    changed: {
      type: "array",
      items: { type: "string" },
      description: "Names of the fields that an update changed.",
    },
    href,
    rows: { type: "integer", description: "Number of items, if there were many." },
  },
  rows: {
    operation: {
      type: "string",
      enum: ["created", "updated", "deleted", "restored"],
      description: "Change of the records.",
    },
    rows: { type: "integer", description: "Number of records." },
    import_id: {
      type: ["string", "null"],
      format: "uuid",
      description: "The import that changed them; null if it was none.",
    },
  },
  import: {
    id: { type: "string", format: "uuid", description: "Id of the import." },
    href,
    added: count("Records that the import added."),
    updated: count("Records that the import changed."),
    unchanged: count("Records that the import found as they are."),
    facilities_created: count("Facilities that the import created."),
  },
} satisfies Record<string, Fields>;

/** Fields that an event has only if one statement changed many items. */
export const OPTIONAL_DATA: readonly string[] = ["item.rows"];

export type DataShape = keyof typeof EVENT_DATA;
