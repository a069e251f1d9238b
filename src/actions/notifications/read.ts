import { write } from "../../data/database/transaction.js";
import { type NotificationRow, readNotifications } from "../../data/notifications/notifications.js";
import type { Acting } from "../acting.js";
import { requireFound } from "../action-error.js";

const ownOf = ({ person, writer }: Acting) => ({
  userId: person.user.id,
  organizationId: writer.organizationId,
});

/** Marks one of the acting person's notifications as read. Throws NOT_FOUND if there is none. */
export async function readNotification(acting: Acting, id: string): Promise<NotificationRow> {
  const [row] = await write(acting.resources.database, acting.writer, (sql) =>
    readNotifications(sql, ownOf(acting), { id }, acting.now),
  );
  return requireFound(row, "notification", id);
}

/** Marks the acting person's notifications as read, only those up to a time if it is given; returns how many were unread. */
export async function readAllNotifications(acting: Acting, until?: Date | null): Promise<number> {
  const rows = await write(acting.resources.database, acting.writer, (sql) =>
    readNotifications(sql, ownOf(acting), { until }, acting.now),
  );
  return rows.length;
}
