import "./settings/settings.css";
import { lazy } from "../parts/lazy.js";
import type { Area } from "../parts/shell/site.js";

const ApiKeys = lazy(async () => (await import("./settings/api-keys.js")).ApiKeys);
const AuditTrail = lazy(async () => (await import("./settings/audit-trail.js")).AuditTrail);
const Members = lazy(async () => (await import("./settings/members.js")).Members);
const OrganizationSettings = lazy(
  async () => (await import("./settings/organization.js")).OrganizationSettings,
);
const OrganizationSecurity = lazy(
  async () => (await import("./settings/organization-security.js")).OrganizationSecurity,
);
const Profile = lazy(async () => (await import("./settings/profile.js")).Profile);
const Security = lazy(async () => (await import("./settings/security.js")).Security);
const ServiceAccounts = lazy(async () => (await import("./settings/service-accounts.js")).ServiceAccounts);
const Sessions = lazy(async () => (await import("./settings/sessions.js")).Sessions);
const NotificationSettings = lazy(
  async () => (await import("./settings/notifications.js")).NotificationSettings,
);
const Webhooks = lazy(async () => (await import("./settings/webhooks.js")).Webhooks);

/** Areas of the settings, with the scopes they require. */
export const SETTINGS: readonly Area[] = [
  { path: "profile", name: "Profile", scope: null, Area: Profile },
  {
    path: "security",
    name: "Sign-in and security",
    scope: null,
    words: "password passkeys authenticator second factor recovery codes address single sign-on",
    Area: Security,
  },
  { path: "api-keys", name: "API keys", scope: "manage:keys", Area: ApiKeys },
  {
    path: "service-accounts",
    name: "Service accounts",
    scope: "manage:keys",
    words: "tokens machines programs bearer",
    Area: ServiceAccounts,
  },
  { path: "webhooks", name: "Webhooks", scope: "manage:webhooks", words: "events", Area: Webhooks },
  { path: "members", name: "Members", scope: null, Area: Members },
  { path: "notifications", name: "Notification settings", scope: null, Area: NotificationSettings },
  { path: "sessions", name: "Sessions", scope: null, Area: Sessions },
  { path: "audit-trail", name: "Audit trail", scope: "read:audit", Area: AuditTrail },
  { path: "organization", name: "Organization", scope: null, Area: OrganizationSettings },
  {
    path: "organization-security",
    name: "Member sign-in",
    scope: "manage:organization",
    words: "security organization policy second factor domains single sign-on sso directory scim groups",
    Area: OrganizationSecurity,
  },
];
