import { z } from "zod";
import { API_VERSION } from "../http/envelope.js";
import { type Endpoint, type EndpointGroup, nameOf } from "./endpoint.js";
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

/** Every named shape as JSON Schema. Shapes allow unknown properties, since later versions may add some. */
function describeSchemas() {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io: "input",
    uri: schemaPath,
    override({ jsonSchema }) {
      // The format says it already. Counts may exceed the 32 bits that generators assume for an integer.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.type === "integer") jsonSchema.format = "int64";
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  );
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

function describeInput({ input: { params, query, body } }: Endpoint) {
  const parameters = [...describeParameters("path", params), ...describeParameters("query", query)];
  const { id } = (body && z.globalRegistry.get(body)) ?? {};
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(id !== undefined && { requestBody: { required: true, content: json(id) } }),
  };
}

function describeOperation(endpoint: Endpoint) {
  const { method, summary, scope, example } = endpoint;
  const name = nameOf(endpoint);
  return {
    operationId: method === "GET" ? `get${name}` : name.charAt(0).toLowerCase() + name.slice(1),
    tags: [TAG.name],
    summary,
    description: `Needs the scope \`${scope}\`.`,
    security: [{ apiKey: [] }],
    ...describeInput(endpoint),
    responses: {
      "200": {
        description: summary,
        headers: describeHeaders({ ...COMMON_HEADERS, ...LIMIT_HEADERS }),
        content: json(`${name}Response`, {
          example: { success: true, data: example, error: null, meta: META },
        }),
      },
      ...FAILURES_BY_STATUS,
    },
  };
}

/** The API's base, which paths are described below. */
const BASE = "/api/v1";

/** The operations of every path, by method. */
function describePaths(groups: readonly EndpointGroup[]) {
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {};
  for (const { prefixes, endpoints } of groups) {
    for (const endpoint of endpoints) {
      const path = `${prefixes[0]?.slice(BASE.length)}${endpoint.path}`;
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint) };
    }
  }
  return paths;
}

/** The REST surface in OpenAPI 3.1, from the same endpoints that serve it. */
export function describeApi(groups: readonly EndpointGroup[]) {
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
    paths: describePaths(groups),
    components: {
      schemas: describeSchemas(),
      responses: FAILURES,
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An API key of the organization.",
        },
      },
    },
  };
}
