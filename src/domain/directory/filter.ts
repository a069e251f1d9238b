import { findAttribute, type ResourceType, readBoolean } from "./attributes.js";
import { refuse } from "./fault.js";

/** A comparison for equality. */
export interface Condition {
  /** Such as `userName` or `emails.value`. */
  readonly attribute: string;
  readonly value: string | boolean;
}

const MAX_CHARACTERS = 1_000;
const MAX_CONDITIONS = 10;

/** Matches the first comparison: a name, an operator, and a JSON string or a bare word. */
const COMPARISON = /^\s*([\w:.$-]+)\s+(\w+)\s+("(?:[^"\\]|\\.)*"|[^\s"()[\]]+)/;
/** Path of a user's work address, the only address that the gateway stores. */
const WORK_ADDRESS = /^(\s*)emails\s*\[\s*type\s+eq\s+"work"\s*\]\.value(?=\s)/i;

const FILTERABLE: Readonly<Record<ResourceType, readonly string[]>> = {
  User: ["userName", "externalId", "id", "emails.value", "emails", "active", "displayName"],
  Group: ["displayName", "externalId", "id"],
};

/** Reads comparisons joined by `and`. Puts `prefix` before their attributes. Throws ScimFault for any other filter. */
export function readComparisons(type: ResourceType, text: string, prefix = ""): Condition[] {
  if (text.length > MAX_CHARACTERS) refuse("invalidFilter", `filter: at most ${MAX_CHARACTERS} characters`);
  const conditions: Condition[] = [];
  let rest = text;
  for (;;) {
    rest = rest.replace(WORK_ADDRESS, "$1emails.value");
    const [whole, name = "", operator = "", literal = ""] = COMPARISON.exec(rest) ?? [];
    if (whole === undefined || operator.toLowerCase() !== "eq") {
      refuse(
        "invalidFilter",
        'filter: expected comparisons such as userName eq "ada@example.com", joined by "and"',
      );
    }
    const found = findAttribute(type, prefix + name);
    if (found === undefined)
      return refuse("invalidFilter", `filter: unknown attribute ${name.slice(0, 100)}`);
    conditions.push({
      attribute: found.part === undefined ? found.name : `${found.name}.${found.part}`,
      value: readLiteral(literal),
    });
    if (conditions.length > MAX_CONDITIONS)
      refuse("invalidFilter", `filter: at most ${MAX_CONDITIONS} comparisons`);
    rest = rest.slice(whole.length);
    if (rest.trim() === "") return conditions;
    const and = /^\s+and\s+/i.exec(rest);
    if (and === null) return refuse("invalidFilter", 'filter: expected "and" or the end of the filter');
    rest = rest.slice(and[0].length);
  }
}

/** Reads the filter of a list request; empty without one. Throws ScimFault for an invalid filter. */
export function readFilter(type: ResourceType, text: string | undefined): Condition[] {
  if (text === undefined) return [];
  return readComparisons(type, text).map(({ attribute, value }) => {
    if (!FILTERABLE[type].includes(attribute))
      refuse("invalidFilter", `filter: cannot filter by ${attribute}; use ${FILTERABLE[type].join(", ")}`);
    if (attribute === "active") {
      const isActive = readBoolean(value) ?? refuse("invalidFilter", "filter: active must be true or false");
      return { attribute, value: isActive };
    }
    if (typeof value !== "string")
      return refuse("invalidFilter", `filter: ${attribute} must be a string in double quotes`);
    return { attribute: attribute === "emails" ? "emails.value" : attribute, value };
  });
}

function readLiteral(literal: string): string | boolean {
  const boolean = readBoolean(literal);
  if (boolean !== undefined) return boolean;
  try {
    const value: unknown = literal.startsWith('"') ? JSON.parse(literal) : undefined;
    if (typeof value === "string" && !value.includes("\0")) return value;
  } catch {
    // Reported below.
  }
  return refuse("invalidFilter", "filter: expected true, false or a string in double quotes");
}
