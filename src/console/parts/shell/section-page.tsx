import { useRoute } from "preact-iso";
import { useViewer } from "../../gateway/viewer.js";
import { Page } from "./shell.js";
import { limitSection, type Section } from "./site.js";

/** A section's page, or the area in the address; the first one if the address names none. */
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
        <p>Your role does not include this page, or it does not exist. Ask an owner of the organization.</p>
      )}
    </Page>
  );
}
