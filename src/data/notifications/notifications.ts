import type { Severity } from "../../domain/foresight/find-anomalies.js";
import type { NotificationCategory } from "../../domain/notifications/categories.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { countRows, newestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { mine } from "../tenant/sources.js";

/** A notification in the console. */
export interface NotificationRow {
  readonly id: string;
  readonly category: NotificationCategory;
  readonly severity: Severity;
  readonly title: string;
  readonly body: string;
  readonly link: string | null;
  readonly createdAt: Date;
  readonly readAt: Date | null;
}

const COLUMNS = Prisma.sql`n.id, n.category, n.severity, n.title, n.body, n.link, n.created_at AS "createdAt", n.read_at AS "readAt"`;

const IS_UNREAD = Prisma.sql`n.read_at IS NULL`;

const listed = (unread: boolean) => ({
  from: Prisma.sql`${mine.notifications} AS n`,
  where: [Prisma.sql`n.in_app`, ...(unread ? [IS_UNREAD] : [])],
});

/** Reads a page of the caller's notifications, newest first. */
export function listNotifications(
  tenant: TenantReader,
  unread: boolean,
  page: PageRequest,
): Promise<Page<NotificationRow>> {
  const order = newestFirst("n.created_at", "n.id");
  return readPage(tenant, { select: COLUMNS, ...listed(unread), order }, page);
}

export const countNotifications = (tenant: TenantReader, unread: boolean): Promise<number> =>
  countRows(tenant, listed(unread));

/** Marks one of a user's notifications, or all up to a time, as read. Keeps the earlier time of those already read. */
export function readNotifications(
  sql: SqlSession,
  { userId, organizationId }: { readonly userId: string; readonly organizationId: string },
  { id, until }: { readonly id?: string; readonly until?: Date | null | undefined },
  now: Date,
): Promise<NotificationRow[]> {
  const conditions = [
    id === undefined ? IS_UNREAD : Prisma.sql`n.id = ${id}::uuid`,
    ...(until ? [Prisma.sql`n.created_at <= ${until.toISOString()}::timestamptz`] : []),
  ];
  const { text, values } = Prisma.sql`UPDATE notifications AS n
    SET read_at = coalesce(n.read_at, ${now.toISOString()}::timestamptz)
    WHERE n.user_id = ${userId}::uuid AND (n.organization_id IS NULL OR n.organization_id = ${organizationId}::uuid)
      AND n.in_app AND ${Prisma.join(conditions, " AND ")} RETURNING ${COLUMNS}`;
  return sql.query<NotificationRow>(text, values);
}
