import { useLocation } from "preact-iso";
import { Icon, Mark } from "./icon.js";
import { Popover } from "./menu.js";
import { addressOf, areaAt, areasBelow, type Group, type Section } from "./site.js";

/** Links to the pages, and to the areas of the current page. On narrow screens, the button "Menu" opens it. */
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
  const { name, path: href, icon } = section;
  const areas = areasBelow(section);
  const isHere = path === href.replace(/\/$/, "");
  const isOpen = isHere || path.startsWith(`${href}/`);
  const shown = areaAt(section, path);
  const isPage = isHere && (shown === undefined || !areas.includes(shown));
  return (
    <li>
      <a href={href} aria-current={isPage ? "page" : isOpen ? "true" : undefined}>
        <Icon path={icon} />
        {name}
      </a>
      {isOpen && areas.length > 0 && (
        <ul>
          {areas.map((area) => (
            <li key={area.path}>
              <a href={addressOf(section, area)} aria-current={area === shown ? "page" : undefined}>
                {area.name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
