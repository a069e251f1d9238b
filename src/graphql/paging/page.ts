import type { Access } from "../../access/context.js";
import { readCursor, type Seal, writeCursor } from "../../data/tenant/cursor.js";
import { InvalidPosition, type Key, type Page, type PageRequest } from "../../data/tenant/keyset.js";
import { DEFAULT_PAGE_SIZE } from "../../domain/page.js";
import type { AppError } from "../../errors.js";
import { refuseArgument, requireSize } from "./arguments.js";

/** Paging arguments of a field (Relay Cursor Connections Specification). */
export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/**
 * The list that a cursor belongs to: its name, its tenant, and the parameters that determine its rows and their order.
 */
type ListIdentity = readonly [name: string, organizationId: string, ...parameters: unknown[]];

/** Reads the requested page. Throws BAD_USER_INPUT naming the argument. */
function readPageRequest({ first, after, last, before }: PageArguments, list: ListIdentity): PageRequest {
  if (first != null && last != null) {
    throw refuseArgument("last", "expected either first or last, got both");
  }
  const size = last != null ? requireSize("last", last) : requireSize("first", first ?? DEFAULT_PAGE_SIZE);
  return {
    size,
    fromEnd: last != null,
    after: after == null ? null : decodeCursor("after", after, list),
    before: before == null ? null : decodeCursor("before", before, list),
  };
}

/**
 * A page of a list. The functions run only if the operation selects their field, because each cursor takes a few µs to
 * create.
 */
export interface Connection<Node> {
  readonly edges: () => readonly { readonly node: Node; readonly cursor: string }[];
  readonly nodes: readonly Node[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: () => string | null;
    readonly endCursor: () => string | null;
  };
  readonly totalCount: () => Promise<number>;
}

/** A list with pages. */
export interface PagedList<Row, Node> {
  readonly name: string;
  /** Values that determine, together with the tenant, the list's rows and their order. */
  readonly parameters: readonly unknown[];
  readonly read: (page: PageRequest) => Promise<Page<Row>>;
  readonly count: () => Promise<number>;
  readonly toNode: (row: Row) => Node;
}

/**
 * Reads the page that a connection's field requests. Fields requesting the same page share one statement. Throws
 * BAD_USER_INPUT for an invalid size or cursor.
 */
export async function readConnection<Row, Node>(
  { tenant, loaders }: Access,
  args: PageArguments,
  { name, parameters, read, count, toNode }: PagedList<Row, Node>,
): Promise<Connection<Node>> {
  const list: ListIdentity = [name, tenant.organizationId, ...parameters];
  const request = readPageRequest(args, list);
  const page = await loaders
    .shared([...list, request], () => read(request))
    .catch((error: unknown) => {
      throw error instanceof InvalidPosition ? refuseCursor(error.end) : error;
    });
  const nodes = page.rows.map(toNode);
  const cursorAt = (index: number) => writeCursor(page.keyAt(index), sealOf(list));
  return {
    edges: () => nodes.map((node, index) => ({ node, cursor: cursorAt(index) })),
    nodes,
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: () => (nodes.length > 0 ? cursorAt(0) : null),
      endCursor: () => (nodes.length > 0 ? cursorAt(nodes.length - 1) : null),
    },
    totalCount: () => loaders.shared(["count", ...list], count),
  };
}

/** Returns the row itself. For lists whose nodes are their rows. */
export const itself = <Row>(row: Row): Row => row;

const sealOf =
  (list: ListIdentity): Seal =>
  (key) => [key, list];

function decodeCursor(argument: string, cursor: string, list: ListIdentity): Key {
  const key = readCursor(cursor, sealOf(list));
  if (key?.every((part) => typeof part === "string")) return key;
  throw refuseCursor(argument);
}

function refuseCursor(argument: string): AppError {
  return refuseArgument(
    argument,
    "expected a cursor of this list, got one that was altered, or belongs to another filter, order or organization",
  );
}
