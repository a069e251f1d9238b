import { type EventPosition, eventIdOf, TRAIL_START } from "../../domain/events/event-id.js";
import type { EventType } from "../../domain/events/event-types.js";
import { AppError } from "../../errors.js";
import { Prisma } from "../../generated/prisma/client.js";
import { findOwnHead } from "../audit/entries.js";
import type { TenantReader } from "../tenant/reader.js";
import { cte, own } from "../tenant/sources.js";
import { type Entry, type GatewayEvent, reports, toEvent } from "./to-event.js";

/** Number of days that events remain readable. */
const EVENT_DAYS = 30;
/** Maximum number of audit entries that one read scans, so that rare event types take no longer than frequent ones. */
const MAX_ENTRIES = 5_000;

export interface EventQuery {
  /** Position after which to read, or time from which to; null to start at the oldest event of the last 30 days. */
  readonly after: EventPosition | Date | null;
  readonly types: readonly EventType[];
  readonly limit: number;
  readonly now: Date;
  /** The gateway's URL, for `source`. */
  readonly url: string;
}

export interface EventPage {
  readonly events: readonly GatewayEvent[];
  /** Id to pass as `after` for the next page. It also skips audit entries that are not events. */
  readonly next: string;
  /** True if the audit trail has entries after `next`. */
  readonly hasMore: boolean;
  /** Id of the last audit entry. */
  readonly head: string;
}

type Reader = Pick<TenantReader, "query" | "organizationId">;

/**
 * Reads up to `limit` events of these types in the order of the audit trail. A reader that sees an entry also sees
 * every earlier one. A page may be short or empty even though more events follow. Throws CURSOR_EXPIRED if `after` is
 * not in the trail, or if entries after it are older than 30 days.
 */
export async function listEvents(tenant: Reader, query: EventQuery): Promise<EventPage> {
  const { after, types, limit, now, url } = query;
  const oldest = new Date(now.getTime() - EVENT_DAYS * 86_400_000);
  const start =
    after === null || after instanceof Date ? await findLastBefore(tenant, after ?? oldest) : after;
  const named = after instanceof Date ? after.toISOString().slice(0, 10) : eventIdOf(start);
  const head = await requirePosition(tenant, start, oldest, named);
  const last = Math.min(start.seq + MAX_ENTRIES, head.seq);
  const rows = last > start.seq ? await readEntries(tenant, { start, last, types, limit }) : [];
  const shown = rows.slice(0, limit);
  const next = shown.at(-1) ?? start;
  const wanted = new Map<string, EventType[]>();
  for (const type of types)
    for (const action of type.actions) wanted.set(action, [...(wanted.get(action) ?? []), type]);
  return {
    events: shown.flatMap((row) => {
      const type = wanted.get(row.action)?.find((each) => reports(each, row));
      return type ? [toEvent(type, row, tenant.organizationId, url)] : [];
    }),
    next: eventIdOf(next),
    hasMore: next.seq < head.seq,
    head: eventIdOf(head),
  };
}

/** Returns the last entry of the tenant's audit trail; TRAIL_START if it is empty. */
export async function findEventHead(tenant: Reader): Promise<EventPosition> {
  return (await findOwnHead(tenant)) ?? TRAIL_START;
}

/** Finds the last entry before a time, by binary search: entries are numbered by time, without gaps. */
async function findLastBefore(tenant: Reader, time: Date): Promise<EventPosition> {
  const search = cte("search");
  const [place] = await tenant.query<EventPosition>(Prisma.sql`SELECT e.seq, e.hash FROM (
      WITH RECURSIVE ${search} (low, high) AS (
        SELECT 0::bigint, h.seq FROM ${own.audit_heads} AS h
        UNION ALL
        SELECT CASE WHEN looked.is_old THEN looked.middle ELSE s.low END,
          CASE WHEN looked.is_old THEN s.high ELSE looked.middle - 1 END
        FROM ${search} AS s CROSS JOIN LATERAL (
          SELECT e.seq AS middle, e.occurred_at < ${time.toISOString()}::timestamptz AS is_old
          FROM ${own.audit_entries} AS e WHERE e.seq = (s.low + s.high + 1) / 2) AS looked
        WHERE s.low < s.high
      ) SELECT low FROM ${search} WHERE low = high
    ) AS found JOIN ${own.audit_entries} AS e ON e.seq = found.low`);
  return place ?? TRAIL_START;
}

/** Returns the head of the trail. Throws CURSOR_EXPIRED unless every event after the position exists and is recent. */
async function requirePosition(
  tenant: Reader,
  { seq, hash }: EventPosition,
  oldest: Date,
  named: string,
): Promise<EventPosition> {
  const [found] = await tenant.query<EventPosition & { isKnown: boolean; isOld: boolean }>(Prisma.sql`
    SELECT h.seq, h.hash,
      ${seq}::bigint = 0 AND ${hash} = ${TRAIL_START.hash} OR EXISTS (SELECT FROM ${own.audit_entries} AS e
        WHERE e.seq = ${seq}::bigint AND starts_with(e.hash, ${hash})) AS "isKnown",
      EXISTS (SELECT FROM ${own.audit_entries} AS e
        WHERE e.seq = ${seq}::bigint + 1 AND e.occurred_at < ${oldest.toISOString()}::timestamptz) AS "isOld"
    FROM ${own.audit_heads} AS h`);
  const { isKnown, isOld, ...head } = found ?? {
    ...TRAIL_START,
    isKnown: seq === 0 && hash === TRAIL_START.hash,
    isOld: false,
  };
  if (!isKnown) {
    throw new AppError(
      "CURSOR_EXPIRED",
      `No event of this organization has the id ${named}: it belongs to another organization, or to a history that a restore discarded. Read the data again, then the events without "after".`,
    );
  }
  if (isOld) {
    throw new AppError(
      "CURSOR_EXPIRED",
      `Events after ${named} are older than ${EVENT_DAYS} days and can no longer be read. Read the data again, then the events without "after".`,
    );
  }
  return head;
}

/** Reads up to `limit` entries with an action of these types. If there are fewer, the entry `last` comes at the end. */
function readEntries(
  tenant: Reader,
  { start, last, types, limit }: Pick<EventQuery, "types" | "limit"> & { start: EventPosition; last: number },
): Promise<readonly Entry[]> {
  const actions = [...new Set(types.flatMap((type) => type.actions))];
  // An entry may be long, so the database returns only the parts that events need.
  return tenant.query<Entry>(Prisma.sql`
    SELECT e.seq, e.hash, e.occurred_at AS "occurredAt", e.action, e.actor_type AS "actorType", e.actor_id AS "actorId",
      e.target_type AS "targetType", e.target_id AS "targetId", e.request_id AS "requestId",
      CASE e.target_type WHEN 'cbam_import' THEN coalesce(c.changes ->> 'declaration_id',
        (SELECT i.declaration_id::text FROM ${own.cbam_imports} AS i WHERE i.id = e.target_id::uuid)) END AS "declarationId",
      json_build_object(
        'names', ARRAY(SELECT jsonb_object_keys(c.changes)),
        'version', coalesce(c.changes -> 'version' -> 'to', c.changes -> 'version'),
        'rows', c.changes -> 'rows', 'importId', c.changes -> 'import_id', 'status', c.changes -> 'status' -> 'to',
        'counts', CASE e.target_type WHEN 'import' THEN (
          SELECT json_build_object('added', i.added, 'updated', i.updated, 'unchanged', i.unchanged,
            'facilities_created', i.facilities_created)
          FROM ${own.imports} AS i WHERE i.id = e.target_id::uuid) END)::text AS changes
    FROM (
      SELECT * FROM ${own.audit_entries} AS e
      WHERE e.seq > ${start.seq}::bigint AND e.seq <= ${last}::bigint
        AND (e.action = ANY(${actions}::text[]) OR e.seq = ${last}::bigint)
      ORDER BY e.seq LIMIT ${limit}::int
    ) AS e CROSS JOIN LATERAL (SELECT e.entry::jsonb -> 'changes' AS changes OFFSET 0) AS c
    ORDER BY e.seq`);
}
