import { type Area, Areas } from "../parts/shell/areas.js";
import { PlatformAnnouncements } from "./platform/announcements.js";
import { Monitoring } from "./platform/monitoring.js";

const AREAS: readonly Area[] = [
  { path: "monitoring", name: "Monitoring", Area: Monitoring },
  { path: "announcements", name: "Announcements", Area: PlatformAnnouncements },
];

/** The pages of super admins. */
export const Platform = () => <Areas label="Platform" areas={AREAS} />;
