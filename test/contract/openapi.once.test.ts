import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { ERROR_STATUS } from "../../src/errors.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { AREAS } from "../../src/rest/openapi/operations.js";
import { SSO_STEPS } from "../../src/rest/sso/describe.js";
import { type JsonSchema, judge, resolveReferences } from "../support/openapi.js";
import { requestRaw, sendRaw } from "../support/raw.js";
import { type Gateway, startGateway } from "../support/server.js";
import { listV1 } from "../support/v1.js";

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

beforeAll(async () => {
  gateway = await startGateway();
  served = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApi;
  api = resolveReferences(served, served) as OpenApi;
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

/** Expects a body that matches the description of the endpoint's status. */
function expectDescribed(path: string, status: number | string, body: unknown): void {
  const described = operationOf(path).responses[status]?.content["application/json"];
  expect(described, `${path} ${status}`).toBeDefined();
  expect([path, status, body, judge(described?.schema ?? {}, body)]).toEqual([path, status, body, null]);
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
      const { description } = operation;
      expect([endpoint, description]).toEqual([
        endpoint,
        expect.stringMatching(
          /^Needs (a session(, a service account token or an API key)?|no credentials|the scopes? `[a-z]+:[a-z]+`( and `[a-z]+:[a-z]+`)?)\.$/,
        ),
      ]);
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
          expect(judge(schema, more)).toContain("additional properties");
          // The judge closes schemas: clients must accept properties of later versions.
          expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
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
});
