import type { Collection } from "../../domain/collections.js";
import { FRAMEWORKS } from "../../domain/enums.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { readCursor, type Seal, writeCursor } from "../tenant/cursor.js";

/** The latest set of changes that a reader has seen. */
export interface SeenSet {
  readonly position: number;
  /** Differs in a history that a restore has replaced by another. */
  readonly digest: string;
}

/** A place among the changes of a collection. Its keys are those of the next items. */
export interface ChangePlace {
  /** Position of the next set to read; all before it were read. */
  readonly next: number;
  /** In that set, the first item to read: among its removed or its changed rows; null for all of them. */
  readonly from: { readonly removed: boolean; readonly key: string } | null;
  /** Key of the next row during the first walk through the collection; null after it. */
  readonly walk: string | null;
  readonly seen: SeenSet;
}

const sealOf =
  (organizationId: string, collection: Collection): Seal =>
  (parts) => [organizationId, collection, parts];

/** Writes a place as a cursor. */
export function writeChangeCursor(
  organizationId: string,
  collection: Collection,
  { next, from, walk, seen }: ChangePlace,
): string {
  const parts = [next, from && [from.removed, from.key], walk, seen.position, seen.digest];
  return writeCursor(parts, sealOf(organizationId, collection));
}

/** Reads a cursor; undefined if it is not one of this organization and collection. */
export function readChangeCursor(
  organizationId: string,
  collection: Collection,
  cursor: string,
): ChangePlace | undefined {
  const parts = readCursor(cursor, sealOf(organizationId, collection));
  if (!parts) return undefined;
  const [next, from, walk, position, digest] = parts;
  const place = {
    next,
    from: Array.isArray(from) ? { removed: from[0], key: from[1] } : from,
    walk,
    seen: { position, digest },
  };
  return isPlace(place) ? place : undefined;
}

const isPosition = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isKey = (value: unknown) =>
  typeof value === "string" && (isUuid(value) || FRAMEWORKS.some((known) => known === value));

/** Checks the types of a place, since a client that knows the format can write any. */
function isPlace(place: {
  next: unknown;
  from: unknown;
  walk: unknown;
  seen: { position: unknown; digest: unknown };
}): place is ChangePlace {
  const { next, from, walk, seen } = place;
  const { removed, key } = (from ?? {}) as { removed?: unknown; key?: unknown };
  return (
    isPosition(next) &&
    isPosition(seen.position) &&
    typeof seen.digest === "string" &&
    (from === null || (typeof removed === "boolean" && isKey(key))) &&
    (walk === null || isKey(walk))
  );
}
