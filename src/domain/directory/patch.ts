import { isObject } from "../is-object.js";
import {
  type AttributeName,
  type Document,
  findAttribute,
  isPrimary,
  type ResourceType,
  readValue,
  toText,
} from "./attributes.js";
import { refuse } from "./fault.js";
import { type Condition, readComparisons } from "./filter.js";
import { readMembers } from "./group.js";

export const MAX_OPERATIONS = 100;
/** Maximum number of attributes in a patch: an operation without a path may change several. */
const MAX_CHANGES = 500;
/** Maximum length of a patched list other than members, because every change reads the whole list. */
const MAX_ITEMS = 100;

/** A change of one attribute. */
export interface Operation {
  readonly op: "add" | "remove" | "replace";
  readonly target: AttributeName;
  /** Comparisons that select items of a list; undefined for all items. */
  readonly selector: readonly Condition[] | undefined;
  readonly value: unknown;
}

/** Reads a patch as one operation per attribute (RFC 7644, section 3.5.2). Throws ScimFault for an invalid patch. */
export function readPatch(type: ResourceType, body: unknown): Operation[] {
  const operations = isObject(body)
    ? Object.entries(body).find(([key]) => key.toLowerCase() === "operations")?.[1]
    : undefined;
  if (!Array.isArray(operations) || operations.length === 0)
    return refuse("invalidSyntax", "Operations: expected a list of operations");
  if (operations.length > MAX_OPERATIONS)
    return refuse("invalidSyntax", `Operations: at most ${MAX_OPERATIONS} in a patch`);
  let changes = 0;
  return operations.flatMap((operation, index) => {
    const { path, value } = isObject(operation) ? operation : {};
    changes += !path && isObject(value) ? Object.keys(value).length : 1;
    if (changes > MAX_CHANGES)
      refuse("invalidValue", `Operations: at most ${MAX_CHANGES} attributes in a patch`);
    return readOperation(type, operation, `Operations[${index}]`);
  });
}

const isOp = (op: string): op is Operation["op"] => op === "add" || op === "remove" || op === "replace";

function readOperation(type: ResourceType, operation: unknown, place: string): Operation[] {
  if (!isObject(operation)) return refuse("invalidSyntax", `${place}: expected an object`);
  const { path, value } = operation as Document;
  const op = toText((operation as Document)["op"]).toLowerCase();
  if (!isOp(op)) return refuse("invalidSyntax", `${place}.op: expected add, remove or replace`);
  if (op !== "remove" && value === undefined) return refuse("invalidValue", `${place}.value: required`);
  if (path !== undefined && path !== null && path !== "") {
    if (typeof path !== "string") return refuse("invalidPath", `${place}.path: expected a string`);
    const { target, selector } = readPath(type, path, `${place}.path`);
    if (target.attribute.use === "readOnly")
      return refuse("mutability", `${place}.path: ${target.name} is read-only`);
    return [{ op, target, selector, value }];
  }
  if (op === "remove") return refuse("noTarget", `${place}.path: required to remove`);
  if (!isObject(value))
    return refuse("invalidValue", `${place}.value: expected an object, because there is no path`);
  return Object.entries(value).flatMap(([key, sub]): Operation[] => {
    const { target, selector } = readPath(type, key, `${place}.value`);
    // Ignored, because clients repeat the id and schemas of the resource.
    return target.attribute.use === "readOnly" ? [] : [{ op, target, selector, value: sub }];
  });
}

/** Reads a path: an attribute, a sub-attribute, or list items selected by a filter in brackets. */
function readPath(type: ResourceType, path: string, place: string) {
  const unknown = () => refuse("invalidPath", `${place}: unknown attribute ${path.slice(0, 100)}`);
  const [, list, filter, part] = /^([^[\]]+)\[(.*)\](?:\.([\w$]+))?$/.exec(path.trim()) ?? [];
  if (list === undefined || filter === undefined) {
    const target = findAttribute(type, path.trim()) ?? unknown();
    return { target, selector: undefined };
  }
  const target = findAttribute(type, part === undefined ? list : `${list}.${part}`) ?? unknown();
  if (!target.attribute.isList) return unknown();
  const { name, attribute } = target;
  const selector = readComparisons(type, filter, `${name}.`).map((condition) => {
    const field = condition.attribute.slice(name.length + 1);
    if (!attribute.parts?.includes(field)) return unknown();
    return { attribute: field, value: condition.value };
  });
  return { target, selector };
}

const isSelected = (item: unknown, selector: readonly Condition[]): boolean =>
  selector.every(({ attribute, value }) => {
    const found = isObject(item) ? (item as Document)[attribute] : undefined;
    return typeof found === "string" && typeof value === "string"
      ? found.toLowerCase() === value.toLowerCase()
      : // A missing `primary` is false.
        (found ?? false) === value;
  });

/**
 * Applies operations to a copy of a document, but may change its members in place. Skips attributes that are not
 * stored. Throws ScimFault for an invalid operation.
 */
export function applyPatch(document: Document, operations: readonly Operation[]): Document {
  const patched: Document = { ...document };
  for (const operation of operations) {
    const { op, value } = operation;
    const { name, attribute, part } = operation.target;
    if (attribute.use !== "kept") {
      // Refuses several primary items, as in lists that are stored.
      if (attribute.isList && op !== "remove" && operation.selector === undefined && part === undefined)
        readItems(attribute, value);
      continue;
    }
    const previous = isObject(patched[name]) ? (patched[name] as Document) : {};
    if (attribute.isKeyed) {
      patched[name] = changeMembers(patched[name] as Set<string>, operation);
    } else if (attribute.isList) {
      const items = changeList(patched[name], operation);
      if (items.length > MAX_ITEMS) refuse("invalidValue", `${name}: at most ${MAX_ITEMS} items`);
      patched[name] = items;
    } else if (part !== undefined) {
      patched[name] = { ...previous, [part]: op === "remove" ? undefined : value };
    } else if (op === "remove") {
      // Without it, the user would be active.
      if (name === "active") refuse("mutability", "active: cannot be removed; replace it with true or false");
      delete patched[name];
    } else if (attribute.type === "complex") {
      const read = readValue(attribute, value);
      patched[name] = isObject(read) ? { ...previous, ...read } : read;
    } else patched[name] = value;
  }
  return patched;
}

/**
 * Changes members in place or returns a new set. The time grows with the values in the operation, not with the members.
 */
function changeMembers(
  current: Set<string>,
  { op, target: { name, attribute, part }, selector, value }: Operation,
): Set<string> {
  if (part !== undefined || (selector && op !== "remove"))
    refuse("invalidPath", `${name}: items can only be added or removed, not changed`);
  if (selector) {
    const [condition, ...more] = selector;
    if (condition?.attribute !== "value" || more.length > 0)
      refuse("invalidFilter", `${name}: expected a path such as ${name}[value eq "…"]`);
    current.delete(String(condition?.value).toLowerCase());
    return current;
  }
  if (op === "remove" && (value === undefined || value === null)) return new Set();
  const given = readMembers(readItems(attribute, value));
  if (op === "replace") return given;
  for (const member of given) {
    if (op === "add") current.add(member);
    else current.delete(member);
  }
  return current;
}

function changeList(current: unknown, { op, target, selector, value }: Operation): unknown[] {
  const { attribute, part } = target;
  const items = Array.isArray(current) ? current : [];
  if (selector === undefined && part === undefined) {
    if (op === "remove") {
      const given = value === undefined || value === null ? undefined : readItems(attribute, value);
      const removed = new Set(given?.map(foldValue));
      return given === undefined ? [] : items.filter((item) => !removed.has(foldValue(item)));
    }
    const given = readItems(attribute, value);
    return op === "replace" ? given : [...(given.some(isPrimary) ? withoutPrimary(items) : items), ...given];
  }
  const selected = (item: unknown) => selector === undefined || isSelected(item, selector);
  const found = items.filter(selected);
  if (op === "remove") {
    if (part === undefined) return items.filter((item) => !selected(item));
    return items.map((item) => (selected(item) ? { ...(item as Document), [part]: undefined } : item));
  }
  const change = (item: Document): Document =>
    part === undefined
      ? { ...item, ...(readItems(attribute, value)[0] as Document) }
      : { ...item, [part]: value };
  if (found.length > 0) {
    const changed = new Map(found.map((item) => [item, change(item as Document)]));
    const others = [...changed.values()].some(isPrimary) ? withoutPrimary(items) : items;
    return others.map((item, index) => changed.get(items[index]) ?? item);
  }
  // Adds the item that the filter describes.
  const described = Object.fromEntries(
    (selector ?? []).map((condition) => [condition.attribute, condition.value]),
  );
  const added = change(described);
  return [...(isPrimary(added) ? withoutPrimary(items) : items), added];
}

const readItems = (attribute: AttributeName["attribute"], value: unknown): unknown[] =>
  readValue(attribute, value ?? []) as unknown[];

/** Returns the key by which items are compared. */
const foldValue = (item: unknown): string => toText((item as Document)["value"]).toLowerCase();

/** Clears `primary` of all items, before another one becomes primary (RFC 7644, section 3.5.2). */
const withoutPrimary = (items: readonly unknown[]): unknown[] =>
  items.map((item) => (isPrimary(item) ? { ...(item as Document), primary: false } : item));
