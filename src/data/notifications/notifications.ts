import type { Severity } from "../../domain/foresight/findings.js";
import type { NotificationCategory } from "../../domain/notifications/categories.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { newestFirst, type RowReader } from "../people/rows.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";

/** What a person was told, as the console shows it. */
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

/** Whose notifications are meant: of what concerns the person alone, or the organization. */
export interface OwnNotifications {
  readonly userId: string;
  readonly organizationId: string;
  readonly unread: boolean;
}

const COLUMNS = Prisma.sql`n.id, n.category, n.severity, n.title, n.body, n.link, n.created_at AS "createdAt", n.read_at AS "readAt"`;

const listed = ({ userId, organizationId, unread }: OwnNotifications) => ({
  from: Prisma.sql`notifications AS n`,
  where: [
    Prisma.sql`n.user_id = ${userId}::uuid AND n.in_app`,
    Prisma.sql`(n.organization_id IS NULL OR n.organization_id = ${organizationId}::uuid)`,
    ...(unread ? [Prisma.sql`n.read_at IS NULL`] : []),
  ],
});

/** A page of what a person was told, newest first. */
export function listNotifications(
  rows: RowReader,
  own: OwnNotifications,
  page: PageRequest,
): Promise<Page<NotificationRow>> {
  const order = newestFirst("n.created_at", "n.id");
  return readPage(rows, { select: COLUMNS, ...listed(own), order }, page);
}

/** How often a person was told something. */
export const countNotifications = (rows: RowReader, own: OwnNotifications): Promise<number> =>
  countRows(rows, listed(own));

/** Marks one of a person's notifications as read, or (null) all. One that was read stays as it is. */
export function readNotifications(
  sql: SqlSession,
  own: Omit<OwnNotifications, "unread">,
  id: string | null,
  now: Date,
): Promise<NotificationRow[]> {
  const { where } = listed({ ...own, unread: id === null });
  const meant = id === null ? where : [...where, Prisma.sql`n.id = ${id}::uuid`];
  const { text, values } = Prisma.sql`UPDATE notifications AS n
    SET read_at = coalesce(n.read_at, ${now.toISOString()}::timestamptz)
    WHERE ${Prisma.join(meant, " AND ")} RETURNING ${COLUMNS}`;
  return sql.query<NotificationRow>(text, values);
}
