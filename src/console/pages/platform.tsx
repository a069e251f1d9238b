import type { Area } from "../parts/shell/site.js";
import { PlatformAnnouncements } from "./platform/announcements.js";
import { Monitoring } from "./platform/monitoring.js";

/** The pages of super admins. */
export const PLATFORM: readonly Area[] = [
  { path: "monitoring", name: "Monitoring", Area: Monitoring },
  { path: "announcements", name: "Announcements", Area: PlatformAnnouncements },
];
