import type { SqlSession } from "../../data/database/types.js";
import { type Notice, notify } from "./notify.js";

/** Notifies users of an event that concerns their organization's security. */
export const tellOfSecurity = (
  sql: SqlSession,
  notice: Omit<Notice, "category" | "severity" | "body"> & { readonly body?: string },
): Promise<void> => notify(sql, { body: "", ...notice, category: "security", severity: "medium" });

/** Notifies a user, once per key, of an event that concerns the security of their account. */
export const tellPerson = (
  sql: SqlSession,
  { userId, key, title, now }: Pick<Notice, "key" | "title" | "now"> & { readonly userId: string },
): Promise<void> =>
  notify(sql, {
    organizationId: null,
    to: { users: [userId] },
    key,
    category: "security",
    severity: "high",
    title,
    summary: title,
    now,
    body: "If it was not you, change your password, and end the sessions that you do not know.",
    link: "/console/settings/sessions",
  });
