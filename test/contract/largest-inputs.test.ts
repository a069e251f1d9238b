import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { createTools } from "../../src/catalogue/tools/tool.js";
import { OPERATIONS } from "../../src/generated/catalogue.js";
import { scopesOfDocument } from "../../src/graphql/schema/document-scopes.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { JSON_LIMITS } from "../../src/http/body/json-limits.js";
import { costOfDocument, limitQueries, QUERY_LIMITS } from "../../src/limits/cost/query-limits.js";
import { REFERENCE_FOLDER, SAMPLE_FOLDER, SCHEMA_FILE } from "../../src/paths.js";
import { isAboutSession, isUpload } from "../../src/rest/endpoint.js";
import type { ValueSchema } from "../fuzz/json-values.js";
import { requireQuickNeighbour } from "../fuzz/neighbour.js";
import { IS_FULL, inShort } from "../support/full.js";
import { type Filling, largestBody, largestOf } from "../support/largest-inputs.js";
import { callMessage } from "../support/mcp.js";
import { SAMPLE_ID } from "../support/mutations.js";
import { addMember, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { FOR_SUPER_ADMINS } from "../support/selections.js";
import { type Gateway, makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { listV1 } from "../support/v1.js";

type Field = GraphQLField<unknown, unknown>;
interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

let gateway: Gateway;
let schema: GraphQLSchema;
let operations: (readonly [root: string, name: string, operation: Operation])[];
let owner: TestPerson;
let admin: TestPerson;
let neighbour: string;

const TIME_LIMIT = 900_000;

beforeAll(async () => {
  schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
  // Before the gateway starts: this takes seconds of the process that both share.
  operations = listCalls().flatMap(([name, kind, path, field], index) =>
    operationsOf(kind, path, field, index).map((operation) => [path[0] ?? name, name, operation] as const),
  );
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999999" } });
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
  await loadFactors(gateway.database, REFERENCE_FOLDER);
  await gateway.database.prisma.organization.update({
    where: { slug: "demo" },
    data: { plan: "enterprise" },
  });
  [owner, admin] = [await addMember(gateway, "demo", "owner"), await signUpSuperAdmin(gateway)];
  neighbour = await makeOrganization(gateway.database);
}, TIME_LIMIT);
afterAll(() => gateway.stop());

/** In the short form, returns one of several inputs: a different one for each of the things that take them. */
const oneOf = <Input>(inputs: readonly Input[], thing: number) =>
  inShort(inputs, (_, index) => index === thing % inputs.length);

/** Bytes of values in a body: the limit less some for the text around them. */
const MAX_BYTES = 250_000;
const MAX_BYTES_OF_RECORDS = 2_000_000;
/** Node.js accepts 16 kB of headers, with the path. */
const MAX_BYTES_OF_QUERY = 8_000;
const LENGTHS = [200_000, 20_000, 2_000, 200, 40, 10];

/** Returns the approximate bytes of a value as JSON, and its number of values. */
function sizeOf(value: unknown): { bytes: number; values: number } {
  if (typeof value !== "object" || value === null) return { bytes: String(value).length + 3, values: 1 };
  const size = { bytes: 2, values: 1 };
  for (const [name, each] of Object.entries(value)) {
    const { bytes, values } = sizeOf(each);
    size.bytes += bytes + (Array.isArray(value) ? 0 : name.length + 3);
    size.values += values;
  }
  return size;
}
function fits(value: unknown, maxBytes = MAX_BYTES): boolean {
  const { bytes, values } = sizeOf(value);
  return bytes <= maxBytes && values <= JSON_LIMITS.values;
}

/** Fields that need one of two arguments. */
const NEEDS_ONE_OF = ["facility"];

/** Selects the fields without required arguments of a type, and of its objects down to `depth`. */
function select(type: GraphQLObjectType, depth: number): string {
  const parts = Object.values(type.getFields()).map((field) => {
    const below = getNamedType(field.type);
    if (field.args.some(isRequiredArgument)) return "";
    if (!isObjectType(below)) return field.name;
    const first = field.args.find(({ name }) => name === "first");
    const size = first ? `(first: ${largestOf(first, { longest: 1, seed: 1, isPlausible: true })})` : "";
    if (NEEDS_ONE_OF.includes(field.name)) return "";
    return depth === 0 ? "" : `${field.name}${size} ${select(below, depth - 1)}`;
  });
  return `{ __typename ${parts.join(" ")} }`;
}

/** Repeats a field under aliases, each with separate variables. */
function repeat(
  kind: string,
  path: readonly string[],
  field: Field,
  depth: number,
  count: number,
  filling: Filling,
) {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const calls = Array.from({ length: count }, (_, index) => {
    const given = field.args.flatMap((argument) => {
      const value = largestOf(argument, { ...filling, seed: filling.seed + 7 * index }, field.name);
      if (value === undefined) return [];
      const name = `${argument.name}${index}`;
      variables[name] = value;
      declared.push(`$${name}: ${argument.type}`);
      return [`${argument.name}: $${name}`];
    });
    const type = getNamedType(field.type);
    const below = isObjectType(type) ? select(type, depth) : "";
    return `a${index}: ${field.name}${given.length > 0 ? `(${given.join(", ")})` : ""} ${below}`;
  });
  const head = declared.length > 0 ? `(${declared.join(", ")})` : "";
  const inner = path.reduceRight((text, name) => `${name} { ${text} }`, calls.join(" "));
  return { query: `${kind} ${head} { ${inner} }`, variables };
}

function isAllowed({ query, variables }: Operation): boolean {
  try {
    const document = parse(query, { maxTokens: QUERY_LIMITS.tokens });
    if (validate(schema, document, [...specifiedRules, limitQueries]).length > 0) return false;
    costOfDocument(schema, document, variables, "enterprise");
    return true;
  } catch {
    return false;
  }
}

/** Returns the largest operations of a field within the limits: flat, deep, and with the longest strings. */
function operationsOf(kind: string, path: readonly string[], field: Field, thing: number): Operation[] {
  const largest = (depths: readonly number[], isPlausible: boolean): Operation[] => {
    for (const depth of depths) {
      for (const count of [20, 10, 5, 2, 1]) {
        const operation = LENGTHS.map((longest) =>
          repeat(kind, path, field, depth, count, { longest, seed: 1, isPlausible }),
        ).find(({ variables }) => fits(variables));
        if (operation && isAllowed(operation)) return [operation];
      }
    }
    return [];
  };
  const forms = [() => largest([0], true), () => largest([4, 3, 2, 1], true), () => largest([0], false)];
  if (IS_FULL) return forms.flatMap((form) => form());
  const first = thing % forms.length;
  // No operation of a form may be within the limits.
  for (const form of [...forms.slice(first), ...forms.slice(0, first)]) {
    const operations = form();
    if (operations.length > 0) return operations;
  }
  return [];
}

/** Lists every root field, and the fields with arguments of its result. */
function listCalls(): (readonly [name: string, kind: string, path: readonly string[], field: Field])[] {
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  return [
    ...queries.map((field) => [field.name, "query", [], field] as const),
    ...queries.flatMap((root) => {
      const type = getNamedType(root.type);
      if (!isObjectType(type) || root.args.some(isRequiredArgument)) return [];
      return Object.values(type.getFields())
        .filter(({ args }) => args.length > 0)
        .map((field) => [`${root.name}.${field.name}`, "query", [root.name], field] as const);
    }),
    ...mutations.map((field) => [field.name, "mutation", [], field] as const),
  ];
}

/**
 * Sends a request; the status is 400 if GraphQL answers with errors. The gateway runs in this process: parsing megabytes of an
 * answer here would make others wait, too.
 */
async function send(
  person: TestPerson,
  method: string,
  path: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await fetch(gateway.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${person.session.token}`,
      "Content-Type": "application/json",
      "Accept-Encoding": "identity",
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  let start = "";
  for await (const chunk of answer.body ?? []) start ||= Buffer.from(chunk).toString("latin1", 0, 10);
  return { status: start.startsWith('{"errors"') ? 400 : answer.status };
}

/** Arguments of tools that need an existing object. */
const NAMED: Readonly<Record<string, object>> = {
  get_facility: { code: "IN-PUNE" },
  get_price_history: { credit_type: "EUA" },
  search_emission_factors: { search: "e" },
};

/** Writes query parameters; those with several values are repeated. */
function toQuery(parameters: unknown): string {
  const pairs = Object.entries(parameters ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

type Request = readonly [name: string, run: () => Promise<{ readonly status: number }>];

/** Runs requests one after another; returns those that delayed another organization, and the number of successes. */
async function run(requests: readonly Request[]) {
  const outcome = { offenders: [] as string[], succeeded: 0 };
  const askWith = (key: string) => async () => {
    const answer = await fetch(`${gateway.url}/api/v1/ext/v1/emissions`, { headers: { "X-API-Key": key } });
    if ((await answer.text()).length === 0 || !answer.ok) throw new Error(`it got ${answer.status}`);
  };
  // A gateway that has just started is slow with its first answers.
  const { key: first } = await makeKey(gateway.database, neighbour);
  for (let count = 0; count < 50; count++) await askWith(first)();
  for (const [name, send] of requests) {
    const { key } = await makeKey(gateway.database, neighbour);
    const ask = askWith(key);
    await requireQuickNeighbour(send, ask).then(
      ({ status }) => {
        outcome.succeeded += status < 300 ? 1 : 0;
      },
      (error: Error) => outcome.offenders.push(`${name}: ${error.message}`),
    );
  }
  return outcome;
}

// The embedded database runs in this process, so its statements block everyone.
describe.skipIf(inject("template").kind === "embedded")(
  "the largest input that the limits allow lets another organization wait for at most 50 ms",
  () => {
    it(
      "in every field of Query and below, and in every mutation",
      async () => {
        const requests = operations.map(([root, name, { query, variables }]): Request => {
          const person = FOR_SUPER_ADMINS.includes(root) ? admin : owner;
          return [
            `${name} (${query.length} characters, ${JSON.stringify(variables).length} bytes)`,
            () => send(person, "POST", "/graphql", JSON.stringify({ query, variables })),
          ];
        });
        const { offenders, succeeded } = await run(requests);
        expect(offenders).toEqual([]);
        expect(succeeded).toBeGreaterThan(requests.length / 3);
      },
      TIME_LIMIT,
    );

    it(
      "in every endpoint that answers once",
      async () => {
        const endpoints = (await listV1()).filter(
          (endpoint) => !isUpload(endpoint) && !("listen" in endpoint) && !isAboutSession(endpoint),
        );
        const requests = endpoints.flatMap(({ method, path, input, ...endpoint }, index): Request[] => {
          const max = "bodyLimit" in endpoint && endpoint.bodyLimit ? MAX_BYTES_OF_RECORDS : MAX_BYTES;
          const largest = (shape: z.ZodType | undefined, isPlausible: boolean, maxBytes: number) => {
            if (!shape) return undefined;
            const schema = z.toJSONSchema(shape, { io: "input" }) as ValueSchema;
            const all = [false, true].flatMap((isAsStated) =>
              LENGTHS.map((longest) => largestBody(schema, { seed: 1, isPlausible, longest, isAsStated })),
            );
            return (
              all.find((one) => fits(one, maxBytes)) ?? assert.fail(`no input of ${method} ${path} fits`)
            );
          };
          const at = `/v1${path.replaceAll(/\{\w+\}/g, SAMPLE_ID)}`;
          return oneOf([true, false], index).map((isPlausible) => {
            const body = largest(input.body, isPlausible, max);
            const query = toQuery(largest(input.query, isPlausible, MAX_BYTES_OF_QUERY));
            const text = body && JSON.stringify(body);
            return [
              `${method} ${path} (${query.length} characters, ${text?.length ?? 0} bytes)`,
              () => send(owner, method, at + query, text),
            ];
          });
        });
        const { offenders } = await run(requests);
        expect(offenders).toEqual([]);
        expect(requests.length).toBeGreaterThan(IS_FULL ? 400 : 200);
      },
      TIME_LIMIT,
    );

    it(
      "in every tool",
      async () => {
        const tools = [...createTools(schema, OPERATIONS, scopesOfDocument).values()];
        const requests = tools.flatMap(({ name, inputSchema }, index): Request[] =>
          oneOf([true, false], index).map((isPlausible) => {
            const filling = { seed: 1, isPlausible, isAsStated: true, isTool: true };
            const all = LENGTHS.map((longest) => ({
              ...(largestBody(inputSchema as ValueSchema, { ...filling, longest }) as object),
              ...(isPlausible && NAMED[name]),
            }));
            const { headers, body } = callMessage(name, all.find((given) => fits(given)) ?? {});
            return [`${name} (${body.length} bytes)`, () => send(owner, "POST", "/mcp", body, headers)];
          }),
        );
        const { offenders } = await run(requests);
        expect(offenders).toEqual([]);
      },
      TIME_LIMIT,
    );
  },
);
