import { isObject } from "../is-object.js";
import { ScimFault } from "./fault.js";

/** URNs of SCIM schemas and messages. */
export const URN = {
  User: "urn:ietf:params:scim:schemas:core:2.0:User",
  Group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  enterprise: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  error: "urn:ietf:params:scim:api:messages:2.0:Error",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  search: "urn:ietf:params:scim:api:messages:2.0:SearchRequest",
} as const;

export type ResourceType = "User" | "Group";

export type Document = { [name: string]: unknown };

export type AttributeUse =
  /** Set by clients, and stored. */
  | "kept"
  /** Set only by the gateway. */
  | "readOnly"
  /** Accepted, but not stored. */
  | "dropped";

export interface Attribute {
  readonly use: AttributeUse;
  readonly type: "string" | "boolean" | "complex";
  readonly isList?: boolean;
  /** True for a list whose items are unique by `value`, the only field that is stored. */
  readonly isKeyed?: boolean;
  readonly parts?: readonly string[];
}

const DROPPED: Attribute = { use: "dropped", type: "string" };
const DROPPED_LIST: Attribute = {
  use: "dropped",
  type: "complex",
  isList: true,
  parts: [
    "value",
    "display",
    "type",
    "primary",
    "formatted",
    "streetAddress",
    "locality",
    "region",
    "postalCode",
    "country",
  ],
};

const SHARED = {
  schemas: { use: "readOnly", type: "string", isList: true },
  id: { use: "readOnly", type: "string" },
  externalId: { use: "kept", type: "string" },
  meta: {
    use: "readOnly",
    type: "complex",
    parts: ["resourceType", "created", "lastModified", "location", "version"],
  },
} as const satisfies Record<string, Attribute>;

/** Attributes of the core schemas. Those of the enterprise extension are under its URN. */
export const ATTRIBUTES: Readonly<Record<ResourceType, Readonly<Record<string, Attribute>>>> = {
  User: {
    schemas: SHARED.schemas,
    id: SHARED.id,
    externalId: SHARED.externalId,
    userName: { use: "kept", type: "string" },
    name: {
      use: "kept",
      type: "complex",
      parts: ["formatted", "familyName", "givenName", "middleName", "honorificPrefix", "honorificSuffix"],
    },
    displayName: { use: "kept", type: "string" },
    active: { use: "kept", type: "boolean" },
    emails: {
      use: "kept",
      type: "complex",
      isList: true,
      parts: ["value", "type", "primary", "display"],
    },
    groups: { use: "readOnly", type: "complex", isList: true, parts: ["value", "display", "$ref", "type"] },
    meta: SHARED.meta,
    nickName: DROPPED,
    profileUrl: DROPPED,
    title: DROPPED,
    userType: DROPPED,
    preferredLanguage: DROPPED,
    locale: DROPPED,
    timezone: DROPPED,
    password: DROPPED,
    phoneNumbers: DROPPED_LIST,
    ims: DROPPED_LIST,
    photos: DROPPED_LIST,
    addresses: DROPPED_LIST,
    entitlements: DROPPED_LIST,
    roles: DROPPED_LIST,
    x509Certificates: DROPPED_LIST,
    [URN.enterprise]: {
      use: "dropped",
      type: "complex",
      parts: ["employeeNumber", "costCenter", "organization", "division", "department", "manager"],
    },
  },
  Group: {
    schemas: SHARED.schemas,
    id: SHARED.id,
    externalId: SHARED.externalId,
    displayName: { use: "kept", type: "string" },
    members: {
      use: "kept",
      type: "complex",
      isList: true,
      isKeyed: true,
      parts: ["value", "$ref", "type", "display"],
    },
    meta: SHARED.meta,
  },
};

/** An attribute as a client names it. */
export interface AttributeName {
  readonly name: string;
  readonly attribute: Attribute;
  /** Sub-attribute. */
  readonly part: string | undefined;
}

/** Converts a value to a string, which is empty for an object, a list or null. */
export const toText = (value: unknown): string => (typeof value === "object" ? "" : String(value));

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** Reads a boolean, also as the text "True" or "False", which Entra ID sends; undefined for anything else. */
export const readBoolean = (value: unknown): boolean | undefined => BOOLEANS.get(toText(value).toLowerCase());

const findIn = (names: readonly string[], text: string) =>
  names.find((name) => name.toLowerCase() === text.toLowerCase());

/** Finds an attribute by its name, such as `name.givenName`, with or without its schema's URN. Ignores case. */
export function findAttribute(type: ResourceType, text: string): AttributeName | undefined {
  const attributes = ATTRIBUTES[type];
  const name = (key: string, part?: string): AttributeName | undefined => {
    const attribute = attributes[key];
    return attribute && { name: key, attribute, part };
  };
  const lower = text.toLowerCase();
  if (type === "User" && lower.startsWith(URN.enterprise.toLowerCase())) {
    const [first = ""] = text.slice(URN.enterprise.length + 1).split(".");
    const parts = attributes[URN.enterprise]?.parts ?? [];
    return first === "" || findIn(parts, first) !== undefined ? name(URN.enterprise) : undefined;
  }
  const urn = `${URN[type]}:`;
  const [first = "", second, ...more] = (
    lower.startsWith(urn.toLowerCase()) ? text.slice(urn.length) : text
  ).split(".");
  const found = findIn(Object.keys(attributes), first);
  if (found === undefined || more.length > 0) return undefined;
  if (second === undefined) return name(found);
  const part = findIn(attributes[found]?.parts ?? [], second);
  return part === undefined ? undefined : name(found, part);
}

/**
 * Reads a request body. Corrects the case of attribute names and drops unknown attributes. Throws ScimFault if the body
 * is not a JSON object.
 */
export function readDocument(type: ResourceType, body: unknown): Document {
  if (!isObject(body)) throw new ScimFault(400, "invalidSyntax", "body: expected a JSON object");
  const document: Document = {};
  for (const [key, value] of Object.entries(body)) {
    const found = findAttribute(type, key);
    if (found === undefined || found.part !== undefined) continue;
    document[found.name] = readValue(found.attribute, value);
  }
  return document;
}

/**
 * Reads the value of an attribute. Corrects the case of sub-attributes and drops unknown ones. Accepts a single item in
 * place of a list. Throws ScimFault for a list with several primary items.
 */
export function readValue({ isList, parts }: Attribute, value: unknown): unknown {
  if (value === null || value === undefined || parts === undefined) return value;
  const read = (item: unknown): unknown => {
    if (!isObject(item)) return isList ? { value: item } : item;
    // Avoids a copy: requests may have thousands of members, and most clients spell their fields correctly.
    if (Object.keys(item).every((key) => parts.includes(key))) return item;
    return Object.fromEntries(
      Object.entries(item).flatMap(([key, sub]) => {
        const part = findIn(parts, key);
        return part === undefined ? [] : [[part, sub]];
      }),
    );
  };
  if (!isList) return read(value);
  const items = (Array.isArray(value) ? value : [value]).map(read);
  if (parts.includes("primary")) requireOnePrimary(items);
  return items;
}

/** Returns true if an item of a list is marked as `primary`. */
export const isPrimary = (item: unknown): boolean =>
  isObject(item) && readBoolean((item as Document)["primary"]) === true;

/** Throws ScimFault if several items are marked as `primary` (RFC 7643, section 2.4). */
export function requireOnePrimary(items: readonly unknown[]): void {
  if (items.filter(isPrimary).length > 1)
    throw new ScimFault(400, "invalidValue", "primary: at most one item of a list can be primary");
}
