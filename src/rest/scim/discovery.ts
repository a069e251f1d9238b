import { ATTRIBUTES, type Attribute, type ResourceType, URN } from "../../domain/directory/attributes.js";

/** Maximum number of resources in a list. */
export const MAX_RESULTS = 200;

const ENDPOINTS: Readonly<Record<ResourceType, string>> = { User: "/Users", Group: "/Groups" };
const TYPES = ["User", "Group"] as const;

/** Prefix of the schemas of the configuration resources (RFC 7643, sections 5 to 7). */
const CORE = "urn:ietf:params:scim:schemas:core:2.0";

export const describeProvider = (base: string) => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "Token of a service account with the scope admin:members.",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

export const describeTypes = (base: string) =>
  TYPES.map((type) => ({
    schemas: [`${CORE}:ResourceType`],
    id: type,
    name: type,
    endpoint: ENDPOINTS[type],
    schema: URN[type],
    schemaExtensions: type === "User" ? [{ schema: URN.enterprise, required: false }] : [],
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${type}` },
  }));

/** Boolean sub-attributes. */
const BOOLEAN = new Set(["primary"]);
const REQUIRED = new Set(["User.userName", "Group.displayName"]);
/** Attributes with `caseExact`. */
const EXACT = new Set(["id", "externalId", "value", "$ref"]);

const describeAttribute = (
  type: ResourceType,
  name: string,
  { use, isList, parts, ...attribute }: Attribute,
) => ({
  name,
  type: attribute.type,
  multiValued: isList === true,
  required: REQUIRED.has(`${type}.${name}`),
  caseExact: EXACT.has(name),
  mutability: use === "readOnly" ? "readOnly" : name === "password" ? "writeOnly" : "readWrite",
  returned: name === "password" ? "never" : use === "dropped" ? "request" : "default",
  uniqueness: REQUIRED.has(`${type}.${name}`) ? "server" : "none",
  ...(parts && {
    subAttributes: parts.map((part) => ({
      name: part,
      type: BOOLEAN.has(part) ? "boolean" : part === "$ref" ? "reference" : "string",
      ...(part === "$ref" && { referenceTypes: TYPES }),
      multiValued: false,
      required: false,
      caseExact: EXACT.has(part),
      mutability: use === "readOnly" ? "readOnly" : "readWrite",
      returned: "default",
      uniqueness: "none",
    })),
  }),
});

const describeSchema = (
  base: string,
  type: ResourceType,
  id: string,
  attributes: readonly (readonly [string, Attribute])[],
) => ({
  schemas: [`${CORE}:Schema`],
  id,
  name: id === URN.enterprise ? "EnterpriseUser" : type,
  description:
    id === URN.enterprise ? "Enterprise user. Accepted, but not stored." : `A ${type.toLowerCase()}`,
  attributes: attributes.map(([name, attribute]) => describeAttribute(type, name, attribute)),
  meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
});

/** Common attributes, which no schema lists (RFC 7643, section 3.1), and the extension, which has its own schema. */
const COMMON = new Set(["schemas", "id", "externalId", "meta", URN.enterprise]);

export function describeSchemas(base: string) {
  const own = TYPES.map((type) =>
    describeSchema(
      base,
      type,
      URN[type],
      Object.entries(ATTRIBUTES[type]).filter(([name]) => !COMMON.has(name)),
    ),
  );
  const parts = ATTRIBUTES.User[URN.enterprise]?.parts ?? [];
  const dropped: Attribute = { use: "dropped", type: "string" };
  const manager: Attribute = { use: "dropped", type: "complex", parts: ["value", "$ref", "displayName"] };
  const enterprise = parts.map((part) => [part, part === "manager" ? manager : dropped] as const);
  return [...own, describeSchema(base, "User", URN.enterprise, enterprise)];
}

/** Returns a list in SCIM's format. `total` is the number of all matching items. */
export const listResponse = (items: readonly object[], startIndex: number, total: number) => ({
  schemas: [URN.list],
  totalResults: total,
  startIndex,
  itemsPerPage: items.length,
  Resources: items,
});
