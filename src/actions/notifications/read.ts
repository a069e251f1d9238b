import { write } from "../../data/database/transaction.js";
import { type NotificationRow, readNotifications } from "../../data/notifications/notifications.js";
import type { PersonActing } from "../acting.js";
import { requireFound } from "../action-error.js";

const ownOf = ({ person, writer }: PersonActing) => ({
  userId: person.user.id,
  organizationId: writer.organizationId,
});

/** Marks one of the user's notifications as read. Throws NOT_FOUND if it does not exist. */
export function readNotification(acting: PersonActing, id: string): Promise<NotificationRow> {
  return write(acting.resources.database, acting.writer, async (sql) => {
    const [row] = await readNotifications(sql, ownOf(acting), { id }, acting.now);
    return requireFound(row, "notification", id);
  });
}

/**
 * Marks the user's notifications as read, only those up to `until` if given. Returns the number of notifications that
 * were unread.
 */
export async function readAllNotifications(acting: PersonActing, until?: Date | null): Promise<number> {
  const rows = await write(acting.resources.database, acting.writer, (sql) =>
    readNotifications(sql, ownOf(acting), { until }, acting.now),
  );
  return rows.length;
}
