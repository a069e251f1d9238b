import { type Document, findAttribute, type ResourceType } from "../../domain/directory/attributes.js";

/** Attributes of a response: only these, or all except these. */
export interface Selection {
  readonly isOnly: boolean;
  readonly names: readonly { readonly name: string; readonly part: string | undefined }[];
}

const MAX_NAMES = 50;

/**
 * Reads `attributes` and `excludedAttributes`; the first takes precedence (RFC 7644, section 3.9). Ignores unknown
 * names, and all after the first 50.
 */
export function readSelection(
  type: ResourceType,
  attributes: readonly string[],
  excluded: readonly string[],
): Selection | undefined {
  const isOnly = attributes.length > 0;
  const names = (isOnly ? attributes : excluded)
    .slice(0, MAX_NAMES)
    .flatMap((text) => text.split(",", MAX_NAMES))
    .slice(0, MAX_NAMES)
    .flatMap((text) => findAttribute(type, text.trim()) ?? []);
  return isOnly || names.length > 0 ? { isOnly, names } : undefined;
}

/** Returns true if a response contains an attribute, or a part of it. */
export const isSelected = (selection: Selection | undefined, attribute: string): boolean =>
  selection === undefined ||
  selection.names.some(({ name, part }) => name === attribute && (selection.isOnly || part === undefined)) ===
    selection.isOnly;

/** Attributes of every response. */
const ALWAYS = new Set(["schemas", "id"]);

/** Returns a resource reduced to the selected attributes. */
export function select(resource: Document, selection: Selection | undefined): Document {
  if (selection === undefined) return resource;
  const { isOnly, names } = selection;
  return Object.fromEntries(
    Object.entries(resource).flatMap(([key, value]): [string, unknown][] => {
      if (ALWAYS.has(key)) return [[key, value]];
      const named = names.filter(({ name }) => name === key);
      if (named.length === 0) return isOnly ? [] : [[key, value]];
      if (named.some(({ part }) => part === undefined)) return isOnly ? [[key, value]] : [];
      const parts = new Set(named.map(({ part }) => part));
      const pick = (item: unknown) =>
        Object.fromEntries(Object.entries(item as Document).filter(([part]) => parts.has(part) === isOnly));
      return [[key, Array.isArray(value) ? value.map(pick) : pick(value)]];
    }),
  );
}
