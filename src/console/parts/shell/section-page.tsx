import { useRoute } from "preact-iso";
import { useViewer } from "../../gateway/viewer.js";
import { Page } from "./shell.js";
import { limitSection, type Section } from "./site.js";

/** The page of a section: the area in the address, or the first area. */
export function SectionPage({ section }: { section: Section }) {
  const { area: wanted = "" } = useRoute().params;
  const { Content, areas = [] } = limitSection(section, useViewer().scopes) ?? {};
  if (Content) return <Content />;
  const shown = areas.find(({ path }) => path === wanted) ?? (wanted === "" ? areas[0] : undefined);
  return (
    <Page title={shown ? (shown.title ?? shown.name) : section.name}>
      {shown ? (
        <shown.Area />
      ) : (
        <p>Page not found, or your role doesn't include it. Ask an owner of your organization for access.</p>
      )}
    </Page>
  );
}
