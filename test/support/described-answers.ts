import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { inject } from "vitest";
import { REST_PREFIXES, V1_PREFIXES } from "../../src/http/surface.js";
import { describeOwnApi } from "./served.js";

interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON. */
  readonly body: unknown;
}

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly required: boolean }>>;
  readonly content?: Readonly<Record<string, object>>;
}

/** An operation of /openapi.json, which is at `pointer`. */
interface Operation {
  readonly name: string;
  readonly pointer: string;
  readonly responses: Readonly<Record<string, Response>>;
}

/** Headers that the description must list, in lower case. */
const LISTED =
  /^(x-request-id|x-?ratelimit.*|ratelimit.*|retry-after|www-authenticate|allow|location|etag|set-cookie|idempotency-replayed)$/;

/** Returns a description whose schemas also reject unnamed properties: clients accept them, the gateway sends none. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== "object" || value === null) return value;
  const closed = Object.fromEntries(
    Object.entries(value).map(([name, below]) => [name, /^examples?$/.test(name) ? below : close(below)]),
  );
  return "properties" in value && "type" in value ? { ...closed, additionalProperties: false } : closed;
}

/** Returns the part of a description to which a reference points. */
const follow = (root: object, reference: string) =>
  reference
    .split("/")
    .slice(1)
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], root);

const escapePointer = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

async function openDescription() {
  const description = await describeOwnApi();
  // A different library from the one that writes the description. OpenAPI 3.1 uses JSON Schema 2020-12.
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats.default(ajv);
  ajv.addVocabulary(Object.keys(description));
  ajv.addSchema(close(description) as object, "openapi");

  /** Operations by method and number of segments; paths with fewer parameters first. */
  const operations = new Map<string, { pattern: RegExp; parameters: number; operation: Operation }[]>();
  for (const [path, methods] of Object.entries(description.paths)) {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    for (const [method, { responses }] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const operation = { name, pointer: `#/paths/${escapePointer(path)}/${method}`, responses };
      const found = operations.get(method) ?? [];
      found.push({ pattern, parameters: path.split("{").length, operation });
      operations.set(
        method,
        found.toSorted((one, other) => one.parameters - other.parameters),
      );
    }
  }

  const received = new Set<string>();
  const record = (line: string) => {
    const folder = inject("answersFolder");
    if (received.has(line) || folder === undefined) return;
    received.add(line);
    appendFileSync(join(folder, String(process.pid)), `${line}\n`);
  };

  return {
    find: (method: string, path: string) =>
      operations.get(method.toLowerCase())?.find(({ pattern }) => pattern.test(path))?.operation,

    /** Lists how an answer differs from its description. */
    judge({ name, pointer, responses }: Operation, { status, headers, body }: Received): string[] {
      const listed = status in responses ? String(status) : "default";
      record(`${name} ${listed}`);
      const entry = responses[listed];
      if (entry === undefined || (listed === "default" && status < 400))
        return [`does not list the status ${status}`];
      const response = entry.$ref ? (follow(description, entry.$ref) as Response) : entry;
      const content = response.content ?? {};
      const type = headers.get("content-type")?.split(";")[0] ?? "";
      const at = entry.$ref ?? `${pointer}/responses/${listed}`;
      const violations = type in content ? violationsOf(`${at}/content/${escapePointer(type)}`, body) : [];
      const isUnlisted = !(type in content) && (type !== "" || Object.keys(content).length > 0);
      const described = Object.entries(response.headers ?? {});
      const names = described.map(([name]) => name.toLowerCase());
      return [
        ...violations,
        ...(isUnlisted ? [`does not list the content type ${type || "none"}`] : []),
        ...described.flatMap(([name, { required }]) =>
          required && !headers.has(name) ? [`requires the header ${name}`] : [],
        ),
        ...[...headers.keys()].flatMap((name) =>
          LISTED.test(name) && !names.includes(name) ? [`does not list the header ${name}`] : [],
        ),
      ];
    },
  };

  /** Lists the violations of the schema of content at a pointer. A file of JSON lines is described by one line. */
  function violationsOf(at: string, body: unknown): string[] {
    const values = at.endsWith("x-ndjson") ? linesOf(String(body)) : [body];
    const validate = ajv.getSchema(`openapi${at}/schema`);
    if (!validate) return ["has no schema"];
    return values.flatMap((value) => (validate(value) ? [] : [ajv.errorsText(validate.errors)]));
  }
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** Returns a path below the base of the description; undefined if it is outside. */
function pathOf(url: string): string | undefined {
  const { pathname } = new URL(url, "http://gateway");
  const prefix = [...REST_PREFIXES, ...V1_PREFIXES].find((each) => pathname.startsWith(`${each}/`));
  if (prefix === undefined) return undefined;
  const path = pathname.slice(prefix.length);
  return REST_PREFIXES.some((each) => each === prefix) ? `/ext/v1${path}` : path;
}

let opening: ReturnType<typeof openDescription> | undefined;

/** Throws if an answer to a request of the REST API is not as /openapi.json describes it. */
export async function expectDescribed(url: string, method: string, answer: Received): Promise<void> {
  const path = pathOf(url);
  if (path === undefined) return;
  opening ??= openDescription();
  const { find, judge } = await opening;
  const operation = find(method, path);
  if (!operation) return;
  const differences = judge(operation, answer);
  if (differences.length === 0) return;
  const { status, body } = answer;
  throw new Error(
    `/openapi.json about ${operation.name} ${status} ${differences.join(", ")}: ${JSON.stringify(body)}`,
  );
}
