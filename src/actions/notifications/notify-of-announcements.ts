import { type AnnouncementRow, listActive } from "../../data/announcements/announcements.js";
import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import {
  hasStartedAnnouncement,
  listOrganizationsToNotify,
} from "../../data/notifications/organizations-to-notify.js";
import { readAsTenant } from "../../data/tenant/reader.js";
import type { AnnouncementLevel } from "../../domain/announcements/announcement.js";
import type { Severity } from "../../domain/foresight/find-anomalies.js";
import { ROLES, type Role } from "../../domain/people/roles.js";
import { limitTime } from "../../time-limit.js";
import { notify } from "./notify.js";

const TIME_LIMIT_MS = 10_000;

/** Longer ago than this, everyone has been notified. Notifications are kept for 90 days, so nobody is notified twice. */
const RECENT_MS = 7 * 86_400_000;

const SEVERITIES: Readonly<Record<AnnouncementLevel, Severity>> = {
  info: "low",
  warning: "medium",
  critical: "high",
};

/** Lists the organizations to notify, as `listOrganizationsToNotify` does; none if no announcement has started recently. */
export async function listOrganizationsToTell(
  database: Database,
  request: { readonly after: string; readonly max: number; readonly now: Date },
): Promise<string[]> {
  const since = new Date(request.now.getTime() - RECENT_MS);
  return (await hasStartedAnnouncement(database, since, request.now))
    ? listOrganizationsToNotify(database, request)
    : [];
}

/** Notifies the members of an organization once of each announcement for them that has started recently. */
export async function notifyOfAnnouncements(
  database: Database,
  organizationId: string,
  now: Date,
): Promise<void> {
  const tenant = readAsTenant(database, organizationId, { now, inTime: limitTime(TIME_LIMIT_MS) });
  const audiences = new Map<string, { announcement: AnnouncementRow; roles: Role[] }>();
  for (const role of ROLES) {
    for (const announcement of await listActive(tenant, role, now)) {
      if (announcement.startsAt.getTime() <= now.getTime() - RECENT_MS) continue;
      const { roles } = audiences.get(announcement.id) ?? { roles: [] };
      audiences.set(announcement.id, { announcement, roles: [...roles, role] });
    }
  }
  for (const { announcement, roles } of audiences.values()) {
    const { id, title, body, level } = announcement;
    await write(database, "serve", (sql) =>
      notify(sql, {
        organizationId,
        to: { membersAs: roles },
        key: `announcement ${id}`,
        category: "announcement",
        severity: SEVERITIES[level],
        title,
        body,
        link: "/console/",
        now,
      }),
    );
  }
}
