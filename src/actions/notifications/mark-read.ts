import { write } from "../../data/database/transaction.js";
import { type NotificationRow, readNotifications } from "../../data/notifications/notifications.js";
import { requireFound } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";

const ownOf = ({ person, writer }: PersonContext) => ({
  userId: person.user.id,
  organizationId: writer.organizationId,
});

/** Marks one of the user's notifications as read. Throws NOT_FOUND if it does not exist. */
export function markAsRead(caller: PersonContext, id: string): Promise<NotificationRow> {
  return write(caller.resources.database, caller.writer, async (sql) => {
    const [row] = await readNotifications(sql, ownOf(caller), { id }, caller.now);
    return requireFound(row, "notification", id);
  });
}

/**
 * Marks the user's notifications as read, only those up to `until` if given. Returns the number of notifications that
 * were unread.
 */
export async function markAllAsRead(caller: PersonContext, until?: Date | null): Promise<number> {
  const rows = await write(caller.resources.database, caller.writer, (sql) =>
    readNotifications(sql, ownOf(caller), { until }, caller.now),
  );
  return rows.length;
}
