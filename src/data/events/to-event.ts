import type { DataShape } from "../../domain/events/event-data.js";
import { eventIdOf } from "../../domain/events/event-id.js";
import type { EventType } from "../../domain/events/event-types.js";
import { isUuid } from "../../domain/texts/uuid.js";
import type { StoredEntry } from "../audit/chain.js";

/** A CloudEvents 1.0 event that is also a Standard Webhooks payload. It contains no user-written text. */
export interface GatewayEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly time: string;
  readonly timestamp: string;
  readonly datacontenttype: "application/json";
  readonly data: Readonly<Record<string, unknown>>;
}

/** The parts of an audit entry that events need. */
export interface Entry extends Omit<StoredEntry, "databaseUser" | "entry" | "prevHash"> {
  /** Declaration of a CBAM import; null for other targets, or if unknown. */
  readonly declarationId: string | null;
  /** JSON of `Changes`. */
  readonly changes: string;
}

/** Parts of an entry's changes, none of which is user-written. */
interface Changes {
  readonly names: readonly string[];
  readonly version: unknown;
  readonly rows: number | null;
  readonly importId: string | null;
  readonly status: string | null;
  readonly counts: Readonly<Record<string, number>> | null;
}

const isManyRecords = ({ targetType, targetId }: Entry) =>
  targetType === "emission_record" && targetId === null;

/** Returns true if events of this type report the entry, whose action must be one of the type's. */
export function reports({ name, data }: EventType, entry: Entry): boolean {
  if (name === "certificate.revoked") return readChanges(entry).status === "revoked";
  return isManyRecords(entry) === (data === "rows");
}

const readChanges = ({ changes }: Entry) => JSON.parse(changes) as Changes;

/** Converts an entry to an event of a type that reports it. `url` is the gateway's URL. */
export function toEvent(type: EventType, entry: Entry, organizationId: string, url: string): GatewayEvent {
  const { seq, requestId } = entry;
  const id = entry.targetType === "cbam_import" ? entry.declarationId : entry.targetId;
  const noun = type.name.split(".")[0] ?? "";
  return writeEvent({
    id: eventIdOf(entry),
    type: type.name,
    organizationId,
    url,
    subject: id === null ? noun : `${noun}/${id}`,
    at: entry.occurredAt,
    data: {
      seq,
      ...DATA[type.data](entry, readChanges(entry), id),
      ...(type.data !== "rows" && { href: hrefOf(type.path, id) }),
      actor: actorOf(type, entry),
      request_id: requestId !== null && isUuid(requestId) ? requestId : null,
    },
  });
}

/** Parts of an event that vary. */
interface EventParts extends Pick<GatewayEvent, "id" | "type" | "subject" | "data"> {
  readonly organizationId: string;
  /** The gateway's URL. */
  readonly url: string;
  readonly at: Date;
}

export function writeEvent({ id, type, organizationId, url, subject, at, data }: EventParts): GatewayEvent {
  const time = at.toISOString();
  return {
    specversion: "1.0",
    id,
    type,
    source: `${url}/organizations/${organizationId}`,
    subject,
    time,
    timestamp: time,
    datacontenttype: "application/json",
    data: { organization_id: organizationId, ...data },
  };
}

const hrefOf = (path: string | null, id: string | null): string | null =>
  path && `/v1${id === null ? path.replace(/\/\{id\}$/, "") : path.replace("{id}", id)}`;

/** Fields never listed as changed: secrets, and bookkeeping that changes with every update. */
const NEVER_LISTED =
  /^(accepted|created_by|hash|last_updated|pepper|rows|set_by|updated_at|updated_by|version|.*_hash|.*secret.*)$/;

type Fields = Readonly<Record<string, unknown>>;

const DATA: Record<DataShape, (entry: Entry, changes: Changes, id: string | null) => Fields> = {
  item: ({ action, targetType, targetId }, { names, version, rows }, id) => ({
    id,
    version: typeof version === "number" ? version : null,
    changed: changedFields(action, targetType, names),
    ...(targetId === null && { rows }),
  }),
  rows: ({ action }, { rows, importId }) => ({
    operation: action.split(".")[1],
    rows,
    import_id: importId !== null && isUuid(importId) ? importId : null,
  }),
  import: ({ targetId }, { counts }) => ({
    id: targetId,
    ...(counts ?? { added: null, updated: null, unchanged: null, facilities_created: null }),
  }),
};

function changedFields(action: string, targetType: string, names: readonly string[]): string[] {
  if (targetType === "cbam_import") return ["imports"];
  return /\.(created|deleted)$/.test(action) ? [] : names.filter((name) => !NEVER_LISTED.test(name)).sort();
}

/** Returns the actor. Checks the id, because anyone with access to the database could have written any text. */
function actorOf({ byVerifier }: EventType, { actorType, actorId }: Entry) {
  if (byVerifier && actorType === "user") return { type: "verifier", id: null };
  const isSafe = actorType === "command" ? /^[a-z-]{1,20}( [a-z-]{1,20})?$/ : /^[0-9a-f-]{36}$/;
  return { type: actorType, id: actorId !== null && isSafe.test(actorId) ? actorId : null };
}
