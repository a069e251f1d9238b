import { lazy } from "../parts/lazy.js";
import type { Area } from "../parts/shell/site.js";

const Monitoring = lazy(async () => (await import("./platform/monitoring.js")).Monitoring);
const PlatformAnnouncements = lazy(
  async () => (await import("./platform/announcements.js")).PlatformAnnouncements,
);

/** Pages for super admins. */
export const PLATFORM: readonly Area[] = [
  { path: "monitoring", name: "Monitoring", Area: Monitoring },
  { path: "announcements", name: "Announcements", Area: PlatformAnnouncements },
];
