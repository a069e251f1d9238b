import "./settings/settings.css";
import { later } from "../parts/later.js";
import type { Area } from "../parts/shell/site.js";
import { ApiKeys } from "./settings/api-keys.js";
import { AuditTrail } from "./settings/audit-trail.js";
import { Members } from "./settings/members.js";
import { OrganizationSettings } from "./settings/organization.js";
import { Profile } from "./settings/profile.js";
import { Sessions } from "./settings/sessions.js";

const NotificationSettings = later(
  async () => (await import("./settings/notifications.js")).NotificationSettings,
);

/** The areas of the settings, each with the scope that it requires. */
export const SETTINGS: readonly Area[] = [
  { path: "profile", name: "Profile", scope: null, Area: Profile },
  { path: "api-keys", name: "API keys", scope: "manage:keys", Area: ApiKeys },
  { path: "members", name: "Members", scope: null, Area: Members },
  { path: "notifications", name: "Notifications", scope: null, Area: NotificationSettings },
  { path: "sessions", name: "Sessions", scope: null, Area: Sessions },
  { path: "audit-trail", name: "Audit trail", scope: "read:audit", Area: AuditTrail },
  { path: "organization", name: "Organization", scope: null, Area: OrganizationSettings },
];
