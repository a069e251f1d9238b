import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { type DueDeadline, listDueDeadlines, reminderKey } from "../../data/notifications/due-deadlines.js";
import { completeSettings } from "../../domain/notifications/notification-settings.js";
import { isoDate } from "../../domain/window.js";
import { type Notice, notify } from "./notify.js";

/** Number of reminders that are read at once. */
const BATCH = 500;

/** Reminds users of an organization's open deadlines, as many days in advance (UTC) as each user has set. */
export async function remindOfDeadlines(
  database: Database,
  organizationId: string,
  now: Date,
): Promise<void> {
  const initialSteps = completeSettings({}).categories.deadline.days_before;
  const query = { organizationId, today: isoDate(now), initialSteps, max: BATCH };
  let due: readonly DueDeadline[];
  do {
    due = await listDueDeadlines(database, query);
    for (const deadline of due) await write(database, "serve", (sql) => notify(sql, describe(deadline, now)));
  } while (due.length === BATCH);
}

function describe(deadline: DueDeadline, now: Date): Notice {
  const { organizationId, framework, title, dueDate, source, sourceUrl, daysLeft, userIds } = deadline;
  const when = daysLeft === 0 ? "today" : daysLeft === 1 ? "tomorrow" : `in ${daysLeft} days`;
  return {
    organizationId,
    to: { users: userIds },
    key: reminderKey(deadline),
    category: "deadline",
    now,
    severity: daysLeft <= 1 ? "high" : daysLeft <= 7 ? "medium" : "low",
    title: `Due ${when}: ${title} (${framework})`,
    summary: `A deadline of ${framework} is due ${when}, on ${dueDate}`,
    body: [`It is due on ${dueDate}.`, source && `Source: ${source}`, sourceUrl].filter(Boolean).join("\n"),
    link: "/console/compliance",
  };
}
