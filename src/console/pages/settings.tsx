import { useRoute } from "preact-iso";
import { useViewer } from "../gateway/viewer.js";
import { Later } from "../parts/later.js";
import { AreaLinks } from "../parts/shell/areas.js";
import { Page } from "../parts/shell/shell.js";
import { ApiKeys } from "./settings/api-keys.js";
import { AuditTrail } from "./settings/audit-trail.js";
import { Members } from "./settings/members.js";
import { OrganizationSettings } from "./settings/organization.js";
import { Sessions } from "./settings/sessions.js";

const loadNotifications = async () => (await import("./settings/notifications.js")).NotificationSettings;
const NotificationSettings = () => <Later load={loadNotifications} />;

/** The areas of the settings, and the scope without which one is not offered. */
const AREAS = [
  { path: "api-keys", name: "API keys", scope: "manage:keys", Area: ApiKeys },
  { path: "members", name: "Members", scope: null, Area: Members },
  { path: "notifications", name: "Notifications", scope: null, Area: NotificationSettings },
  { path: "sessions", name: "Sessions", scope: null, Area: Sessions },
  { path: "audit-trail", name: "Audit trail", scope: "read:audit", Area: AuditTrail },
  { path: "organization", name: "Organization", scope: null, Area: OrganizationSettings },
] as const;

/** What the person may look after; the first area unless the address names another. */
export function Settings() {
  const { scopes } = useViewer();
  const { params } = useRoute();
  const areas = AREAS.filter(({ scope }) => scope === null || scopes.includes(scope));
  const chosen = params["area"] ? areas.find(({ path }) => path === params["area"]) : areas[0];
  return (
    <>
      <AreaLinks label="Settings" base="/console/settings" areas={areas} chosen={chosen?.path} />
      <Page title={chosen ? chosen.name : "Settings"}>
        {chosen ? (
          <chosen.Area />
        ) : (
          <p>Your role shows no such settings. Ask an owner of the organization.</p>
        )}
      </Page>
    </>
  );
}
