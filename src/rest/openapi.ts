import { z } from "zod";
import { SESSION_COOKIE } from "../access/credentials.js";
import { API_VERSION, errorEnvelope, successEnvelope } from "../http/envelope.js";
import { type Endpoint, type EndpointGroup, isOperation, isStream } from "./endpoint.js";
import {
  COMMON_HEADERS,
  describeHeaders,
  FAILURES,
  FAILURES_BY_STATUS,
  json,
  LIMIT_HEADERS,
  META,
  schemaPath,
} from "./openapi-failures.js";

const TAG = {
  name: "Data",
  description: "The organization's own data, and reference data that all organizations share.",
};

/** The name of an endpoint's shapes: `Emissions` for GET /emissions, `PatchFacilitiesId` for PATCH /facilities/{id}. */
function nameOf({ method, path }: Pick<Endpoint, "method" | "path">): string {
  const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const words = path.split(/[^A-Za-z0-9]+/).map(capitalize);
  return (method === "GET" ? "" : capitalize(method.toLowerCase())) + words.join("");
}

type Shapes = z.core.$ZodRegistry<{ id: string }>;

/** Names the shapes of bodies: two endpoints may share the shape of a request. */
function nameShapes(groups: readonly EndpointGroup[]): Shapes {
  const shapes: Shapes = z.registry<{ id: string }>();
  shapes.add(errorEnvelope, { id: "ErrorResponse" });
  for (const endpoint of groups.flatMap(({ endpoints }) => endpoints)) {
    const name = nameOf(endpoint);
    const { body } = endpoint.input;
    if (isStream(endpoint)) shapes.add(endpoint.data, { id: `${name}Line` });
    else shapes.add(successEnvelope(endpoint.data), { id: `${name}Response` });
    if (body && !shapes.has(body)) shapes.add(body, { id: `${name}Request` });
  }
  return shapes;
}

/** Where zod puts the named shapes inside others. */
const INNER = "__shared";

/** Shapes, and the named shapes inside them, as JSON Schema that allows the properties which later versions may add. */
function describeSchemas(shapes: Shapes): Record<string, object> {
  const { schemas } = z.toJSONSchema(shapes, {
    io: "input",
    uri: schemaPath,
    override({ jsonSchema }) {
      // The format says it already. Counts may exceed the 32 bits that generators assume for an integer.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.type === "integer") jsonSchema.format = "int64";
    },
  });
  const { [INNER]: inner, ...outer } = schemas;
  const all = Object.entries({ ...outer, ...inner?.$defs }).map(
    ([name, { $schema: _, $id: __, ...schema }]) => [name, schema],
  );
  // OpenAPI has all of them in one place.
  const text = JSON.stringify(Object.fromEntries(all));
  return JSON.parse(text.replaceAll(`${schemaPath(INNER)}#/$defs/`, schemaPath("")));
}

/** What `toJSONSchema` makes of an object's shape. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/** Path or query parameters, one for each property of their shape. */
function describeParameters(place: "path" | "query", shape: z.ZodType | undefined) {
  if (!shape) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(shape, { io: "input" }) as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    ...{ name, in: place, required: required.includes(name) },
    ...(description !== undefined && { description }),
    schema,
  }));
}

function describeInput({ input: { params, query, body } }: Endpoint, shapes: Shapes) {
  const parameters = [...describeParameters("path", params), ...describeParameters("query", query)];
  const { id } = (body && shapes.get(body)) ?? {};
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(id !== undefined && { requestBody: { required: true, content: json(id) } }),
  };
}

/** A JSON object a line, each of which has the shape. */
const NDJSON = "application/x-ndjson";

function describeNeed(endpoint: Endpoint): string {
  if (!isOperation(endpoint) && !isStream(endpoint))
    return endpoint.needsSession ? "Needs a session." : "Needs no credentials.";
  return endpoint.scope === null ? "Needs a session." : `Needs the scope \`${endpoint.scope}\`.`;
}

function describeOperation(endpoint: Endpoint, keysOnly: boolean, shapes: Shapes) {
  const { method, summary, example } = endpoint;
  const name = nameOf(endpoint);
  return {
    operationId: method === "GET" ? `get${name}` : name.charAt(0).toLowerCase() + name.slice(1),
    tags: [TAG.name],
    summary,
    description: describeNeed(endpoint),
    security: keysOnly ? [{ apiKey: [] }] : [{ apiKey: [] }, { session: [] }, { sessionCookie: [] }],
    ...describeInput(endpoint, shapes),
    responses: {
      "200": {
        description: summary,
        headers: describeHeaders({ ...COMMON_HEADERS, ...LIMIT_HEADERS }),
        content: isStream(endpoint)
          ? { [NDJSON]: { schema: { $ref: schemaPath(`${name}Line`) }, example } }
          : json(`${name}Response`, { example: { success: true, data: example, error: null, meta: META } }),
      },
      ...FAILURES_BY_STATUS,
    },
  };
}

/** The API's base, which paths are described below. */
const BASE = "/api/v1";

/** The operations of every path, by method. */
function describePaths(groups: readonly EndpointGroup[], shapes: Shapes) {
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {};
  for (const { prefixes, keysOnly, endpoints } of groups) {
    for (const endpoint of endpoints) {
      const path = `${prefixes[0]?.slice(BASE.length)}${endpoint.path}`;
      paths[path] = {
        ...paths[path],
        [endpoint.method.toLowerCase()]: describeOperation(endpoint, keysOnly, shapes),
      };
    }
  }
  return paths;
}

/** The REST surface in OpenAPI 3.1, from the same endpoints that serve it. */
export function describeApi(groups: readonly EndpointGroup[]) {
  const shapes = nameShapes(groups);
  return {
    openapi: "3.1.0",
    info: {
      title: "Carbon Gateway external API",
      version: API_VERSION,
      description:
        "Read-only emission, compliance, carbon-credit, benchmark and market-price data of one organization. Every response has the same envelope. Clients must ignore unknown properties.",
      contact: { name: "Support of the service. Quote the request id." },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: BASE }],
    tags: [TAG],
    paths: describePaths(groups, shapes),
    components: {
      schemas: describeSchemas(shapes),
      responses: FAILURES,
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An API key of the organization.",
        },
        session: {
          type: "http",
          scheme: "bearer",
          description: "The access token of a session, from signing in.",
        },
        sessionCookie: {
          type: "apiKey",
          in: "cookie",
          name: SESSION_COOKIE,
          description: "The cookie of a browser's session, from signing in.",
        },
      },
    },
  };
}
