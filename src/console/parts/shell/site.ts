import type { ComponentType } from "preact";

/** A page below a section. */
export interface Area {
  /** Last part of the address; empty for the area at the section's address. */
  readonly path: string;
  /** The page's heading and title, and the text of links to it. */
  readonly name: string;
  /** Scope that it requires in addition to the section's. */
  readonly scope?: string | null;
  /** Additional search words. */
  readonly words?: string;
  readonly Area: ComponentType;
}

/** An entry of the sidebar: a page, or several areas. */
export interface Section {
  readonly path: string;
  readonly name: string;
  readonly scope?: string;
  readonly words?: string;
  /** SVG path of the icon, 24 × 24. */
  readonly icon: string;
  readonly areas?: readonly Area[];
  /** The page of a section without areas. */
  readonly Content?: ComponentType;
}

/** A group of sections under a heading of the sidebar. */
export interface Group {
  readonly name: string;
  readonly sections: readonly Section[];
}

/** Returns the rows of a list that a user with these scopes may see. */
const visible = <Row extends { readonly scope?: string | null }>(
  rows: readonly Row[],
  scopes: readonly string[],
) => rows.filter(({ scope }) => !scope || scopes.includes(scope));

/** Returns the section with the areas that a user may see; undefined if the user may not see it. */
export function limitSection(section: Section, scopes: readonly string[]): Section | undefined {
  const [found] = visible([section], scopes);
  return found?.areas ? { ...found, areas: visible(found.areas, scopes) } : found;
}

/** Returns the groups with the sections and areas that a user may see. */
export const limitGroups = (groups: readonly Group[], scopes: readonly string[]): readonly Group[] =>
  groups
    .map(({ name, sections }) => ({
      name,
      sections: sections.flatMap((section) => limitSection(section, scopes) ?? []),
    }))
    .filter(({ sections }) => sections.length > 0);

/** Returns the areas of a section that need their own links: all but the one with the section's name. */
export const areasBelow = ({ name, areas = [] }: Section): readonly Area[] =>
  areas.filter((area) => area.name !== name);

/** Returns the address of an area. */
export const addressOf = (section: Section, { path }: Area): string =>
  path ? `${section.path}/${path}` : section.path;

/** Returns the area at an address of a section: the first one at the section's own address. */
export const areaAt = (section: Section, address: string): Area | undefined =>
  address === section.path
    ? section.areas?.[0]
    : section.areas?.find((area) => addressOf(section, area) === address);
