import { hash } from "node:crypto";
import { CHANGE_DAYS, COLLECTIONS, type Collection } from "../../domain/collections.js";
import { AppError } from "../../errors.js";
import { Prisma } from "../../generated/prisma/client.js";
import { IN_INDEX_ORDER } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own, synced } from "../tenant/sources.js";
import { SYNCED } from "./collections.js";
import type { ChangePlace, SeenSet } from "./cursor.js";

/** Maximum number of items on a page. */
export const MAX_CHANGES = 1_000;
/** A constant, because the planner does not know the page size. */
const MAX_ROWS = Prisma.raw(String(MAX_CHANGES + 1));
/** Change sets scanned per page. Most have no row of the collection. Scanning this many takes about 10 ms. */
const MAX_SETS = 10_000;
/** A string that sorts after every key of a removed row. */
const AFTER_ALL_KEYS = "~";

/** An item that was added or changed; or, if `row` is null, one that was removed. */
export interface ChangedItem<Row = object> {
  readonly key: string;
  readonly version: number | null;
  readonly row: Row | null;
}

export interface ChangesPage {
  readonly items: readonly ChangedItem[];
  readonly next: ChangePlace;
  readonly hasMore: boolean;
  /** The last entry of the audit trail when the page was read, and its time. */
  readonly asOf: { readonly seq: number; readonly at: Date };
}

/** The latest set of changes, repeated in every row of a page. */
interface Latest {
  readonly latest: number;
  readonly latestStamp: number;
  readonly latestHead: string;
  readonly latestSeq: number;
  readonly latestAt: Date;
}

interface FoundRow extends Latest {
  /** Null in the single row of a page without items. */
  readonly changeKey: string | null;
  readonly isPresent: boolean | null;
  readonly isDeleted: boolean | null;
  readonly version?: number;
}

interface SetRow extends FoundRow {
  readonly setPosition: number;
  readonly isRemoved: boolean;
}

const LATEST = Prisma.sql`(SELECT position AS latest, stamp AS "latestStamp", head AS "latestHead", seq AS "latestSeq",
  committed_at AS "latestAt" FROM ${own.change_sets} ORDER BY position DESC LIMIT 1) AS newest`;

const digestOf = (head: string, stamp: number, at: Date) =>
  hash("sha256", `${head} ${stamp} ${at.getTime()}`, "base64url").slice(0, 22);

function seenIn({ latest, latestHead, latestStamp, latestAt }: Latest): SeenSet {
  return { position: latest, digest: digestOf(latestHead, latestStamp, latestAt) };
}

const asOf = ({ latestSeq, latestAt }: Latest) => ({ seq: latestSeq, at: latestAt });

/** Returns the place after all changes so far, and the last entry of the trail. */
export async function findLatestPlace(
  tenant: Pick<TenantReader, "query">,
): Promise<Pick<ChangesPage, "next" | "asOf">> {
  const [found] = await tenant.query<Latest>(Prisma.sql`SELECT newest.* FROM ${LATEST}`);
  const newest = requireLatest(found);
  return {
    next: { next: newest.latest + 1, from: null, nextKey: null, seen: seenIn(newest) },
    asOf: asOf(newest),
  };
}

/** Throws if there is no set. Every organization has had one since it was created. */
function requireLatest<Row extends Latest>(row: Row | undefined): Row {
  if (!row) throw new Error("the organization has no set of changes: its triggers were disabled");
  return row;
}

/**
 * Reads up to `limit` items of a collection from `place` on, or from the beginning: first the whole collection by key,
 * then everything that has changed since its first page. Each item has its latest state. A page may be short or empty
 * although more follow. If none follow, applying all pages gives the collection as of `asOf`. Throws CURSOR_EXPIRED if
 * changes after `place` have been deleted, or if a restore discarded the history that it belongs to.
 */
export async function readChanges(
  tenant: Pick<TenantReader, "query">,
  collection: Collection,
  place: ChangePlace | null,
  limit: number,
): Promise<ChangesPage> {
  if (place) await requireHistory(tenant, place);
  if (!place) return readByKey(tenant, collection, null, SYNCED[collection].firstKey, limit);
  if (place.nextKey !== null) return readByKey(tenant, collection, place.next, place.nextKey, limit);
  return readSets(tenant, collection, place, limit);
}

/** Reads rows by key. `start` is the position from which to follow changes afterwards; null on the first page. */
async function readByKey(
  tenant: Pick<TenantReader, "query">,
  collection: Collection,
  start: number | null,
  from: string,
  limit: number,
): Promise<ChangesPage> {
  const { alias, key, keyType, columns, isDeleted } = SYNCED[collection];
  const source = synced[COLLECTIONS[collection]];
  const column = Prisma.raw(`${alias}.${key}`);
  const found = await tenant.query<FoundRow>(Prisma.sql`
    SELECT newest.*, item.* FROM ${LATEST}
    LEFT JOIN LATERAL (
      SELECT * FROM (SELECT ${column}::text AS "changeKey", true AS "isPresent", ${isDeleted} AS "isDeleted", ${columns}
      FROM ${source} AS ${Prisma.raw(alias)} ${IN_INDEX_ORDER}
      WHERE ${column} >= ${from}::${Prisma.raw(keyType)} ORDER BY ${column} LIMIT ${MAX_ROWS}) AS rows_by_key
      LIMIT ${limit + 1}
    ) AS item ON true`);
  const newest = requireLatest(found[0]);
  const rows = found.filter(({ changeKey }) => changeKey !== null);
  const following = rows[limit]?.changeKey ?? null;
  const next = start ?? newest.latest + 1;
  return {
    // The consumer has never seen the deleted rows.
    items: rows.slice(0, limit).flatMap((row) => (row.isDeleted ? [] : [itemOf(row)])),
    next: { next, from: null, nextKey: following, seen: seenIn(newest) },
    hasMore: following !== null || next <= newest.latest,
    asOf: asOf(newest),
  };
}

/**
 * Reads sets by position: in each, the removed rows, then the changed ones, by key. Uses a single statement: otherwise,
 * a row that changes between two statements could leave a set before it is read, and enter one that has already been
 * read. The result keeps the order of the sets: the inner queries have limits, which forces PostgreSQL to use nested
 * loops.
 */
async function readSets(
  tenant: Pick<TenantReader, "query">,
  collection: Collection,
  { next, from }: ChangePlace,
  limit: number,
): Promise<ChangesPage> {
  const { alias, key, keyType, firstKey, columns, isDeleted } = SYNCED[collection];
  const table = COLLECTIONS[collection];
  const source = Prisma.sql`${synced[table]} AS ${Prisma.raw(alias)}`;
  const column = Prisma.raw(`${alias}.${key}`);
  const type = Prisma.raw(keyType);
  const end = next + MAX_SETS;
  // Only the first set starts at a key. The key is compared together with the stamp, to match the index.
  const startOf = (partial: string | null, first: string) =>
    Prisma.sql`CASE WHEN changed.position = ${next}::bigint THEN ${partial ?? first} ELSE ${first} END`;
  const removedFrom = from?.removed ? from.key : from && AFTER_ALL_KEYS;
  const changedFrom = from?.removed === false ? from.key : null;
  const found = await tenant.query<SetRow>(Prisma.sql`
    SELECT newest.*, page.*, item.* FROM ${LATEST}
    LEFT JOIN LATERAL (
      SELECT changed.position AS "setPosition", one."isRemoved", one."changeKey"
      FROM (
        SELECT position, stamp FROM ${own.change_sets}
        WHERE position >= ${next}::bigint AND position < ${end}::bigint AND ${table} = ANY(tables)
        ORDER BY position LIMIT ${MAX_SETS}
      ) AS changed
      CROSS JOIN LATERAL (
        (
          SELECT true AS "isRemoved", r.id AS "changeKey" FROM ${own.removed_rows} AS r ${IN_INDEX_ORDER}
          WHERE (r.stamp, r.collection, r.id) >= (changed.stamp, ${table}, ${startOf(removedFrom, "")})
            AND (r.stamp, r.collection) <= (changed.stamp, ${table})
          ORDER BY r.stamp, r.collection, r.id LIMIT ${MAX_ROWS}
        )
        UNION ALL
        (
          SELECT false, ${column}::text FROM ${source} ${IN_INDEX_ORDER}
          WHERE (${Prisma.raw(alias)}.stamp, ${column}) >= (changed.stamp, (${startOf(changedFrom, firstKey)})::${type})
            AND ${Prisma.raw(alias)}.stamp <= changed.stamp
          ORDER BY ${Prisma.raw(alias)}.stamp, ${column} LIMIT ${MAX_ROWS}
        )
      ) AS one
      LIMIT ${limit + 1}
    ) AS page ON true
    LEFT JOIN LATERAL (
      SELECT true AS "isPresent", ${isDeleted} AS "isDeleted", ${columns} FROM ${source}
      WHERE ${column} = page."changeKey"::${type} LIMIT 1
    ) AS item ON true`);
  const newest = requireLatest(found[0]);
  const rows = found.filter(({ changeKey }) => changeKey !== null);
  const following = rows[limit];
  const read = Math.min(newest.latest + 1, end);
  return {
    // A removed row that exists again is also in a later set.
    items: rows.slice(0, limit).flatMap((row) => (row.isRemoved && row.isPresent ? [] : [itemOf(row)])),
    next: {
      next: following?.setPosition ?? Math.max(read, next),
      from: following ? { removed: following.isRemoved, key: following.changeKey as string } : null,
      nextKey: null,
      seen: seenIn(newest),
    },
    hasMore: following !== undefined || read <= newest.latest,
    asOf: asOf(newest),
  };
}

function itemOf({ changeKey, isPresent, isDeleted, ...row }: FoundRow): ChangedItem {
  const isRemoved = !isPresent || isDeleted === true;
  return {
    key: changeKey as string,
    version: isRemoved ? null : (row.version ?? null),
    row: isRemoved ? null : row,
  };
}

/** Throws CURSOR_EXPIRED unless the place belongs to this history and all changes after it still exist. */
async function requireHistory(
  tenant: Pick<TenantReader, "query">,
  { next, seen }: ChangePlace,
): Promise<void> {
  const sets = await tenant.query<{
    position: number;
    stamp: number;
    head: string;
    at: Date;
    isOld: boolean;
  }>(Prisma.sql`
    SELECT position, stamp, head, committed_at AS at,
      committed_at < now() - ${`${CHANGE_DAYS} days`}::interval AS "isOld"
    FROM ${own.change_sets}
    WHERE position = ANY(${[seen.position, next]}::bigint[]) OR position = (SELECT max(position) FROM ${own.change_sets})`);
  const latest = Math.max(0, ...sets.map(({ position }) => position));
  const known = sets.find(({ position }) => position === seen.position);
  const first = sets.find(({ position }) => position === next);
  if (first ? first.isOld : next <= latest) {
    throw new AppError(
      "CURSOR_EXPIRED",
      `The changes after this cursor are older than ${CHANGE_DAYS} days and can no longer be read. Read the collection again, without a cursor.`,
    );
  }
  if (!known || digestOf(known.head, known.stamp, known.at) !== seen.digest) {
    throw new AppError(
      "CURSOR_EXPIRED",
      "This cursor belongs to a history that a restore discarded. Read the collection again, without a cursor.",
    );
  }
}
