import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { ERROR_STATUS } from "../../src/errors.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { AREAS } from "../../src/rest/openapi/operations.js";
import { SSO_STEPS } from "../../src/rest/sso/describe.js";
import { addBenchmark, addPrice, addTenantData } from "../support/fixtures.js";
import { requestRaw, sendRaw } from "../support/raw.js";
import { type Answer, type Gateway, makeKey, makeOrganization, startGateway } from "../support/server.js";
import { listV1 } from "../support/v1.js";

type JsonSchema = Record<string, unknown>;
interface Described {
  description: string;
  headers: Record<string, { description: string; required: boolean; schema: JsonSchema }>;
  content: {
    "application/json": {
      schema: JsonSchema;
      example?: unknown;
      examples?: Record<string, { value: unknown }>;
    };
  };
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  responses: Record<string, Described>;
}
interface OpenApi {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, object> };
  paths: Record<string, { get: Operation }>;
}

let gateway: Gateway;
/** The description as served. */
let served: OpenApi;
/** The description with its references resolved. */
let api: OpenApi;

/** Returns a value of the description with its references resolved. */
function resolve(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolve);
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) {
    return Object.fromEntries(Object.entries(value).map(([name, below]) => [name, resolve(below)]));
  }
  const [root, ...path] = $ref.split("/");
  const found = path.reduce<unknown>(
    (at, name) => (at as Record<string, unknown> | undefined)?.[name],
    served,
  );
  if (root !== "#" || found === undefined) throw new Error(`${$ref} is not there`);
  return resolve(found);
}

/** Returns a schema that also refuses unnamed properties: clients must accept them, but the gateway must not send any. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([name, below]) => [name, close(below)]));
  return "properties" in schema && "type" in schema ? { ...closed, additionalProperties: false } : closed;
}

beforeAll(async () => {
  gateway = await startGateway();
  served = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApi;
  api = resolve(served) as OpenApi;
});
afterAll(() => gateway.stop());

const paths = endpoints.map(({ path }) => path);
const operationOf = (path: string) => {
  const operation = api.paths[`/ext/v1${path}`]?.get;
  if (!operation) throw new Error(`/openapi.json lacks ${path}`);
  return operation;
};

/** The body of a refusal with 429. */
const refusalOf = (message: RegExp) => ({
  success: false,
  data: null,
  error: { code: "RATE_LIMIT_EXCEEDED", message: expect.stringMatching(message) },
  meta: expect.anything(),
});

// A different library from the one that writes the descriptions. OpenAPI 3.1 uses JSON Schema 2020-12.
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
/** Returns a body's violations of a schema; null if there are none. */
const judge = (schema: JsonSchema | undefined, body: unknown) =>
  ajv.validate(schema ?? false, body) ? null : ajv.errorsText();

/** Expects a body that matches the description of the endpoint's status. */
function expectDescribed(path: string, status: number | string, body: unknown): void {
  const described = operationOf(path).responses[status]?.content["application/json"];
  expect(described, `${path} ${status}`).toBeDefined();
  const schema = close(described?.schema) as JsonSchema;
  expect([path, status, body, judge(schema, body)]).toEqual([path, status, body, null]);
}

/** Matches the headers of the contract, in lower case. */
const OF_THE_CONTRACT = /^(x-request-id|x-?ratelimit.*|retry-after|www-authenticate|allow)$/;

/** Expects a body and headers that match the description: all required headers, and no undescribed ones. */
function expectDescribedAnswer(path: string, { status, headers, body }: Answer): void {
  expectDescribed(path, status, body);
  const described = Object.entries(operationOf(path).responses[status]?.headers ?? {});
  const required = described.filter(([, header]) => header.required);
  expect([path, status, [...headers.keys()]]).toEqual([
    path,
    status,
    expect.arrayContaining(required.map(([name]) => name.toLowerCase())),
  ]);
  const names = described.map(([name]) => name.toLowerCase());
  const unknown = [...headers.keys()].filter((name) => OF_THE_CONTRACT.test(name) && !names.includes(name));
  expect([path, status, unknown]).toEqual([path, status, []]);
}

describe("GET /openapi.json", () => {
  it("needs no key, and is OpenAPI 3.1", async () => {
    const answer = await fetch(`${gateway.url}/openapi.json`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "application/json; charset=utf-8",
    ]);
    expect(api).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Carbon Gateway external API", version: "1.0" },
      servers: [{ url: "/api/v1" }],
      components: {
        securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "X-API-Key" } },
      },
    });
  });

  it("is valid by the specification's own schema, which detects an invalid document", async () => {
    const validate = async (described: object) => {
      const validator = new Validator();
      const { valid, errors } = await validator.validate(
        structuredClone(described) as Record<string, unknown>,
      );
      return [valid, validator.version, errors];
    };
    expect(await validate(served)).toEqual([true, "3.1", undefined]);
    const { title: _, ...info } = served.info;
    expect(await validate({ ...served, info })).toEqual([false, "3.1", expect.anything()]);
  });

  it("describes the headers of every answer: always the request id, and the budget if a key was accepted", () => {
    const budget = [
      "RateLimit-Policy",
      "RateLimit",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
    ];
    for (const path of paths) {
      const headers = Object.entries(operationOf(path).responses).map(([status, described]) => {
        const names = (required: boolean) =>
          Object.entries(described.headers).flatMap(([name, header]) =>
            header.required === required ? [name] : [],
          );
        return [status, names(true), names(false)];
      });
      expect(headers).toEqual([
        ["200", ["X-Request-Id", ...budget], []],
        ["401", ["X-Request-Id", "WWW-Authenticate"], budget],
        ["429", ["X-Request-Id", "Retry-After"], budget],
        ["500", ["X-Request-Id"], [...budget, "Retry-After"]],
        ["default", ["X-Request-Id"], ["Allow"]],
      ]);
    }
  });

  it("has examples of a key with a spent budget and of an address that guesses", () => {
    for (const path of paths) {
      const { examples } = operationOf(path).responses["429"]?.content["application/json"] ?? {};
      expect(examples).toEqual({
        budgetSpent: { value: refusalOf(/^Rate limit exceeded: 100 requests per hour \(free tier\)/) },
        tooManyFailures: { value: refusalOf(/^Too many requests without a valid API key/) },
      });
    }
  });

  it("describes exactly the endpoints of the contract, each with its scope and its own id", () => {
    const external = Object.entries(api.paths).filter(([path]) => path.startsWith("/ext/v1/"));
    const operations = external.map(([path, { get, ...others }]) => [
      path,
      get.operationId,
      /`(read:\w+)`/.exec(get.description)?.[1],
      get.security,
      Object.keys(get.responses),
      others,
    ]);
    expect(operations).toEqual(
      KEY_SCOPES.map((scope) => {
        const name = scope.replace("read:", "");
        const id = `get${name.charAt(0).toUpperCase()}${name.slice(1)}`;
        return [`/ext/v1/${name}`, id, scope, [{ apiKey: [] }], ["200", "401", "429", "500", "default"], {}];
      }),
    );
  });

  it("describes every endpoint of the wider API, with its own id and requirements", async () => {
    const isStep = (path: string) => path.startsWith("/auth/sso/");
    expect(Object.keys(api.paths).filter(isStep)).toEqual(SSO_STEPS.map(({ path }) => path));
    const described = Object.entries(api.paths)
      .filter(([path]) => !path.startsWith("/ext/v1/") && !isStep(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
          endpoint: `${method.toUpperCase()} ${path}`,
          operation,
        })),
      );
    expect(described.map(({ endpoint }) => endpoint).toSorted()).toEqual(
      (await listV1()).map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    const ids = described.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { endpoint, operation } of described) {
      const { description, responses } = operation;
      expect([endpoint, description]).toEqual([
        endpoint,
        expect.stringMatching(
          /^Needs (a session(, a service account token or an API key)?|no credentials|the scopes? `[a-z]+:[a-z]+`( and `[a-z]+:[a-z]+`)?)\.$/,
        ),
      ]);
      const success = responses["200"] ?? responses["201"] ?? responses["202"];
      const { schema, example } = success?.content["application/json"] ?? {};
      // An export is JSON lines, and a stream sends events.
      if (/\/(export|stream)$/.test(endpoint)) continue;
      expect([endpoint, judge(close(schema) as JsonSchema, example)]).toEqual([endpoint, null]);
    }
  });

  it("has an example of every answer that its own schema accepts, and refuses with one key fewer", () => {
    for (const path of paths)
      for (const [status, described] of Object.entries(operationOf(path).responses)) {
        const { schema, examples, ...single } = described.content["application/json"];
        const shown = examples ? Object.values(examples).map(({ value }) => value) : [single.example];
        for (const example of shown) {
          expectDescribed(path, status, example);
          const { meta: _, ...less } = example as Record<string, unknown>;
          expect(judge(schema, less)).toContain("must have required property 'meta'");
          const more = { ...(example as object), more: 1 };
          expect([judge(schema, more), judge(close(schema) as JsonSchema, more)]).toEqual([
            null,
            expect.stringContaining("additional properties"),
          ]);
        }
      }
  });

  it("has no external references", () => {
    // Internal references exist, or resolving them would have failed.
    const references = [...JSON.stringify(served).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to);
    expect(references.filter((to) => !to?.startsWith("#/components/"))).toEqual([]);
  });

  it("names every shape, and refers to each", () => {
    const { schemas } = served.components;
    const text = JSON.stringify(served);
    for (const name of Object.keys(schemas)) expect(text).toContain(`"#/components/schemas/${name}"`);
    // Objects of objects are references.
    for (const [name, { properties }] of Object.entries(schemas))
      expect([name, JSON.stringify(properties ?? {})]).toEqual([
        name,
        expect.not.stringContaining('"properties"'),
      ]);
    for (const path of paths) {
      const shape = served.paths[`/ext/v1${path}`]?.get.responses["200"]?.content["application/json"].schema;
      expect(shape).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/\w+Response$/) });
    }
  });

  it("lists the error codes, and the contact for the API", () => {
    const codes = Object.keys(ERROR_STATUS).filter((name) => name !== "BAD_USER_INPUT");
    expect(served.components.schemas["Error"]).toMatchObject({
      properties: { code: { type: "string", enum: codes } },
    });
    expect(served).toMatchObject({
      info: { contact: { name: expect.any(String) }, license: { identifier: expect.any(String) } },
      tags: Object.values(AREAS),
    });
    for (const path of paths) expect(operationOf(path)).toMatchObject({ tags: ["Data"] });
  });
});

describe("answers of the endpoints match /openapi.json", () => {
  /** Calls every endpoint; each answer must have this status and match the description. */
  const expectAnswers = async (key: string | undefined, status: number) => {
    const bodies: unknown[] = [];
    for (const path of paths) {
      const answer = await gateway.rest(path, key);
      expect([path, answer.status]).toEqual([path, status]);
      expectDescribedAnswer(path, answer);
      bodies.push(answer.body.data);
    }
    return bodies;
  };

  it("for organizations without data and with all data", async () => {
    const { database } = gateway;
    const empty = await makeOrganization(database);
    const before = await expectAnswers((await makeKey(database, empty)).key, 200);

    await addTenantData(database, { name: "FULL", digits: 3_000_000_000, framework: "SBTi" });
    await addBenchmark(database);
    await addBenchmark(database, { sector: "Cement", intensity: null, unit: null });
    await addPrice(database, null, { changePct24h: null, sourceUrl: null, asOf: null });
    const after = await expectAnswers((await makeKey(database, "full")).key, 200);
    for (const [index, path] of paths.entries())
      expect([path, after[index]]).not.toEqual([path, before[index]]);
  });

  it("if the key is missing or lacks the scope", async () => {
    await expectAnswers(undefined, 401);
    const { database } = gateway;
    const organization = await makeOrganization(database);
    for (const { path, scope } of endpoints) {
      const { key } = await makeKey(database, organization, {
        scopes: KEY_SCOPES.filter((other) => other !== scope),
      });
      const answer = await gateway.rest(path, key);
      expect([answer.status, answer.headers.get("x-ratelimit-limit")]).toEqual([401, "10000"]);
      expectDescribedAnswer(path, answer);
    }
  });

  it("if the budget is spent", async () => {
    const { database } = gateway;
    const { key } = await makeKey(database, await makeOrganization(database), { tier: "free" });
    await Promise.all(Array.from({ length: 100 }, () => gateway.rest("/benchmarks", key)));
    await expectAnswers(key, 429);
  });

  it("if an address has guessed too often", async () => {
    const strict = await startGateway({ env: { AUTH_FAILURES_PER_MINUTE: "1" } });
    try {
      await strict.rest("/market", "wrong");
      for (const path of paths) {
        const answer = await strict.rest(path, "wrong");
        expect([path, answer.status]).toEqual([path, 429]);
        expectDescribedAnswer(path, answer);
      }
    } finally {
      await strict.stop();
    }
  });

  it("if the request has another method or cannot be read", async () => {
    for (const path of paths) {
      const url = `${gateway.url}/api/v1/ext/v1${path}`;
      const answers = [
        await requestRaw(url, { method: "DELETE" }),
        await requestRaw(`${url}%zz`),
        await sendRaw(url, `GET ${new URL(url).pathname} HTTP/1.1\r\nConnection: close\r\n\r\n`),
        await sendRaw(url, `GET ${new URL(url).pathname} HTTP/1.1\r\nno header\r\n\r\n`),
        await requestRaw(url, { headers: [["X-Long", "x".repeat(20_000)]] }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([405, 400, 400, 400, 431]);
      for (const { body } of answers) expectDescribed(path, "default", JSON.parse(body));
    }
  });

  it("if the gateway itself fails", async () => {
    const broken = await startGateway();
    try {
      const { key } = await makeKey(broken.database, await makeOrganization(broken.database));
      await broken.database.transaction(({ script }) =>
        script(`ALTER TABLE emission_days RENAME TO a; ALTER TABLE compliance_statuses RENAME TO b;
                ALTER TABLE credit_batches RENAME TO c; ALTER TABLE benchmarks RENAME TO d; ALTER TABLE market_prices RENAME TO e`),
      );
      for (const path of paths) {
        const answer = await broken.rest(path, key);
        expect([path, answer.status]).toEqual([path, 500]);
        expectDescribedAnswer(path, answer);
      }
    } finally {
      await broken.stop();
    }
  });
});
