import { useRoute } from "preact-iso";
import { AreaLinks } from "../parts/shell/areas.js";
import { Page } from "../parts/shell/shell.js";
import { PlatformAnnouncements } from "./platform/announcements.js";
import { Monitoring } from "./platform/monitoring.js";

const AREAS = [
  { path: "monitoring", name: "Monitoring", Area: Monitoring },
  { path: "announcements", name: "Announcements", Area: PlatformAnnouncements },
] as const;

/** What super admins look after; the first area unless the address names another. */
export function Platform() {
  const { params } = useRoute();
  const chosen = AREAS.find(({ path }) => path === params["area"]) ?? AREAS[0];
  return (
    <>
      <AreaLinks label="Platform" base="/console/platform" areas={AREAS} chosen={chosen.path} />
      <Page title={chosen.name}>
        <chosen.Area />
      </Page>
    </>
  );
}
