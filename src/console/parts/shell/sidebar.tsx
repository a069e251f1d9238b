import { useLocation } from "preact-iso";
import { Icon, Mark } from "./icon.js";
import { Popover } from "./menu.js";
import { addressOf, type Group, type Section } from "./site.js";

/** The links to the pages, and to the areas of the current one. On narrow screens the button "Menu" opens it. */
export function Sidebar({ groups }: { groups: readonly Group[] }) {
  return (
    <Popover id="sidebar" class="sidebar">
      <p class="product">
        <Mark />
      </p>
      <nav aria-label="Pages">
        {groups.map(({ name, sections }) => (
          <div key={name}>
            {name !== sections[0]?.name && <p aria-hidden="true">{name}</p>}
            <ul aria-label={name}>
              {sections.map((section) => (
                <SectionLink key={section.path} section={section} />
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </Popover>
  );
}

function SectionLink({ section }: { section: Section }) {
  const { path } = useLocation();
  const { name, path: href, areas = [], icon } = section;
  const isHere = path === href.replace(/\/$/, "");
  const isBelow = path.startsWith(`${href}/`);
  return (
    <li>
      <a href={href} aria-current={isHere ? "page" : isBelow ? "true" : undefined}>
        <Icon path={icon} />
        {name}
      </a>
      {(isHere || isBelow) && areas.length > 0 && (
        <ul>
          {areas
            .filter((area) => area.path !== "")
            .map((area) => (
              <li key={area.path}>
                <a
                  href={addressOf(section, area)}
                  aria-current={path === addressOf(section, area) ? "page" : undefined}
                >
                  {area.name}
                </a>
              </li>
            ))}
        </ul>
      )}
    </li>
  );
}
