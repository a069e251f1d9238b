import { randomUUID } from "node:crypto";
import { generateSync } from "otplib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateToken } from "../../src/access/secrets/token.js";
import { createAdditionLink, createMailLink } from "../../src/actions/notifications/mail-tokens.js";
import { createSignInLink } from "../../src/actions/people/sign-in-links.js";
import { MODULES } from "../../src/domain/modules.js";
import { ERROR_STATUS } from "../../src/errors.js";
import { createSite } from "../../src/http/site.js";
import type { Endpoint } from "../../src/rest/endpoint.js";
import { describeApi } from "../../src/rest/openapi/openapi.js";
import { AREAS } from "../../src/rest/openapi/operations.js";
import { addBatch, addPrice, addRecord, addRetirement } from "../support/fixtures.js";
import { type JsonSchema, judge, resolveReferences } from "../support/openapi.js";
import { addApp, addMember, signIn, signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { learnKeys, learnPassword } from "../support/secrets.js";
import { type Answer, type Envelope, type Gateway, makeKey, NOW, startGateway } from "../support/server.js";
import { listV1 } from "../support/v1.js";
import { DECISION, prepareVerification, requestInput, tokenOf } from "../support/verification.js";

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
  // The test ends before any e-mail is sent.
  const mail = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "no-reply@example.com" };
  gateway = await startGateway({ env: { REGISTRATION: "open", ...mail } });
  const served = (await gateway.call<{ paths: Paths }>("/openapi.json")).body;
  paths = resolveReferences(served.paths, served) as Paths;
});
afterAll(() => gateway.stop());

/** Matches headers that the description must list, in lower case. */
const DESCRIBED =
  /^(x-request-id|x-?ratelimit.*|ratelimit.*|retry-after|www-authenticate|allow|location|etag|set-cookie|idempotency-replayed)$/;
/** Rows and statuses answered so far. */
const seen = new Set<string>();

/** Throws unless an answer's status, headers and body match its description. */
function expectDescribed(row: string, { status, headers, body }: Answer<unknown>): void {
  const { responses } = operationOf(row);
  const described = responses[status] ?? (status < 400 ? undefined : responses["default"]);
  expect([row, status, described !== undefined, body]).toEqual([row, status, true, body]);
  seen.add(`${row} ${status}`);
  const [[type, { schema }] = ["", { schema: {} }]] = Object.entries(described?.content ?? {});
  const values = type === "application/x-ndjson" ? linesOf(String(body)) : [body];
  for (const value of values)
    expect([row, status, value, judge(schema, value)]).toEqual([row, status, value, null]);
  const named = Object.entries(described?.headers ?? {});
  const came = [...headers.keys()];
  const lacking = named.filter(([name, { required }]) => required && !came.includes(name.toLowerCase()));
  const known = named.map(([name]) => name.toLowerCase());
  const unknown = came.filter((name) => DESCRIBED.test(name) && !known.includes(name));
  expect([row, status, lacking.map(([name]) => name), unknown]).toEqual([row, status, [], []]);
}
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

type Caller = Pick<TestPerson, "call"> | Pick<Gateway, "call">;
interface Request {
  readonly json?: unknown;
  readonly csv?: string;
  readonly headers?: Record<string, string>;
  /** Values of the path's parameters, in order. */
  readonly ids?: readonly string[];
  readonly query?: string;
}

/** Calls a row, expects `status` and a described answer, and returns `data`. */
async function ask<Data = { id: string }>(
  caller: Caller,
  row: string,
  status: number,
  { json, csv, headers = {}, ids = [], query = "" }: Request = {},
): Promise<Data> {
  const [method = "", template = ""] = row.split(" ");
  const left = [...ids];
  const path = template.replaceAll(/\{\w+\}/g, () => left.shift() ?? randomUUID());
  const answer = await caller.call<Envelope>(`/api/v1${path}${query}`, {
    method,
    headers: {
      ...(json !== undefined && { "Content-Type": "application/json" }),
      ...(csv && { "Content-Type": "text/csv" }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(csv !== undefined && { body: csv }),
  });
  learnKeys(`${JSON.stringify(answer.body)} ${answer.headers.get("set-cookie")}`);
  expect([row, answer.status, answer.body]).toEqual([row, status, answer.body]);
  expectDescribed(row, answer);
  return answer.body.data as Data;
}

const newPassword = () => {
  const password = randomUUID();
  learnPassword(password);
  return password;
};
const newEmail = () => `${randomUUID()}@example.org`;
const OTHER_SITE = { "Sec-Fetch-Site": "cross-site" };

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

describe("/openapi.json about the wider API", () => {
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
});

describe("answers of the wider API match /openapi.json for", () => {
  it("signing in and out", async () => {
    const [email, password] = [newEmail(), newPassword()];
    const founder = { email, password, name: "Ada", organization: { name: `Works ${randomUUID()}` } };
    const register = "POST /auth/register";
    const { session } = await ask<{ session: { access_token: string; refresh_token: string } }>(
      gateway,
      register,
      201,
      {
        json: founder,
      },
    );
    await ask(gateway, register, 201, {
      json: {
        ...founder,
        email: newEmail(),
        organization: { name: `Works ${randomUUID()}` },
        transport: "cookie",
      },
    });
    await ask(gateway, register, 403, { json: founder, headers: OTHER_SITE });
    await ask(gateway, register, 404, {
      json: { invitation: generateToken("invitation"), password, name: "Ada" },
    });
    await ask(gateway, register, 409, { json: founder });
    await ask(gateway, register, 422, { json: { ...founder, email: 1, extra: 1 } });

    const login = "POST /auth/login";
    await ask(gateway, login, 200, { json: { email, password } });
    await ask(gateway, login, 200, { json: { email, password, transport: "cookie" } });
    await ask(gateway, login, 403, { json: { email, password }, headers: OTHER_SITE });
    await ask(gateway, login, 422, { json: { email } });
    for (let failures = 0; failures < 5; failures += 1)
      await ask(gateway, login, 401, { json: { email: "nobody@example.org", password } });
    await ask(gateway, login, 429, { json: { email: "nobody@example.org", password } });

    const link = "POST /auth/link";
    const { database } = gateway;
    const site = createSite("https://carbon.example.com", () => 0);
    const made = await createSignInLink({ database, pepper: undefined, site, now: NOW }, email);
    learnKeys(made.link);
    const token = made.link.split("#sign-in=")[1];
    const inspect = "POST /auth/link/inspect";
    await ask(gateway, inspect, 200, { json: { token } });
    await ask(gateway, inspect, 422, { json: {} });
    await ask(gateway, inspect, 403, { json: { token }, headers: OTHER_SITE });
    await ask(gateway, link, 422, { json: { token } });
    await database.prisma.user.updateMany({ where: { email }, data: { emailConfirmedAt: NOW } });
    await ask(gateway, link, 200, { json: { token } });
    await ask(gateway, link, 401, { json: { token } });
    await ask(gateway, inspect, 410, { json: { token } });
    await ask(gateway, link, 403, { json: { token }, headers: OTHER_SITE });

    const refresh = "POST /auth/refresh";
    const renewed = await ask<{ session: { access_token: string } }>(gateway, refresh, 200, {
      json: { refresh_token: session.refresh_token },
    });
    await ask(gateway, refresh, 401, { json: { refresh_token: session.refresh_token } });
    await ask(gateway, refresh, 422, { json: {} });

    const headers = { Authorization: `Bearer ${renewed.session.access_token}` };
    const logout = "POST /auth/logout";
    await ask(gateway, logout, 422, { headers, json: { all: 1 } });
    await ask(gateway, logout, 200, { headers });
    await ask(gateway, logout, 200, { headers });
    const cookie = { Cookie: `__Host-cgw_session=${generateToken("session")}` };
    await ask(gateway, logout, 403, { headers: { ...cookie, ...OTHER_SITE } });
  });

  it("second factors", async () => {
    const password = newPassword();
    const person = await signUp(gateway, { password });
    const { email } = person.user;
    await ask(gateway, "POST /auth/start", 200, { json: { email } });
    await ask(person, "GET /auth/factors", 200);
    await ask(person, "POST /auth/recovery-codes", 409);
    await ask(person, "DELETE /auth/totp", 404);
    await ask(person, "POST /auth/totp/confirm", 409, { json: { code: "000000" } });
    const { secret } = await ask<{ secret: string }>(person, "POST /auth/totp", 201);
    const code = (steps: number) => generateSync({ secret, epoch: NOW.getTime() / 1_000 + steps * 30 });
    await ask(person, "POST /auth/totp/confirm", 401, { json: { code: code(-9) } });
    await ask(person, "POST /auth/totp/confirm", 200, { json: { code: code(-1) } });
    await ask(person, "GET /auth/factors", 200);
    await ask(person, "POST /auth/recovery-codes", 200);
    const { challenge } = await ask<{ challenge: { token: string } }>(gateway, "POST /auth/login", 200, {
      json: { email, password },
    });
    const give = (steps: number) => ({ json: { challenge: challenge.token, code: code(steps) } });
    await ask(gateway, "POST /auth/login/factor", 401, give(-9));
    await ask(gateway, "POST /auth/login/factor", 422, { json: { challenge: challenge.token } });
    const open = { json: { challenge: challenge.token } };
    await ask(gateway, "POST /auth/login/factor/options", 200, open);
    await ask(gateway, "POST /auth/login/factor/options", 401, { json: { challenge: "cgw_chl_00" } });
    await ask(gateway, "POST /auth/login/factor", 200, give(0));
    await ask(person, "DELETE /auth/totp", 200);
    const invitee = await signUp(gateway, { password });
    const host = await signUp(gateway);
    await addApp(gateway, invitee);
    const { link } = await ask<{ link: string }>(host, "POST /invitations", 201, {
      json: { email: invitee.user.email, role: "viewer" },
    });
    await ask(gateway, "POST /auth/register", 200, {
      json: { invitation: link.split("#invitation=")[1], password },
    });
  });

  it("a user's own session", async () => {
    const password = newPassword();
    const person = await signUp(gateway, { password, kind: "browser" });
    const others = { json: { password }, headers: OTHER_SITE };
    await ask(person, "POST /auth/reauthenticate", 403, others);
    await ask(person, "POST /auth/reauthenticate", 401, { json: { password: "wrong" } });
    await ask(person, "POST /auth/reauthenticate", 422, { json: {} });
    await ask(person, "POST /auth/reauthenticate", 200, { json: { password } });

    const again = await signIn(gateway, person.user, person.organization);
    const { slug } = person.organization;
    await ask(again, "POST /auth/password", 422, { json: { current: password, new: "short" } });
    await ask(again, "POST /auth/organization", 404, { json: { slug: "nowhere" } });
    await ask(again, "POST /auth/organization", 200, { json: { slug } });
    await ask(again, "POST /auth/email/send", 202, { json: {} });
    const { id: userId, email } = again.user;
    const mailLink = async (kind: "confirm" | "reset") => {
      const { token, row } = createMailLink({ userId, kind, email, now: NOW }, undefined);
      learnKeys(token);
      const key = { userId_kind: { userId, kind } };
      await gateway.database.prisma.mailLink.upsert({ where: key, create: row, update: row });
      return token;
    };
    const token = await mailLink("confirm");
    await ask(again, "POST /auth/email/confirm", 200, { json: { token } });
    await ask(again, "POST /auth/email/confirm", 410, { json: { token } });
    await ask(again, "POST /auth/email", 202, { json: { email: `${randomUUID()}@example.org` } });
    await ask(again, "GET /auth/me", 200);
    await ask(again, "POST /auth/me", 200);
    await ask(again, "GET /auth/sessions", 200);
    await ask(again, "GET /auth/sessions", 400, { query: "?limit=0" });
    await ask(again, "DELETE /auth/sessions/{id}", 404);
    await ask(again, "POST /auth/password", 200, { json: { current: password, new: newPassword() } });
    const last = await signIn(gateway, person.user, person.organization);
    await ask(last, "DELETE /auth/sessions/{id}", 200, { ids: [last.session.id] });
    await ask(last, "GET /auth/me", 401);
    await ask(gateway, "POST /auth/password-reset", 202, { json: { email } });
    await ask(gateway, "POST /auth/password-reset", 403, { json: { email }, headers: OTHER_SITE });
    const finish = "POST /auth/password-reset/finish";
    const json = { token: await mailLink("reset"), password: newPassword() };
    await ask(gateway, finish, 422, { json: { ...json, password: "short" } });
    await ask(gateway, finish, 200, { json });
    await ask(gateway, finish, 410, { json });

    const owner = await signUp(gateway, { password });
    const added = {
      userId: owner.user.id,
      kind: "session",
      targetId: owner.session.id,
      addedAt: NOW,
    } as const;
    const { token: unwanted, row } = createAdditionLink({ ...added, now: NOW }, undefined);
    learnKeys(unwanted);
    await gateway.database.prisma.additionLink.create({ data: row });
    await ask(gateway, "POST /auth/link/inspect", 200, { json: { token: unwanted } });
    await ask(gateway, "POST /auth/disown", 200, { json: { token: unwanted } });
    await ask(gateway, "POST /auth/disown", 410, { json: { token: unwanted } });
  });

  it("notifications and their preferences", async () => {
    const person = await signUp(gateway);
    const { user, organization } = person;
    const { id } = await gateway.database.prisma.notification.create({
      data: {
        userId: user.id,
        organizationId: organization.id,
        key: "x",
        category: "credit",
        severity: "low",
        title: "Credits were issued",
        body: "",
        inApp: true,
        createdAt: NOW,
      },
    });
    await ask(person, "GET /notifications", 200, { query: "?unread=true" });
    await ask(person, "GET /notifications", 400, { query: "?read=true" });
    await ask(person, "POST /notifications/{id}/read", 200, { ids: [id] });
    await ask(person, "POST /notifications/{id}/read", 404);
    await ask(person, "POST /notifications/read", 200);
    const preferences = "/users/me/notification-preferences";
    await ask(person, `GET ${preferences}`, 200);
    await ask(person, `PATCH ${preferences}`, 200, { json: { digest: { hour: 7 } } });
    await ask(person, `PATCH ${preferences}`, 422, { json: { digest: { hour: 70 } } });
    await ask(person, `PATCH ${preferences}`, 409, {
      json: { digest: { hour: 8 } },
      headers: { "If-Match": '"9"' },
    });
  });

  it("members and invitations", async () => {
    const owner = await signUp(gateway);
    const { slug } = owner.organization;
    const [viewer, guest] = [await addMember(gateway, slug, "viewer"), await signUp(gateway)];
    const invite = "POST /invitations";
    const { id } = await ask(owner, invite, 201, { json: { email: newEmail(), role: "editor" } });
    await ask(viewer, invite, 403, { json: { email: newEmail(), role: "editor" } });
    await ask(owner, invite, 409, { json: { email: viewer.user.email, role: "editor" } });
    await ask(owner, invite, 422, { json: { email: "nothing", role: "king" } });
    await ask(owner, "GET /invitations", 200);
    await ask(owner, "DELETE /invitations/{id}", 200, { ids: [id] });
    await ask(owner, "DELETE /invitations/{id}", 404, { ids: [id] });
    const { link } = await ask<{ link: string }>(owner, invite, 201, {
      json: { email: guest.user.email, role: "viewer" },
    });
    const accept = "POST /invitations/accept";
    await ask(guest, accept, 200, { json: { invitation: link.split("#invitation=")[1] } });
    await ask(guest, accept, 404, { json: { invitation: "x" } });
    await ask(guest, accept, 422, { json: { invitation: 1 } });

    await ask(owner, "GET /members", 200, { query: "?limit=1" });
    const [own, other] = [{ ids: [owner.user.id] }, { ids: [guest.user.id] }];
    const change = "PATCH /members/{user_id}";
    await ask(owner, change, 200, { ...other, json: { role: "admin" } });
    await ask(owner, change, 404, { json: { role: "admin" } });
    await ask(owner, change, 409, { ...own, json: { role: "admin" } });
    await ask(owner, change, 422, { ...other, json: { role: "king" } });
    await ask(viewer, change, 403, { ...other, json: { role: "viewer" } });
    const reset = "DELETE /members/{user_id}/factors";
    await ask(owner, reset, 200, { ids: [(await addMember(gateway, slug, "viewer")).user.id] });
    await ask(owner, reset, 403, own);
    await ask(owner, reset, 404);
    await ask(owner, reset, 409, other);
    const policy = "PUT /organization/sign-in-policy";
    await ask(owner, policy, 409, { json: { second_factor: "required" } });
    await ask(owner, policy, 422, { json: { second_factor: "sometimes" } });
    const careful = await signUp(gateway, { factorAt: NOW });
    await addApp(gateway, careful);
    await ask(careful, policy, 200, { json: { second_factor: "off" } });
    const remove = "DELETE /members/{user_id}";
    await ask(owner, remove, 404);
    await ask(owner, remove, 409, own);
    await ask(viewer, remove, 403, other);
    await ask(owner, remove, 200, other);
  });

  it("markets, prices and the price index", async () => {
    const owner = await signUp(gateway);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const json = {
      credit_type: "EUA",
      exchange: "EEX",
      as_of: "2026-11-19",
      price: "81.5",
      currency: "EUR",
      source: "EEX auction report",
      source_url: "https://example.org/auction",
    };
    const record = "POST /markets/prices";
    const { id } = await ask(owner, record, 201, { json });
    await ask(owner, record, 200, { json });
    await ask(owner, record, 409, { json: { ...json, price: 1 } });
    await ask(owner, record, 422, { json: { ...json, source_url: null } });
    await ask(viewer, record, 403, { json });
    await ask(viewer, "GET /markets/prices/{id}", 200, { ids: [id] });
    await ask(viewer, "GET /markets/prices/{id}", 404);
    for (const geography of ["india", "singapore", "global"])
      await ask(viewer, `GET /markets/${geography}`, 200);
    await ask(owner, "GET /markets/instruments", 200, { query: "?credit_type=EUA" });
    await ask(owner, "GET /markets/instruments", 400, { query: "?color=blue" });
    const index = "GET /markets/price-index";
    await ask(viewer, index, 200, { query: "?from=2026-11-18&to=2026-11-20" });
    await ask(viewer, index, 400, { query: "?since=2026-01-01" });
    await ask(viewer, index, 404, { query: "?index=none" });
    await ask(viewer, index, 422, { query: "?to=2026-11-21" });
  });

  it("forecasts, predictions, anomalies and insights", async () => {
    const owner = await signUp(gateway);
    const { slug } = owner.organization;
    const batch = await addBatch(gateway.database, slug);
    for (const month of ["05", "06", "07", "08", "09", "10"]) {
      await addRecord(gateway.database, slug, { recordedOn: `2026-${month}-10` });
      await addRetirement(gateway.database, batch, { retiredOn: `2026-${month}-10`, quantity: 1 });
      await addPrice(gateway.database, slug, { asOf: `2026-${month}-10` });
    }
    const instrument = "credit_type=EUA&exchange=EEX";
    for (const [module, query] of [
      ["emissions", ""],
      ["credits", ""],
      ["market", instrument],
    ] as const) {
      for (const name of ["forecast", "predictions", "anomalies"]) {
        await ask(owner, `GET /${module}/${name}`, 200, { query: `?${query}` });
        await ask(owner, `GET /${module}/${name}`, 400, { query: `?${query}&color=blue` });
      }
      await ask(owner, `GET /${module}/predictions`, 422, { query: `?${query}&method=seasonal_naive` });
    }
    await ask(owner, "GET /market/forecast", 404, { query: "?credit_type=EUA&exchange=none" });
    for (const insights of INSIGHTS.filter((row) => !row.includes("{"))) {
      await ask(owner, insights, 200, { json: {} });
      await ask(owner, insights, 422, { json: { limit: 21 } });
      await ask(owner, insights, 400, { json: { from: "2026-11-20", to: "2026-11-19" } });
    }
    await ask(owner, "POST /{module}/insights", 422, { ids: ["verification"], json: {} });
    await ask(owner, "GET /anomalies", 200);
    const acknowledge = "POST /anomalies/acknowledgements";
    await addRecord(gateway.database, slug, { recordedOn: "2026-10-11", co2eTonnes: 99 });
    await ask(owner, acknowledge, 200, { json: { id: "z_score:organization:2026-10" } });
    await ask(owner, acknowledge, 404, { json: { id: "z_score:organization:2019-10" } });
    await ask(owner, acknowledge, 422, { json: {} });
    const withdraw = "DELETE /anomalies/acknowledgements/{id}";
    await ask(owner, withdraw, 200, { ids: ["z_score:organization:2026-10"] });
    await ask(owner, withdraw, 404, { ids: ["z_score:organization:2026-10"] });
    await ask(owner, "GET /{module}/forecast", 422, { ids: ["compliance"] });
    await ask(owner, "GET /{module}/forecast", 404, { ids: ["weather"] });
  });

  it("questions and conversations", async () => {
    const owner = await signUp(gateway);
    const chat = "POST /{module}/chat";
    const json = { message: "What is scope 2?" };
    const { conversation_id } = await ask<{ conversation_id: string }>(owner, chat, 200, {
      ids: ["emissions"],
      json,
    });
    await ask(owner, chat, 200, { ids: ["credits"], json: { message: "total of gold", conversation_id } });
    await ask(owner, chat, 404, { ids: ["emissions"], json: { ...json, conversation_id: randomUUID() } });
    await ask(owner, chat, 404, { ids: ["weather"], json });
    await ask(owner, chat, 422, { ids: ["verification"], json });
    await ask(owner, chat, 422, { ids: ["emissions"], json: { message: "" } });
    await ask(owner, chat, 422, { ids: ["emissions"], json: {} });
    await ask(owner, "GET /conversations", 200);
    await ask(owner, "GET /conversations", 400, { query: "?limit=0" });
    const ids = [conversation_id];
    await ask(owner, "GET /conversations/{id}", 200, { ids });
    await ask(owner, "DELETE /conversations/{id}", 200, { ids });
    await ask(owner, "GET /conversations/{id}", 404, { ids });
    await ask(owner, "DELETE /conversations/{id}", 404, { ids });
  });

  it("business metrics, key figures and trends", async () => {
    const owner = await signUp(gateway);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    await addRecord(gateway.database, owner.organization.slug);
    const json = { name: "Units produced", unit: "units", month: "2026-10", value: "4300.5" };
    const record = "POST /emissions/metrics";
    const { id } = await ask(owner, record, 201, { json });
    await ask(owner, record, 200, { json });
    await ask(owner, record, 409, { json: { ...json, value: 1 } });
    await ask(owner, record, 422, { json: { ...json, month: "October" } });
    await ask(viewer, record, 403, { json });
    await ask(viewer, "GET /emissions/metrics", 200, { query: "?name=Units%20produced" });
    await ask(viewer, "GET /emissions/metrics", 400, { query: "?metric=Units" });
    await ask(viewer, "GET /emissions/metrics/{id}", 200, { ids: [id] });
    await ask(viewer, "GET /emissions/metrics/{id}", 404);
    const change = "PATCH /emissions/metrics/{id}";
    await ask(owner, change, 200, { ids: [id], json: { value: 1 }, headers: { "If-Match": '"1"' } });
    await ask(owner, change, 409, { ids: [id], json: { value: 2 }, headers: { "If-Match": '"1"' } });
    await ask(owner, change, 404, { json: { value: 2 } });
    await ask(owner, change, 422, { ids: [id], json: { value: "much" } });
    await ask(viewer, "GET /emissions/kpis", 200);
    const days = "from=2026-10-01&to=2026-10-31";
    await ask(viewer, "GET /emissions/summary", 200, { query: `?${days}&limit=100&step=month` });
    await ask(viewer, "GET /emissions/summary", 400, { query: `?${days}&limit=101` });
    for (const by of ["scope", "facility", "category"])
      await ask(viewer, "GET /emissions/trend", 200, { query: `?by=${by}` });
    await ask(viewer, "GET /emissions/trend", 400, { query: "?by=country" });
  });

  it("API keys and their audit trail", async () => {
    const owner = await signUp(gateway);
    const { database } = gateway;
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    await database.prisma.organization.update({
      where: { id: owner.organization.id },
      data: { plan: "enterprise" },
    });
    const json = { name: "ERP", scopes: ["read:credits"], tier: "pro" };
    const { id } = await ask(owner, "POST /api-keys", 201, { json });
    await ask(viewer, "POST /api-keys", 403, { json });
    await ask(owner, "POST /api-keys", 409, { json });
    await ask(owner, "POST /api-keys", 422, { json: { ...json, tier: "gold", scopes: [] } });
    await ask(owner, "GET /api-keys", 200, { query: "?status=active,expiring" });
    await ask(owner, "GET /api-keys/{id}", 200, { ids: [id] });
    await ask(owner, "GET /api-keys/{id}", 404);
    const change = "PATCH /api-keys/{id}";
    await ask(owner, change, 200, { ids: [id], json: { name: "CRM" }, headers: { "If-Match": '"1"' } });
    await ask(owner, change, 409, { ids: [id], json: { name: "SAP" }, headers: { "If-Match": '"1"' } });
    await ask(owner, change, 400, { ids: [id], json: { name: "SAP" }, headers: { "If-Match": "1" } });
    await ask(owner, change, 404, { json: { name: "SAP" } });
    await ask(owner, change, 422, { ids: [id], json: { name: 1 } });
    const rotate = "POST /api-keys/{id}/rotate";
    await ask(owner, rotate, 201, { ids: [id], json: { overlap_hours: 24 } });
    await ask(owner, rotate, 409, { ids: [id], json: {} });
    await ask(owner, rotate, 422, { ids: [id], json: { overlap_hours: 2 } });
    await ask(owner, "DELETE /api-keys/{id}", 200, { ids: [id] });
    gateway.setNow(new Date(NOW.getTime() + 12 * 60_000));
    await ask(owner, "POST /api-keys", 403, { json: { ...json, name: "Late" } });
    gateway.setNow(NOW);

    await ask(owner, "GET /emission-factors", 200, { query: "?search=diesel" });
    await ask(owner, "GET /emission-factors/{id}", 404);
    const items = [{ amount: 1, unit: "kg", gas: "CO2" }];
    await ask(owner, "POST /calc/ghg", 200, { json: { items } });
    await ask(owner, "GET /audit/log", 200, { query: "?limit=2" });
    await ask(owner, "GET /audit/log", 400, { query: "?page=2" });
    await ask(owner, "GET /audit/log/verify", 200);
    await ask(owner, "GET /audit/log/export", 200);
    await ask(viewer, "GET /audit/log/export", 403);
    const { key } = await makeKey(database, owner.organization.slug);
    for (const row of ["GET /audit/log", "GET /audit/log/export", "GET /members"])
      await ask(gateway, row, 401, { headers: { "X-API-Key": key } });
  });

  it("credits that are issued, sold and retired", async () => {
    const owner = await signUp(gateway);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const [issue, sell] = ["POST /credits/batches", "POST /credits/batches/{id}/sales"];
    const retire = "POST /credits/batches/{id}/retirements";
    const json = { reference: "B", credit_type: "VCS", quantity: 100 };
    const { id } = await ask(owner, issue, 201, { json });
    await ask(owner, issue, 200, { json });
    await ask(owner, issue, 409, { json: { ...json, quantity: 1 } });
    await ask(owner, issue, 422, { json: { ...json, quantity: 0 } });
    await ask(viewer, issue, 403, { json });
    for (const [row, one] of [
      [sell, "GET /credits/sales/{id}"],
      [retire, "GET /credits/retirements/{id}"],
    ] as const) {
      const some = { quantity: 30, reference: "X" };
      const { id: made } = await ask(owner, row, 201, { ids: [id], json: some });
      await ask(owner, row, 200, { ids: [id], json: some });
      await ask(owner, row, 409, { ids: [id], json: { quantity: 90 } });
      await ask(owner, row, 422, { ids: [id], json: { quantity: "all" } });
      await ask(owner, row, 404, { json: some });
      await ask(owner, one, 200, { ids: [made] });
      await ask(owner, one, 404);
    }
    await ask(owner, "GET /credits/batches", 200, { query: "?available=true" });
    await ask(owner, "GET /credits/batches/{id}", 200, { ids: [id] });
    await ask(owner, "GET /credits/batches/{id}", 404);
    await ask(owner, "GET /credits/batches/{id}/sales", 200, { ids: [id] });
    await ask(owner, "GET /credits/batches/{id}/sales", 404);
    await ask(owner, "GET /credits/retirements", 200, { query: "?from=2026-01-01" });
    await ask(owner, "GET /credits/retirements", 400, { query: "?since=2026-01-01" });
    await ask(owner, "GET /credits/portfolio", 200);
    await ask(owner, "GET /credits/sales", 200, { query: "?from=2026-01-01" });
    await ask(owner, "GET /credits/sales", 400, { query: "?since=2026-01-01" });
  });

  it("changes of records", async () => {
    const owner = await signUp(gateway);
    const { id } = await addRecord(gateway.database, owner.organization.slug);
    const row = "GET /changes/emission-records";
    const { next_cursor: cursor } = await ask<{ next_cursor: string }>(owner, row, 200);
    await ask(owner, "DELETE /emissions/records/{id}", 200, { ids: [id], json: { reason: "Wrong" } });
    await ask(owner, row, 200, { query: `?cursor=${cursor}` });
    await ask(owner, row, 200, { query: "?from=now" });
    await ask(owner, row, 400, { query: "?cursor=7" });
    await gateway.database.transaction(({ script }) =>
      script(`DELETE FROM change_sets WHERE organization_id = '${owner.organization.id}' AND position < 5`),
    );
    await ask(owner, row, 410, { query: `?cursor=${cursor}` });
  });

  it("emission records and facilities", async () => {
    const owner = await signUp(gateway);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const facility = { code: "HAM-1", name: "Hamburg", country: "DE" };
    const { id } = await ask(owner, "POST /facilities", 201, { json: facility });
    await ask(owner, "POST /facilities", 200, { json: facility });
    await ask(owner, "POST /facilities", 409, { json: { ...facility, name: "Bremen" } });
    await ask(owner, "POST /facilities", 422, { json: { code: "" } });
    await ask(viewer, "POST /facilities", 403, { json: facility });
    await ask(owner, "GET /facilities", 200, { query: "?q=ham&include_archived=true" });
    await ask(owner, "GET /facilities/{id}", 200, { ids: [id] });
    await ask(owner, "GET /facilities/{id}", 404);
    await ask(owner, "PATCH /facilities/{id}", 200, { ids: [id], json: { name: "Harburg" } });

    const add = "POST /emissions/records";
    const record = { recorded_on: "2026-11-01", scope: "scope_1", facility: "HAM-1", reference: "r-1" };
    const activity = { amount: 2, unit: "kg", gas: "CH4", fossil: true };
    const made = await ask(owner, add, 201, { json: { ...record, activity } });
    await ask(owner, add, 200, { json: { ...record, activity } });
    await ask(owner, add, 201, { json: { records: [{ ...record, reference: "r-2", co2e_tonnes: 1 }] } });
    await ask(owner, add, 409, { json: { ...record, co2e_tonnes: 1 } });
    await ask(owner, add, 422, {
      json: { ...record, reference: "r-3", activity: { ...activity, unit: "km" } },
    });
    await ask(viewer, add, 403, { json: { ...record, activity } });
    await ask(owner, "GET /emissions/records", 200, { query: "?facility=HAM-1" });
    const one = "/emissions/records/{id}";
    await ask(owner, `GET ${one}`, 200, { ids: [made.id] });
    await ask(owner, `PATCH ${one}`, 200, { ids: [made.id], json: { co2e_tonnes: 1 } });
    const old = { "If-Match": '"1"' };
    await ask(owner, `PATCH ${one}`, 409, { ids: [made.id], json: { note: "x" }, headers: old });
    await ask(owner, `DELETE ${one}`, 422, { ids: [made.id], json: {} });
    await ask(owner, `DELETE ${one}`, 200, { ids: [made.id], json: { reason: "Twice." } });
    await ask(owner, `DELETE ${one}`, 404, { ids: [made.id], json: { reason: "Twice." } });
    await ask(owner, "DELETE /facilities/{id}", 200, { ids: [id] });

    const source = { source: "Own measurements", source_url: "https://example.org", source_year: 2026 };
    const factor = { activity: "Grid", region: "Home", scope: "scope_2", factor: 1, unit: "kWh", ...source };
    const added = await ask(owner, "POST /emission-factors", 201, { json: factor });
    await ask(owner, "GET /emission-factors/{id}", 200, { ids: [added.id] });
    const used = { amount: 1, unit: "kWh", factor_id: added.id };
    await ask(owner, add, 201, { json: { recorded_on: "2026-11-01", scope: "scope_2", activity: used } });
    const another = { ...factor, source_year: 2025, factor: 2 };
    await ask(owner, "POST /emission-factors", 201, { json: another });
    const json = { factor_set: { source: source.source, year: 2025 } };
    const recalculate = "POST /emissions/recalculate";
    await ask(owner, recalculate, 200, { json });
    await ask(owner, recalculate, 422, { json: { factor_set: { source: "Nobody", year: 2025 } } });
    await ask(viewer, recalculate, 403, { json });
    for (const row of ["GET /emissions/records/export", "GET /emissions/records/digest"]) {
      await ask(owner, row, 200);
      await ask(gateway, row, 401);
      await ask(owner, row, 400, { query: "?from=tomorrow" });
    }
  });

  it("VSME reports", async () => {
    const owner = await signUp(gateway);
    const json = { from_year: 2025, approach: "operational_control", scopes: ["scope_1", "scope_2"] };
    await ask(owner, "PUT /inventory/policy", 200, { json });
    for (const row of ["GET /inventory/{year}/vsme", "GET /inventory/{year}/vsme/export"]) {
      await ask(owner, row, 200, { ids: ["2025"] });
      await ask(owner, row, 404, { ids: ["2024"] });
      await ask(owner, row, 422, { ids: ["2025"], query: "?lei=5299" });
      await ask(owner, row, 400, { ids: ["2025"], query: "?other=1" });
    }
  });

  it("frameworks and deadlines", async () => {
    const owner = await signUp(gateway);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const set = "PUT /compliance/frameworks/{code}";
    const [cdp, status] = [{ ids: ["CDP"] }, { status: "compliant" }];
    await ask(owner, set, 200, { ...cdp, json: { ...status, note: "Scored" } });
    await ask(viewer, set, 403, { ...cdp, json: status });
    await ask(owner, set, 404, { json: status });
    await ask(owner, set, 409, { ...cdp, json: status, headers: { "If-Match": '"9"' } });
    await ask(owner, set, 422, { ...cdp, json: {} });
    await ask(owner, "GET /compliance/frameworks", 200, { query: "?status=compliant" });
    await ask(owner, "GET /compliance/frameworks", 400, { query: "?state=compliant" });

    const create = "POST /compliance/deadlines";
    const json = { framework: "CDP", title: "Report", due_date: "2027-01-31", recurrence: "monthly" };
    const { id } = await ask(owner, create, 201, { json });
    await ask(owner, create, 200, { json });
    await ask(viewer, create, 403, { json });
    await ask(owner, create, 409, { json: { ...json, recurrence: null } });
    await ask(owner, create, 422, { json: { ...json, due_date: "soon" } });
    await ask(owner, "GET /compliance/deadlines", 200, { query: "?overdue=false&framework=CDP" });
    await ask(owner, "GET /compliance/deadlines", 400, { query: "?framwork=CDP" });
    await ask(owner, "GET /compliance/deadlines/{id}", 200, { ids: [id] });
    await ask(owner, "GET /compliance/deadlines/{id}", 404);
    const change = "PATCH /compliance/deadlines/{id}";
    const done = { status: "completed", completed_on: "2026-11-19", evidence: "Receipt" };
    await ask(owner, change, 200, { ids: [id], json: { title: "Reports" } });
    await ask(owner, change, 200, { ids: [id], json: done });
    await ask(viewer, change, 403, { ids: [id], json: done });
    await ask(owner, change, 404, { json: done });
    await ask(owner, change, 409, { ids: [id], json: { status: "pending" } });
    await ask(owner, change, 422, { ids: [id], json: { status: "late" } });
    const adopt = "POST /compliance/deadlines/adopt";
    await ask(owner, adopt, 201, { json: { framework: "CDP" } });
    await ask(owner, adopt, 200, { json: { framework: "CDP" } });
    await ask(viewer, adopt, 403, { json: { framework: "CDP" } });
    await ask(owner, adopt, 422, { json: {} });
  });

  it("imports", async () => {
    const owner = await signUp(gateway);
    const csv = "recorded_on,scope,co2e_tonnes\n2026-11-01,scope_1,2\n";
    const add = "POST /{module}/import";
    const { id } = await ask(owner, add, 200, { ids: ["emissions"], csv });
    await ask(owner, add, 422, { ids: ["emissions"], csv: csv.replace(",2", ",two") });
    await ask(owner, add, 422, { ids: ["market"], csv });
    await ask(owner, add, 404, { ids: ["nothing"], csv });
    const look = "POST /{module}/import/preview";
    await ask(owner, look, 200, { ids: ["emissions"], csv: csv.replace("scope_1,2", "scope_1,1.250") });
    await ask(owner, look, 422, { ids: ["market"], csv });
    await ask(owner, "GET /emissions/imports", 200);
    await ask(owner, "POST /emissions/imports/{id}/undo", 200, { ids: [id] });
    await ask(owner, "POST /emissions/imports/{id}/undo", 404);
  });

  it("an organization's own emission factors", async () => {
    const owner = await signUp(gateway);
    const add = "POST /emission-factors";
    const json = {
      activity: "Own boiler",
      region: "DE",
      scope: "scope_1",
      category: "heat",
      gas: "CO2e",
      factor: 0.2,
      unit: "kWh (net CV)",
      source: "Report",
      source_url: "https://example.org",
      source_year: 2025,
    };
    await ask(owner, add, 201, { json });
    await ask(owner, add, 200, { json });
    await ask(owner, add, 409, { json: { ...json, factor: 0.3 } });
    await ask(owner, add, 422, { json: { ...json, unit: "" } });
  });

  it("CCTS periods and surrendered certificates", async () => {
    const owner = await signUp(gateway);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const [record, one] = ["POST /compliance/ccts", "GET /compliance/ccts/{id}"];
    const json = {
      entity: "Smelter",
      financial_year: "2025-26",
      target_gei: 1,
      achieved_gei: "1.1",
      output: 1_000,
      target_source_url: "https://example.org/targets",
    };
    const { id } = await ask(owner, record, 201, { json });
    await ask(owner, record, 200, { json });
    await ask(owner, record, 409, { json: { ...json, output: 1 } });
    await ask(owner, record, 422, { json: { ...json, financial_year: "2025-27" } });
    await ask(viewer, record, 403, { json });
    await ask(owner, "GET /compliance/ccts", 200);
    await ask(owner, one, 200, { ids: [id] });
    await ask(owner, one, 404);
    const change = "PATCH /compliance/ccts/{id}";
    await ask(owner, change, 200, { ids: [id], json: { average_price: 500 } });
    await ask(owner, change, 404, { json: { output: 1 } });
    await ask(owner, change, 409, { ids: [id], json: { output: 1 }, headers: { "If-Match": '"9"' } });
    await ask(owner, change, 422, { ids: [id], json: {} });
    const surrender = "POST /compliance/ccts/{id}/surrender";
    await ask(owner, surrender, 409, { ids: [id], json: { quantity: 1 } });
    await ask(owner, "POST /credits/batches", 201, {
      json: { reference: "C", credit_type: "CCC", quantity: 9 },
    });
    await ask(owner, surrender, 200, { ids: [id], json: { quantity: 1 } });
    await ask(owner, surrender, 422, { ids: [id], json: {} });
    await ask(owner, surrender, 404, { json: { quantity: 1 } });
    await ask(viewer, surrender, 403, { ids: [id], json: { quantity: 1 } });
  });

  it("CBAM estimates and declarations", async () => {
    const goods = { cn_code: "72083600", country: "IN", mass_t: 100 };
    const years = [2026, 2034];
    const newYear = new Date("2027-01-01T00:00:00Z");
    const owner = await signUp(gateway, { now: newYear });
    const viewer = await addMember(gateway, owner.organization.slug, "viewer", { now: newYear });
    gateway.setNow(newYear);
    const calculate = "POST /calc/cbam";
    await ask(viewer, calculate, 200, { json: { year: 2026, lines: [goods], years } });
    await ask(viewer, calculate, 422, { json: { year: 2026, lines: [{ ...goods, country: "ZZ" }] } });

    const [list, one] = ["/cbam/declarations", "/cbam/declarations/{id}"];
    const { id } = await ask(owner, `POST ${list}`, 201, { json: { year: 2026 } });
    await ask(owner, `POST ${list}`, 200, { json: { year: 2026 } });
    await ask(owner, `POST ${list}`, 422, { json: { year: 2025 } });
    await ask(viewer, `POST ${list}`, 403, { json: { year: 2026 } });
    const ids = [id];
    const json = { ...goods, quarter: "Q3" };
    const added = await ask(owner, `POST ${one}/imports`, 201, { ids, json });
    await ask(owner, `POST ${one}/imports`, 404, { json });
    await ask(owner, `POST ${one}/imports`, 422, { ids, json: goods });
    await ask(viewer, `GET ${list}`, 200);
    await ask(viewer, `GET ${one}`, 200, { ids });
    await ask(viewer, `GET ${one}`, 404);
    await ask(owner, `PATCH ${one}`, 200, { ids, json: { certificates_held: 170 } });
    await ask(owner, `PATCH ${one}`, 422, { ids, json: {} });
    await ask(owner, `POST ${one}/amend`, 409, { ids });
    await ask(owner, `POST ${one}/submit`, 200, { ids });
    await ask(owner, `POST ${one}/imports`, 409, { ids, json });
    await ask(owner, `POST ${one}/amend`, 200, { ids });
    const removal = { ids: [id, added.id] };
    await ask(owner, `DELETE ${one}/imports/{import_id}`, 200, removal);
    await ask(owner, `DELETE ${one}/imports/{import_id}`, 404, removal);
    gateway.setNow(NOW);
  });

  it("the platform", async () => {
    await ask(await signUpSuperAdmin(gateway), "GET /admin/monitoring", 200);
    await ask(await signUp(gateway), "GET /admin/monitoring", 403);
  });

  it("verification, from both sides", async () => {
    const { ada, vera, owner } = await prepareVerification(gateway);
    const viewer = await addMember(gateway, owner.organization.slug, "viewer");
    const [list, one] = ["/verification/requests", "/verification/requests/{id}"];
    const json = requestInput(vera);
    const { id } = await ask(ada, `POST ${list}`, 201, { json });
    const ids = [id];
    await ask(ada, `POST ${list}`, 200, { json });
    await ask(ada, `POST ${list}`, 422, { json: { ...json, scopes: [] } });
    await ask(viewer, `POST ${list}`, 403, { json });
    await ask(viewer, `GET ${list}`, 200);
    await ask(viewer, `GET ${one}`, 200, { ids });
    await ask(viewer, `GET ${one}`, 404);
    const act = (person: TestPerson, step: string, status: number, more: object = {}) =>
      ask<{ verifier_link: string }>(person, `POST ${one}/${step}`, status, { ids, ...more });
    await act(ada, "resubmit", 409);
    await act(ada, "verifier-link", 409);
    const { verifier_link } = await act(ada, "submit", 200);
    await act(viewer, "submit", 403);
    const acceptance = "POST /verification/assignments/accept";
    await ask(vera, acceptance, 404, { json: { token: generateToken("verifier") } });
    await ask(owner, acceptance, 422, { json: { token: tokenOf({ verifier_link }) } });
    await act(ada, "verifier/confirm", 409);
    await ask(vera, acceptance, 200, { json: { token: tokenOf({ verifier_link }) } });
    await act(ada, "verifier-link", 409);
    await act(ada, "verifier/reject", 200);
    const another = await act(ada, "verifier-link", 200);
    await ask(vera, acceptance, 200, { json: { token: tokenOf(another) } });
    await act(ada, "verifier/confirm", 200);
    await ask(vera, "GET /verification/assignments", 200);
    await ask(vera, `GET ${one}/records`, 200, { ids });
    await ask(vera, `GET ${one}/records/export`, 200, { ids });
    await act(vera, "start", 200);
    const finding = { json: { text: "A meter.", severity: "low" } };
    await act(vera, "findings", 201, finding);
    await act(vera, "findings", 200, finding);
    await act(ada, "findings", 404, finding);
    await act(vera, "request-changes", 200, { json: { note: "Please." } });
    await act(ada, "resubmit", 200);
    await act(vera, "start", 200);
    await act(vera, "decide", 422, { json: { ...DECISION, statement: " " } });
    const decided = await ask<{ certificate_number: string }>(vera, `POST ${one}/decide`, 200, {
      ids,
      json: DECISION,
    });
    const numbers = { ids: [decided.certificate_number] };
    await ask(viewer, "GET /verification/certificates", 200);
    await ask(viewer, "GET /verification/certificates/{number}", 200, numbers);
    await ask(gateway, "GET /verification/certificates/{number}/verify", 200, numbers);
    await ask(gateway, "GET /verification/certificates/{number}/verify", 404);
    await act(ada, "reopen", 200);
    await act(ada, "withdraw", 200);
  });

  it("announcements", async () => {
    const [root, owner] = [await signUpSuperAdmin(gateway), await signUp(gateway)];
    const [list, one] = ["/admin/announcements", "/admin/announcements/{id}"];
    const json = { title: "Maintenance", body_markdown: "On Sunday." };
    const { id } = await ask(root, `POST ${list}`, 201, { json });
    await ask(root, `POST ${list}`, 422, { json: { ...json, level: "loud" } });
    await ask(owner, `POST ${list}`, 403, { json });
    await ask(root, `GET ${list}`, 200);
    await ask(root, `GET ${list}`, 400, { query: "?color=blue" });
    await ask(root, `PATCH ${one}`, 200, { ids: [id], json: { level: "critical" } });
    await ask(root, `PATCH ${one}`, 404, { ids: [randomUUID()], json: { level: "info" } });
    await ask(owner, "GET /announcements/active", 200);
    await ask(owner, "POST /announcements/active", 200);
    await ask(owner, "POST /announcements/{id}/dismiss", 200, { ids: [id] });
    await ask(owner, "POST /announcements/{id}/dismiss", 404, { ids: [randomUUID()] });
    await ask(root, `DELETE ${one}`, 200, { ids: [id] });
    await ask(root, `DELETE ${one}`, 404, { ids: [id] });
  });

  it("a repeated change, a conflicting repetition, and one whose answer cannot be repeated", async () => {
    const owner = await signUp(gateway);
    const headers = { "Idempotency-Key": "8e03978e" };
    const json = { recorded_on: "2026-01-31", scope: "scope_1", co2e_tonnes: 1 };
    const row = "POST /emissions/records";
    for (let sent = 0; sent < 2; sent += 1) await ask(owner, row, 201, { json, headers });
    await ask(owner, row, 422, { json: { ...json, co2e_tonnes: 2 }, headers });
    await gateway.database.prisma.idempotencyKey.updateMany({ data: { body: null } });
    await ask(owner, row, 409, { json, headers });
  });

  it("an Idempotency-Key of each endpoint that changes something, except sessions", () => {
    const accepting = rows.filter((row) =>
      operationOf(nameOf(row)).parameters?.some(({ name }) => name === "Idempotency-Key"),
    );
    const reads = ["/calc/", "/auth/", "/import/preview", "/insights", "/announcements/active"];
    const changing = rows.filter(
      ({ method, path }) => method !== "GET" && !reads.some((part) => path.includes(part)),
    );
    expect(accepting.map(nameOf)).toEqual(changing.map(nameOf));
  });

  it("every way in which an endpoint succeeds", () => {
    // Endpoints of the catalogue answer in the shapes that describe them, which the tests above cover.
    const described = rows
      .filter((row) => !("name" in row))
      .map(nameOf)
      .flatMap((row) =>
        Object.keys(operationOf(row).responses).flatMap((status) =>
          status.startsWith("2") ? [`${row} ${status}`] : [],
        ),
      );
    // Modules with these have separate endpoints.
    const refused = ["forecast", "predictions", "anomalies"].map((name) => `GET /{module}/${name} 200`);
    refused.push("POST /{module}/insights 200");
    // A stream never ends.
    refused.push("GET /events/stream 200");
    // Passkeys need a browser: test/access/passkeys.test.ts.
    const ofBrowsers =
      /^(\w+ \/auth\/(passkeys|login\/passkey|reauthenticate\/options)\b.*|DELETE \/auth\/password 200)$/;
    expect(described.filter((each) => !seen.has(each) && !ofBrowsers.test(each))).toEqual(refused);
  });

  /** The endpoints that need a session. */
  const withSession = rows
    .map(nameOf)
    .filter(
      (row) =>
        !/register|login|link|disown|refresh|logout|password-reset|email\/confirm$|start$|\{number\}\/verify/.test(
          row,
        ),
    );

  it("requests without a session, after too many requests, and while the gateway fails", async () => {
    for (const row of withSession) await ask(gateway, row, 401);
    const broken = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "1" } });
    try {
      const person = await signUp(broken);
      await person.call("/api/v1/auth/me");
      const counted = withSession.filter((row) => operationOf(row).responses["200"]?.headers["RateLimit"]);
      for (const row of counted) await ask(person, row, 429);
      await broken.database.transaction(({ script }) => script("ALTER TABLE sessions RENAME TO gone"));
      const headers = { Authorization: `Bearer ${generateToken("session")}` };
      for (const row of withSession) await ask(broken, row, 500, { headers });
    } finally {
      await broken.stop();
    }
  });
});
