import type { ComponentChildren, ComponentType } from "preact";
import { useRoute } from "preact-iso";
import { Page } from "./shell.js";

/** An area of a page. */
export interface Area {
  readonly path: string;
  readonly name: string;
  /** The page's heading; the name by default. */
  readonly title?: string;
  readonly Area: ComponentType;
}

interface AreasProps {
  /** The name of the page. In lower case, it is also the page's address. */
  readonly label: string;
  readonly areas: readonly Area[];
  /** Area of an address that names none; the first one by default. */
  readonly children?: ComponentChildren;
}

/** A page of several areas with links to them. It shows the first unless the address names another. */
export function Areas({ label, areas, children }: AreasProps) {
  const { area } = useRoute().params;
  const isUnknown = area !== undefined && children !== undefined;
  const chosen = areas.find(({ path }) => path === area) ?? (isUnknown ? undefined : areas[0]);
  const base = `/console/${label.toLowerCase()}`;
  return (
    <>
      <nav class="links" aria-label={label}>
        {areas.map(({ path, name }) => (
          <a
            key={path}
            href={path ? `${base}/${path}` : base}
            aria-current={path === chosen?.path ? "page" : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <Page title={chosen ? (chosen.title ?? chosen.name) : label}>
        {chosen ? <chosen.Area /> : children}
      </Page>
    </>
  );
}
