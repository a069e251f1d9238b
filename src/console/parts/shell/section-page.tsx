import { useLocation } from "preact-iso";
import { useViewer } from "../../gateway/viewer.js";
import { Page } from "./shell.js";
import { areaAt, limitSection, type Section } from "./site.js";

/** The page of a section: the area in the address, or the first area. */
export function SectionPage({ section }: { section: Section }) {
  const { path } = useLocation();
  const limited = limitSection(section, useViewer().scopes);
  if (limited?.Content) return <limited.Content />;
  const shown = limited && areaAt(limited, path);
  return (
    <Page title={shown?.name ?? section.name}>
      {shown ? (
        <shown.Area />
      ) : (
        <p>Page not found, or your role doesn't include it. Ask an owner of your organization for access.</p>
      )}
    </Page>
  );
}
