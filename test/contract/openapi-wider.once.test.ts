import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiPage } from "../../.config/api-page.js";
import { MODULES } from "../../src/domain/modules.js";
import { ERROR_STATUS } from "../../src/errors.js";
import type { Endpoint } from "../../src/rest/endpoint.js";
import { describeApi } from "../../src/rest/openapi/openapi.js";
import { AREAS } from "../../src/rest/openapi/operations.js";
import { type JsonSchema, judge, resolveReferences } from "../support/openapi.js";
import { readPage } from "../support/pages.js";
import { describeOwnApi } from "../support/served.js";
import { type Envelope, type Gateway, startGateway } from "../support/server.js";
import { listV1 } from "../support/v1.js";

interface Described {
  readonly headers: Record<string, { required: boolean }>;
  readonly content?: Record<string, { schema: JsonSchema; example?: unknown; examples?: object }>;
}
interface Operation {
  readonly tags: string[];
  readonly security: Record<string, string[]>[];
  readonly parameters?: { name: string; in: string; schema: JsonSchema }[];
  readonly requestBody?: { required: boolean };
  readonly responses: Record<string, Described>;
}
type Paths = Record<string, Record<string, Operation>>;

let gateway: Gateway;
let paths: Paths;
const rows = await listV1();
const nameOf = ({ method, path }: Pick<Endpoint, "method" | "path">) => `${method} ${path}`;
const operationOf = (row: string): Operation => {
  const [method = "", path = ""] = row.split(" ");
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${row} is not described`);
  return operation;
};

beforeAll(async () => {
  gateway = await startGateway();
  const served = (await gateway.call<{ paths: Paths }>("/openapi.json")).body;
  paths = resolveReferences(served.paths, served) as Paths;
});
afterAll(() => gateway.stop());

/** Lists the properties of the schemas in a description, by path. A reference to a schema counts as described. */
function listProperties(value: unknown, path = ""): { path: string; isDescribed: boolean }[] {
  if (typeof value !== "object" || value === null) return [];
  const { type, properties } = value as { type?: unknown; properties?: Record<string, object> };
  const own = type === "object" ? Object.entries(properties ?? {}) : [];
  return [
    ...own.flatMap(([name, property]) =>
      "$ref" in property ? [] : [{ path: `${path}.${name}`, isDescribed: "description" in property }],
    ),
    ...Object.entries(value).flatMap(([name, below]) =>
      name === "example" || name === "examples" ? [] : listProperties(below, `${path}/${name}`),
    ),
  ];
}

/** The endpoints for insights. */
const INSIGHTS = ["emissions", "compliance", "credits", "market", "{module}"].map(
  (module) => `POST /${module}/insights`,
);

/** Endpoints of the wider API that the contract names. */
const NAMED = [
  "POST /auth/register",
  "POST /auth/login",
  "POST /auth/refresh",
  "POST /auth/logout",
  "GET /auth/me",
  "POST /auth/me",
  "GET /markets/india",
  "GET /markets/singapore",
  "GET /markets/global",
  "GET /markets/price-index",
  "POST /calc/cbam",
  "POST /calc/ghg",
  "GET /anomalies",
  "POST /{module}/chat",
  ...["emissions", "compliance", "credits", "market"].map((module) => `POST /${module}/insights`),
  "GET /emissions/predictions",
  "GET /emissions/forecast",
  "GET /emissions/anomalies",
  "POST /{module}/import",
  "GET /audit/log",
  "GET /verification/requests",
  "GET /verification/certificates",
  "GET /users/me/notification-preferences",
  "PATCH /users/me/notification-preferences",
  "POST /announcements/active",
  "GET /admin/monitoring",
  "GET /emissions/records",
  "POST /emissions/records",
  "GET /facilities",
  "GET /emissions/kpis",
  "GET /emissions/trend",
  "GET /compliance/frameworks",
  "GET /compliance/ccts",
  "GET /credits/batches",
  "GET /cbam/declarations",
  "GET /compliance/deadlines",
];

describe("docs/api.md", () => {
  it("matches the output of `npm run generate`", async () => {
    expect(await readPage("docs/api.md")).toBe(await createApiPage());
  });
});

describe("/openapi.json about the wider API", () => {
  it("is the description that answers are compared with", async () => {
    expect((await gateway.call("/openapi.json")).body).toEqual(await describeOwnApi());
  });

  it("has each endpoint that the contract names", () => {
    expect(rows.map(nameOf)).toEqual(expect.arrayContaining(NAMED));
  });

  it("has a valid example of each endpoint's answers, grouped by subject", () => {
    for (const row of rows.map(nameOf)) {
      const { responses, tags } = operationOf(row);
      for (const [status, { content }] of Object.entries(responses)) {
        // 304 has no content.
        if (!content) continue;
        const [[type, { schema, example, examples }] = ["", { schema: {} }]] = Object.entries(content);
        const shown = examples ? Object.values(examples).map(({ value }) => value) : [example];
        for (const value of shown)
          expect([row, status, type, judge(schema, value)]).toEqual([row, status, type, null]);
        const codes = shown
          .map((value) => (value as Envelope).error?.code)
          .filter((code) => code !== undefined);
        const statuses = codes.map((code) => String(ERROR_STATUS[code as keyof typeof ERROR_STATUS]));
        // INTERNAL_ERROR is 503 if the message has the reason.
        const usual = status === "503" ? "500" : status;
        if (status !== "default")
          expect([row, new Set(statuses)]).toEqual([row, new Set(codes.length > 0 ? [usual] : [])]);
      }
      const others = Object.entries(AREAS).filter(([area]) => area !== "data");
      expect([row, tags]).toEqual([row, [expect.toBeOneOf(others.map(([, { name }]) => name))]]);
    }
  });

  it("describes at least 95 % of all properties", async () => {
    const properties = listProperties((await gateway.call("/openapi.json")).body);
    const missing = properties.filter(({ isDescribed }) => !isDescribed).map(({ path }) => path);
    expect(properties.length).toBeGreaterThan(1_000);
    expect(missing.length / properties.length, missing.join("\n")).toBeLessThanOrEqual(0.05);
  });

  it("writes units as usual, next to names in snake_case", () => {
    const text = JSON.stringify(paths);
    expect(text).toContain("`kWh`");
    expect(text).not.toMatch(/`(?:k_wh|t_c_o2e)`/);
  });

  it("names the credentials that each endpoint accepts", () => {
    const needed = rows.map((row) => [nameOf(row), operationOf(nameOf(row)).security.flatMap(Object.keys)]);
    const names = ["register", "login", "link", "link/inspect", "disown", "refresh", "logout"];
    names.push("password-reset", "password-reset/finish", "email/confirm", "start", "login/factor");
    names.push("login/factor/options", "login/passkey/options", "login/passkey");
    const open = names.map((name) => `POST /auth/${name}`);
    open.push("GET /verification/certificates/{number}/verify");
    // Keys read an organization's data, but not that of its users.
    const ofPeople =
      /^\/(admin|api-keys|audit|auth|conversations|directory|domains|invitations|members|notifications|service-accounts|sso|users|webhook-endpoints)\b|\/verify$/;
    const computing = ["POST /calc/ghg", "POST /calc/cbam", "POST /announcements/active", ...INSIGHTS];
    // Collections that programs download completely accept HTTP Basic.
    const takesBasic = /^\/(changes\/|emissions\/records\/(export|digest)$)/;
    const isForKeys = ({ method, path }: Endpoint) =>
      (method === "GET" && !ofPeople.test(path)) || computing.includes(`${method} ${path}`);
    expect(needed).toEqual(
      rows.map((row) => {
        const session = open.includes(nameOf(row)) ? [] : ["session", "sessionCookie"];
        const key = ["apiKey", ...(takesBasic.test(row.path) ? ["basic"] : [])];
        return [nameOf(row), isForKeys(row) ? [...key, ...session] : session];
      }),
    );
  });

  it("has parameters whose listed values all fit the type, and lists the modules", () => {
    const parameters = rows.flatMap(
      (row) => operationOf(nameOf(row)).parameters?.map((each) => ({ ...each, row: nameOf(row) })) ?? [],
    );
    const listed = parameters.filter(({ schema }) => "enum" in schema);
    expect(listed.filter(({ schema }) => (schema["enum"] as []).some((one) => judge(schema, one)))).toEqual(
      [],
    );
    const modules = parameters.filter(({ name }) => name === "module").map(({ schema }) => schema["enum"]);
    expect(modules).toEqual(modules.map(() => [...MODULES]));
    const flags = parameters.filter(({ schema }) => schema["type"] === "boolean");
    expect(flags.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["available", "overdue", "dry_run"]),
    );
    expect(flags.map(({ schema }) => schema)).toEqual(flags.map(() => ({ type: "boolean" })));
  });

  it("lets keys read what their scopes allow, and has 200 next to 201 if the object may already exist", async () => {
    const [row] = rows.filter(({ path }) => path === "/audit/log");
    const group = { prefixes: ["/api/v1"], keysOnly: false };
    const made = {
      ...(row as Endpoint),
      method: "POST",
      scope: "read:credits",
      creates: "sometimes",
    } as Endpoint;
    const { paths } = await describeApi([{ ...group, endpoints: [made] }]);
    const described = paths["/audit/log"]?.["post"];
    expect(described?.security.flatMap(Object.keys)).toEqual(["apiKey", "session", "sessionCookie"]);
    expect(Object.keys(described?.responses ?? {})).toEqual(
      expect.arrayContaining(["200", "201", "401", "403", "409", "429", "500", "default"]),
    );
  });

  it("has an Idempotency-Key for each endpoint that changes something, except sessions", () => {
    const accepting = rows.filter((row) =>
      operationOf(nameOf(row)).parameters?.some(({ name }) => name === "Idempotency-Key"),
    );
    const reads = ["/calc/", "/auth/", "/import/preview", "/insights", "/announcements/active"];
    const changing = rows.filter(
      ({ method, path }) => method !== "GET" && !reads.some((part) => path.includes(part)),
    );
    expect(accepting.map(nameOf)).toEqual(changing.map(nameOf));
  });
});
