import DataLoader from "dataloader";
import type { AuditAction } from "../../domain/audit-actions.js";
import { isUuid } from "../../domain/texts/uuid.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { Database } from "../database/types.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { ENTRY, type StoredEntry } from "./chain.js";

/** Which entries of a chain are asked for. An absent condition does not restrict. */
export interface AuditFilter {
  /** At that time or later. */
  readonly from?: Date | null | undefined;
  /** Before that time. */
  readonly to?: Date | null | undefined;
  /** The id of a person, or the name of a command. */
  readonly actor?: string | null | undefined;
  readonly action?: AuditAction | null | undefined;
  readonly targetType?: string | null | undefined;
  readonly targetId?: string | null | undefined;
}

const query = ({ from, to, actor, action, targetType, targetId }: AuditFilter) => {
  const isEqual = (column: string, value: string | null | undefined) =>
    value == null ? [] : [Prisma.sql`${Prisma.raw(column)} = ${value}`];
  return {
    select: Prisma.raw(ENTRY),
    from: Prisma.sql`${own.audit_entries} AS e`,
    where: [
      ...(from ? [Prisma.sql`e.occurred_at >= ${from.toISOString()}::timestamptz`] : []),
      ...(to ? [Prisma.sql`e.occurred_at < ${to.toISOString()}::timestamptz`] : []),
      ...isEqual("e.actor_id", actor),
      ...isEqual("e.action", action),
      ...isEqual("e.target_type", targetType),
      ...isEqual("e.target_id", targetId),
    ],
    order: { columns: [["seq", "bigint"]] as const, descending: true },
    isIndexed: true,
  };
};

/** A page of the tenant's entries, newest first. */
export function listAuditEntries(
  tenant: TenantReader,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<StoredEntry>> {
  return readPage<StoredEntry>(tenant, query(filter), page);
}

/** The number of the tenant's entries that match. */
export function countAuditEntries(tenant: TenantReader, filter: AuditFilter): Promise<number> {
  return countRows(tenant, query(filter));
}

/** Makes the function that finds the name that a person has now; null for an id that is nobody's. */
export function createPersonNames(database: Database): (id: string) => Promise<string | null> {
  const names = new DataLoader<string, string | null>(async (ids) => {
    const users = await database.select<{ id: string; name: string }>(
      "SELECT id, name FROM users WHERE id = ANY($1::uuid[])",
      // An entry that was tampered with may hold any text.
      [ids.filter(isUuid)],
    );
    const found = new Map(users.map(({ id, name }) => [id, name]));
    return ids.map((id) => found.get(id) ?? null);
  });
  return (id) => names.load(id);
}
