import type { Collection } from "../../domain/collections.js";
import { FRAMEWORKS } from "../../domain/enums.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { readCursor, type Seal, writeCursor } from "../tenant/cursor.js";

/** The latest set of changes that a consumer has seen. */
export interface SeenSet {
  readonly position: number;
  /** Differs after a restore has replaced the history. */
  readonly digest: string;
}

/** A place in the changes of a collection. */
export interface ChangePlace {
  /** Position of the next set to read. */
  readonly next: number;
  /** The next item to read in that set, among its removed or its changed rows; null to read the set from its start. */
  readonly from: { readonly removed: boolean; readonly key: string } | null;
  /** Key of the next row while the whole collection is read by key; null afterwards. */
  readonly nextKey: string | null;
  readonly seen: SeenSet;
}

const sealOf =
  (organizationId: string, collection: Collection): Seal =>
  (parts) => [organizationId, collection, parts];

/** Encodes a place as a cursor. */
export function writeChangeCursor(
  organizationId: string,
  collection: Collection,
  { next, from, nextKey, seen }: ChangePlace,
): string {
  const parts = [next, from && [from.removed, from.key], nextKey, seen.position, seen.digest];
  return writeCursor(parts, sealOf(organizationId, collection));
}

/** Decodes a cursor; undefined if it is invalid, or belongs to another organization or collection. */
export function readChangeCursor(
  organizationId: string,
  collection: Collection,
  cursor: string,
): ChangePlace | undefined {
  const parts = readCursor(cursor, sealOf(organizationId, collection));
  if (!parts) return undefined;
  const [next, from, nextKey, position, digest] = parts;
  const place = {
    next,
    from: Array.isArray(from) ? { removed: from[0], key: from[1] } : from,
    nextKey,
    seen: { position, digest },
  };
  return isPlace(place) ? place : undefined;
}

const isPosition = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isKey = (value: unknown) =>
  typeof value === "string" && (isUuid(value) || FRAMEWORKS.some((known) => known === value));

/** Checks a decoded place, because a client that knows the format can forge one. */
function isPlace(place: {
  next: unknown;
  from: unknown;
  nextKey: unknown;
  seen: { position: unknown; digest: unknown };
}): place is ChangePlace {
  const { next, from, nextKey, seen } = place;
  const { removed, key } = (from ?? {}) as { removed?: unknown; key?: unknown };
  return (
    isPosition(next) &&
    isPosition(seen.position) &&
    typeof seen.digest === "string" &&
    (from === null || (typeof removed === "boolean" && isKey(key))) &&
    (nextKey === null || isKey(nextKey))
  );
}
