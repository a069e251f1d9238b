import { z } from "zod";
import { listScopes } from "../../catalogue/callable.js";
import { KEY_SCOPES } from "../../domain/scopes.js";
import {
  acceptsBasic,
  acceptsIfMatch,
  type Endpoint,
  hasETag,
  hasScope,
  isDownload,
  isLive,
  isMutation,
  isRepeatable,
  isStream,
  isUpload,
} from "../endpoint.js";
import {
  COMMON_HEADERS,
  describeHeaders,
  FAILURES_BY_STATUS,
  json,
  LIMIT_HEADERS,
  META,
  schemaPath,
} from "./failures.js";
import { nameOf, type Shapes } from "./shapes.js";
import { describeFailures } from "./wider-failures.js";

/** Tags of endpoints: one for each folder of src/operations, and `data` for the external API. */
export const AREAS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  data: { name: "Data", description: "Data of the organization, for API keys." },
  emissions: {
    name: "Emissions",
    description: "Emission records, facilities, imports and totals.",
  },
  inventory: {
    name: "Inventory",
    description: "Greenhouse gas inventories: their boundary, electricity contracts, issues and targets.",
  },
  calculations: { name: "Calculations", description: "Emission factors, and calculations with them." },
  credits: { name: "Credits", description: "Carbon credits: issued, sold and retired." },
  compliance: { name: "Compliance", description: "Frameworks, deadlines and CCTS periods." },
  cbam: {
    name: "CBAM",
    description: "Estimates and declarations under the EU's Carbon Border Adjustment Mechanism.",
  },
  foresight: { name: "Foresight", description: "Forecasts, predictions, anomalies and insights." },
  markets: { name: "Markets", description: "Carbon prices and the price index." },
  people: { name: "People", description: "Signing in, sessions, members, invitations and notifications." },
  keys: { name: "API keys", description: "The organization's API keys." },
  verification: {
    name: "Verification",
    description: "Verification of periods, and certificates.",
  },
  chat: { name: "Questions", description: "Questions about the data, and their answers." },
  events: { name: "Events", description: "Events in order, read in pages or streamed as they happen." },
  webhooks: { name: "Webhooks", description: "Endpoints that receive the organization's events." },
  audit: { name: "Audit", description: "Audit trail of changes, with actors and times." },
  changes: { name: "Changes", description: "Changes, for keeping copies in sync." },
  platform: { name: "Platform", description: "Announcements, and figures for the operators of the service." },
};

function tagOf({ area = "data" }: Endpoint): string {
  const tag = AREAS[area];
  if (!tag) throw new Error(`there is no tag for endpoints of the area ${area}`);
  return tag.name;
}

/** Result of `toJSONSchema` for an object's shape. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/** Describes path or query parameters, one for each property of their shape. */
function describeParameters(place: "path" | "query", shape: z.ZodType | undefined) {
  if (!shape) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(shape, { io: "input" }) as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

const IF_MATCH = {
  name: "If-Match",
  in: "header",
  required: false,
  schema: { type: "string" },
  description:
    "`ETag` of the version that the caller last read. If it has changed since, the answer is a conflict, unless the values are already as sent.",
};

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 257 },
  description:
    "A key of the caller's choice, such as a UUID: 1 to 255 printable ASCII characters, plain or in double quotes. If the request succeeded, repeating it with the same key within 24 hours returns the same answer, and changes nothing. A request that failed can be sent again with the same key.",
};

const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  required: false,
  schema: { type: "string" },
  description: "`ETag` of the version that the caller has. The response is 304 if nothing has changed since.",
};

function describeInput(endpoint: Endpoint, shapes: Shapes) {
  const { params, query, body } = endpoint.input;
  const parameters = [
    ...describeParameters("path", params),
    ...describeParameters("query", query),
    ...(hasETag(endpoint) && params && endpoint.method === "GET" ? [IF_NONE_MATCH] : []),
    ...(acceptsIfMatch(endpoint) ? [IF_MATCH] : []),
    ...(isRepeatable(endpoint) ? [IDEMPOTENCY_KEY] : []),
  ];
  const { id } = (body && shapes.get(body)) ?? {};
  const required = body?.safeParse(undefined).success === false;
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(id !== undefined && { requestBody: { required, content: json(id) } }),
    ...(isUpload(endpoint) && { requestBody: { required: true, content: describeFile(endpoint.fileType) } }),
  };
}

/** Describes a file as the body or in a form. */
const describeFile = (fileType: string) => ({
  [fileType]: { schema: { type: "string" } },
  "multipart/form-data": {
    schema: {
      type: "object",
      required: ["file"],
      additionalProperties: false,
      properties: { file: { type: "string", format: "binary" } },
    },
  },
});

const EVENT_STREAM = "text/event-stream";
/** Media type with one JSON object per line. */
const NDJSON = "application/x-ndjson";
const CSV = "text/csv";

/** Returns a header row and one example row. */
const csvOf = (columns: readonly string[], example: unknown) =>
  [columns, columns.map((column) => (example as Record<string, string>)[column])]
    .map((row) => `${row.join()}\n`)
    .join("");

/** Returns the credentials or scopes that an endpoint needs, such as `a session`. */
export function describeNeed(endpoint: Endpoint): string {
  if (!hasScope(endpoint)) return endpoint.needsSession ? "a session" : "no credentials";
  if (endpoint.scope === null) return "a session";
  const scopes = listScopes(endpoint.scope).map((scope) => `\`${scope}\``);
  if (scopes.length === 0) return "a session, a service account token or an API key";
  return `the ${scopes.length === 1 ? "scope" : "scopes"} ${scopes.join(" and ")}`;
}

const SESSION = [{ session: [] }, { sessionCookie: [] }];
const KEY = [{ apiKey: [] }];
const BASIC = [{ basic: [] }];

/** Returns the alternative credentials that an endpoint accepts; empty if it needs none. */
function describeSecurity(endpoint: Endpoint, keysOnly: boolean) {
  if (keysOnly) return KEY;
  if (!hasScope(endpoint)) return endpoint.needsSession ? SESSION : [];
  const scopes: readonly string[] = listScopes(endpoint.scope);
  const isForKeys =
    endpoint.scope !== null && scopes.every((scope) => KEY_SCOPES.some((known) => known === scope));
  const keys = acceptsBasic(endpoint.path) ? [...KEY, ...BASIC] : KEY;
  return isForKeys && !isMutation(endpoint) ? [...keys, ...SESSION] : SESSION;
}

const ETag =
  'The current version, such as `"3"`; where the answer also has data of other things, followed by a digest, such as `"3-…"`.';

function describeContent(endpoint: Endpoint, name: string) {
  const { example } = endpoint;
  if (isDownload(endpoint)) {
    return Object.fromEntries(
      Object.entries(endpoint.files).map(([type, example]) => [
        type,
        { schema: { type: typeof example }, example },
      ]),
    );
  }
  if (isLive(endpoint)) return { [EVENT_STREAM]: { schema: { type: "string" }, example } };
  if (!isStream(endpoint)) {
    return json(`${name}Response`, { example: { success: true, data: example, error: null, meta: META } });
  }
  return endpoint.columns
    ? { [CSV]: { schema: { type: "string" }, example: csvOf(endpoint.columns, example) } }
    : { [NDJSON]: { schema: { $ref: schemaPath(`${name}Line`) }, example } };
}

/**
 * Describes the successful responses: 201 if the endpoint creates something, 202 if the outcome is decided later, and
 * 200 if it may create nothing.
 */
function describeSuccess(endpoint: Endpoint, name: string) {
  const { summary, creates } = endpoint;
  const always = {
    ...COMMON_HEADERS,
    ...(hasScope(endpoint) && LIMIT_HEADERS),
    ...(hasETag(endpoint) && !creates && { ETag }),
  };
  const sometimes = {
    // An endpoint that creates several objects has no version.
    ...(hasETag(endpoint) && creates && { ETag }),
    ...(isRepeatable(endpoint) && {
      "Idempotency-Replayed": "`true` if this repeats the answer to an earlier request.",
    }),
    ...(isDownload(endpoint) && {
      "Content-Disposition": "Name of the file.",
      "Sync-Cursor": "Cursor for the changes to emission records since this export.",
    }),
    ...("setsCookie" in endpoint &&
      endpoint.setsCookie && { "Set-Cookie": "The cookie of a browser's session; empty once it has ended." }),
  };
  const content = describeContent(endpoint, name);
  const success = { description: summary, headers: describeHeaders(always, sometimes), content };
  if (!creates) return { [endpoint.isAccepted ? "202" : "200"]: success };
  const headers = describeHeaders({ ...always, Location: "Path of the created resource." }, sometimes);
  return {
    ...(creates === "sometimes" && {
      "200": { ...success, description: `${summary}: it already existed` },
    }),
    "201": { ...success, headers },
  };
}

const NOT_MODIFIED = {
  description: "The caller has the current version.",
  headers: describeHeaders({ ...COMMON_HEADERS, ...LIMIT_HEADERS, ETag }),
};

function operationIdOf(endpoint: Endpoint, name: string): string {
  if ("name" in endpoint && endpoint.name !== undefined) return endpoint.name;
  return endpoint.method === "GET" ? `get${name}` : name.charAt(0).toLowerCase() + name.slice(1);
}

/** Describes an endpoint as an OpenAPI operation. */
export function describeOperation(endpoint: Endpoint, keysOnly: boolean, shapes: Shapes) {
  const { method, summary } = endpoint;
  const name = nameOf(endpoint);
  return {
    operationId: operationIdOf(endpoint, name),
    tags: [tagOf(endpoint)],
    summary,
    description: `Needs ${describeNeed(endpoint)}.`,
    security: describeSecurity(endpoint, keysOnly),
    ...describeInput(endpoint, shapes),
    responses: {
      ...describeSuccess(endpoint, name),
      ...(hasETag(endpoint) && method === "GET" && endpoint.input.params && { "304": NOT_MODIFIED }),
      ...(keysOnly ? FAILURES_BY_STATUS : describeFailures(endpoint)),
    },
  };
}
