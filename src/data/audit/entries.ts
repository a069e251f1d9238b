import type { AuditAction } from "../../domain/audit-actions.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { type ChainHead, ENTRY_COLUMNS, type StoredEntry } from "./chain.js";

/** An entry with the current names of its actor and target. */
export interface AuditEntryRow extends StoredEntry {
  /** Null unless a user or a service account acted. */
  readonly actorName: string | null;
  /** Null if the target has no name or was removed. */
  readonly targetName: string | null;
}

/** Filter on the entries of a chain. Omitted conditions match everything. */
export interface AuditFilter {
  /** Start, inclusive. */
  readonly from?: Date | null | undefined;
  /** End, exclusive. */
  readonly to?: Date | null | undefined;
  /** The id of a user or a service account, or the name of a command. */
  readonly actor?: string | null | undefined;
  readonly action?: AuditAction | null | undefined;
  readonly targetType?: string | null | undefined;
  readonly targetId?: string | null | undefined;
}

const query = ({ from, to, actor, action, targetType, targetId }: AuditFilter) => {
  const isEqual = (column: string, value: string | null | undefined) =>
    value == null ? [] : [Prisma.sql`${Prisma.raw(column)} = ${value}`];
  return {
    select: Prisma.raw(`${ENTRY_COLUMNS}, e.actor_name AS "actorName", e.target_name AS "targetName"`),
    from: Prisma.sql`${own.audit_entries} AS e`,
    where: [
      ...(from ? [Prisma.sql`e.occurred_at >= ${from.toISOString()}::timestamptz`] : []),
      ...(to ? [Prisma.sql`e.occurred_at < ${to.toISOString()}::timestamptz`] : []),
      ...isEqual("e.actor_id", actor),
      ...isEqual("e.action", action),
      // Actions have the form `noun.verb`, and the noun is indexed.
      ...isEqual("e.target_type", action?.split(".")[0]),
      ...isEqual("e.target_type", targetType),
      ...isEqual("e.target_id", targetId),
    ],
    order: { columns: [["seq", "bigint"]] as const, descending: true },
    isIndexed: true,
  };
};

/** Reads a page of the tenant's entries, newest first. */
export function listAuditEntries(
  tenant: TenantReader,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditEntryRow>> {
  return readPage<AuditEntryRow>(tenant, query(filter), page);
}

/** Counts the tenant's entries that match. */
export function countAuditEntries(tenant: TenantReader, filter: AuditFilter): Promise<number> {
  return countRows(tenant, query(filter));
}

/** Returns the last entry of the tenant's chain; null if it has none. */
export async function findOwnHead(tenant: Pick<TenantReader, "query">): Promise<ChainHead | null> {
  const [head] = await tenant.query<ChainHead>(Prisma.sql`SELECT seq, hash FROM ${own.audit_heads} AS h`);
  return head ?? null;
}
