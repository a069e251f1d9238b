import { beforeAll, describe, expect, it } from "vitest";
import { newTenant } from "../graphql/tenant.js";
import type { Body } from "../support/answers.js";
import { addFactor } from "../support/fixtures.js";
import { resolveReferences } from "../support/openapi.js";
import { signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { useGateway } from "../support/use.js";

const COUNTRY = "an ISO 3166-1 country code, or a country's English, French, German or Spanish name";

let ada: TestPerson;
let facility: string;
const gateway = useGateway();
beforeAll(async () => {
  ada = await signUp(gateway);
  const json = { code: "HAM-1", name: "Hamburg works" };
  facility = (await ada.call<Body>("/v1/facilities", { json })).body.data.id;
});

interface Sent {
  readonly json?: unknown;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

async function errorOf(request: string, sent: Sent = {}): Promise<[number, string, string, string[]?]> {
  const [method, path = ""] = request.split(" ");
  const at = path.replace("{facility}", facility);
  const { status, body } = await ada.call<Body>(at, { method: method as string, ...sent });
  const { code, message, details } = body.error ?? {};
  return [status, code, message, details?.map(({ path: part }: Body) => part)];
}

const JSON_TYPE = { "Content-Type": "application/json" };
const ID = "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a";

describe("an error of /v1", () => {
  it.each<[string, Sent, number, string, string, string[]?]>([
    [
      "POST /v1/facilities",
      { body: '{"code": "A", "name": "B",}', headers: JSON_TYPE },
      400,
      "BAD_REQUEST",
      "body: malformed JSON at line 1, column 27: quoted object key expected but got '}'",
    ],
    [
      "POST /v1/facilities",
      { body: '{"code": "A"\n "name": "B"}', headers: JSON_TYPE },
      400,
      "BAD_REQUEST",
      "body: malformed JSON at line 2, column 2: comma ',' expected after value but got '\"'",
    ],
    [
      "POST /v1/facilities",
      { body: "code=A", headers: { "Content-Type": "application/x-www-form-urlencoded" } },
      415,
      "BAD_REQUEST",
      "Unsupported content type: expected application/json, got application/x-www-form-urlencoded.",
    ],
    [
      `DELETE /v1/emissions/records/${ID}?reason=twice`,
      {},
      400,
      "BAD_REQUEST",
      "query.reason: unknown parameter. Send it in the body; body.reason: expected text, got nothing",
    ],
    ["GET /v1/facilities/HAM-1", {}, 404, "NOT_FOUND", 'path.id: expected a UUID, got "HAM-1"'],
    [
      "POST /v1/facilities",
      { json: { code: "A", name: "B", country: "XX" } },
      422,
      "VALIDATION_FAILED",
      `body.country: expected ${COUNTRY}, got "XX"`,
      ["country"],
    ],
    [
      "POST /v1/facilities",
      { json: { code: " ", name: 5, country: "Atlantis" } },
      422,
      "VALIDATION_FAILED",
      `body.name: expected text, got 5; body.country: expected ${COUNTRY}, got "Atlantis"; body.code: expected text of 1 or more characters besides spaces, got " "`,
      ["name", "country", "code"],
    ],
    [
      "POST /v1/facilities",
      { json: { code: "A", nmae: "B" } },
      422,
      "VALIDATION_FAILED",
      "body.name: expected text, got nothing; body.nmae: unknown field. Did you mean name?",
      ["name", "nmae"],
    ],
    [
      "PATCH /v1/facilities/{facility}",
      { json: { name: "B" }, headers: { "If-Match": "3" } },
      400,
      "BAD_REQUEST",
      'If-Match: expected a version in quotes, such as "3", got 3 without quotes',
    ],
    [
      "PATCH /v1/facilities/{facility}",
      { json: { name: "B" }, headers: { "If-Match": '"9"' } },
      409,
      "CONFLICT",
      'VERSION_MISMATCH: If-Match is "9", and the current version is "1". Read it again.',
      ["version"],
    ],
    [
      "PATCH /v1/facilities/{facility}",
      { json: {} },
      422,
      "VALIDATION_FAILED",
      "Nothing to change: give a new name, country, entity or electricity market, or archive it.",
      [""],
    ],
    [
      "GET /v1/emissions/records?facility=NOPE",
      {},
      400,
      "BAD_REQUEST",
      'query.facility: expected the code of a facility, got "NOPE"',
    ],
    [
      "GET /v1/emissions/records?from=2026-12-01&to=2026-01-01",
      {},
      400,
      "BAD_REQUEST",
      "query.to: expected 2026-12-01 or later, got 2026-01-01",
    ],
    [
      "GET /v1/emissions/records?cursor=abc",
      {},
      400,
      "BAD_REQUEST",
      'query.cursor: expected next_cursor of this list, got "abc", which was altered, or belongs to another filter, order or organization',
    ],
    [
      "GET /v1/emissions/records?form=2026-01-01",
      {},
      400,
      "BAD_REQUEST",
      "query.form: unknown parameter. Did you mean from?",
    ],
    [
      "GET /v1/anomalies?from=2026-13&by=site",
      {},
      400,
      "BAD_REQUEST",
      'query.from: expected a month, such as 2026-05, got "2026-13"; query.by: unknown parameter',
    ],
    [
      "GET /v1/anomalies?to=2027-01",
      {},
      400,
      "BAD_REQUEST",
      "query.to: expected at most 2026-10, the last complete month, got 2027-01",
    ],
    [
      "GET /v1/emissions/forecast?horizon=99",
      {},
      400,
      "BAD_REQUEST",
      "query.horizon: expected 1 to 12, got 99",
    ],
    [
      "POST /v1/emissions/records",
      { json: { recorded_on: "2026-13-01", scope: "scope_1", co2e_tonnes: "abc" } },
      422,
      "VALIDATION_FAILED",
      'body.recorded_on: expected a date YYYY-MM-DD, got "2026-13-01"; body.co2e_tonnes: expected a decimal, got "abc"',
      ["recorded_on", "co2e_tonnes"],
    ],
    [
      "POST /v1/compliance/deadlines",
      { json: { framework: "CDP", title: "A", due_date: "31.12.2026" } },
      422,
      "VALIDATION_FAILED",
      'body.due_date: expected a date YYYY-MM-DD, got "31.12.2026"',
      ["due_date"],
    ],
    [
      "POST /v1/emissions/metrics",
      { json: { name: "Units", unit: "units", month: "2026-1", value: "x" } },
      422,
      "VALIDATION_FAILED",
      'body.value: expected a decimal, got "x"; body.month: expected a month, such as 2026-05, got "2026-1"',
      ["value", "month"],
    ],
    [
      "POST /v1/calc/ghg",
      { json: { items: [] } },
      422,
      "VALIDATION_FAILED",
      "body.items: expected 1 to 100 items, got none",
      ["items"],
    ],
    [
      `POST /v1/credits/batches/${ID}/sales`,
      { json: { quantity: 1.5, price: 3 } },
      422,
      "VALIDATION_FAILED",
      "body.quantity: expected a whole number, got 1.5",
      ["quantity"],
    ],
    [
      `PATCH /v1/cbam/declarations/${ID}`,
      { json: {} },
      422,
      "VALIDATION_FAILED",
      "Nothing to change: give a year or certificates_held.",
      [""],
    ],
    [
      "POST /v1/calc/cbam",
      { json: { year: 2026, lines: [{ cn_code: "9999", country: "XX", mass_t: -1 }] } },
      422,
      "VALIDATION_FAILED",
      `lines[0].country must be ${COUNTRY}, or ZZ for any other country (got XX). lines[0].mass_t must be above 0 and at most 10^9 tonnes, with at most 6 decimals (got -1). lines[0].cn_code must be a code in Annex I of Regulation (EU) 2023/956, with at least as many digits as there (got 9999).`,
      ["lines[0].country", "lines[0].mass_t", "lines[0].cn_code"],
    ],
    [
      "POST /v1/calc/cbam",
      { json: { year: 2026, lines: [{ cn_code: "7208", country: "ZZ", mass_t: -1 }] } },
      422,
      "VALIDATION_FAILED",
      "lines[0].mass_t must be above 0 and at most 10^9 tonnes, with at most 6 decimals (got -1). lines[0].route must be C (carbon steel BF/BOF) or D (carbon steel DRI/EAF) or E (carbon steel scrap/EAF).",
      ["lines[0].mass_t", "lines[0].route"],
    ],
  ])("names the faulty part: %s %j", async (request, sent, ...expected) => {
    expect((await errorOf(request, sent)).filter((part) => part !== undefined)).toEqual(
      expected.filter((part) => part !== undefined),
    );
  });

  it("names the part of a selector that no factor matches", async () => {
    const factor = { activity: "Natural gas", region: "UK", unit: "litre", dimension: "volume" };
    await addFactor(gateway.database, ada.organization.slug, factor);
    const json = (more: object) => ({
      recorded_on: "2026-01-05",
      scope: "scope_1",
      activity: { amount: 1, unit: "km", selector: { activity: "Natural gas", region: "UK", ...more } },
    });
    expect(await errorOf("POST /v1/emissions/records", { json: json({}) })).toEqual([
      422,
      "FACTOR_NOT_FOUND",
      "Natural gas in UK has: litre.",
      ["activity.unit"],
    ]);
    expect(await errorOf("POST /v1/emissions/records", { json: json({ region: "Atlantis" }) })).toEqual([
      422,
      "FACTOR_NOT_FOUND",
      "Atlantis is not a region. Natural gas has factors for: UK.",
      ["activity.selector.region"],
    ]);
  });

  it("names all faulty parts of a verification request", async () => {
    const json = {
      period: { from: "2027-01-01", to: "2027-12-31" },
      scopes: ["scope_1"],
      level: "limited",
      materiality_pct: 5,
      verifier_email: "x",
    };
    expect(await errorOf("POST /v1/verification/requests", { json })).toEqual([
      422,
      "VALIDATION_FAILED",
      'verifier_email must be an e-mail address of at most 254 characters, such as ada@example.com (got "x"). period.to must be in the past (got 2027-12-31).',
      ["verifier_email", "period.to"],
    ]);
  });
});

describe("input that nothing reads", () => {
  it.each([
    "GET /v1/emissions/kpis",
    "GET /v1/audit/log/verify",
    "GET /v1/audit/log/export",
    "GET /v1/auth/me",
    "GET /v1/users/me/notification-preferences",
    "GET /v1/announcements/active",
    "POST /v1/calc/ghg",
    "POST /v1/auth/logout",
    "DELETE /v1/facilities/{facility}",
  ])("is refused as an unknown query parameter of %s", async (request) => {
    const json = { items: [{ amount: 1, unit: "kg", gas: "CO2" }] };
    const sent = request.startsWith("POST /v1/calc") ? { json } : {};
    expect((await errorOf(`${request}?zzz=1`, sent)).slice(0, 3)).toEqual([
      400,
      "BAD_REQUEST",
      "query.zzz: unknown parameter",
    ]);
  });

  it("is ignored under /ext/v1", async () => {
    const { key } = await newTenant(gateway);
    const answer = await gateway.call<Body>("/ext/v1/emissions?zzz=1", { headers: { "X-API-Key": key } });
    expect(answer.status).toBe(200);
  });

  it("is refused as If-Match on a request without versions", async () => {
    const sent = { json: { email: "a@example.org", role: "viewer" }, headers: { "If-Match": '"1"' } };
    const message = "If-Match: this request does not check a version; send it without the header";
    expect(await errorOf("POST /v1/invitations", sent)).toEqual([400, "BAD_REQUEST", message, undefined]);
    const patch = { json: { role: "owner" }, headers: { "If-Match": '"1"' } };
    expect((await errorOf(`PATCH /v1/members/${ada.user.id}`, patch))[2]).toBe(message);
  });
});

describe("POST /v1/calc/ghg", () => {
  it("reports an amount that is not a decimal for that item only", async () => {
    const items = ["abc", 2].map((amount) => ({ amount, unit: "kg", gas: "CO2" }));
    const { status, body } = await ada.call<Body>("/v1/calc/ghg", { json: { items } });
    expect([status, body.data.results]).toEqual([
      200,
      [
        { error: { code: "VALIDATION_FAILED", message: 'amount: expected a decimal, got "abc"' } },
        expect.objectContaining({ co2e_kg: 2 }),
      ],
    ]);
  });
});

describe("an API key", () => {
  const withKey = async (headers: (key: string) => Record<string, string>, method = "GET") => {
    const { key } = await newTenant(gateway);
    const path = "/v1/facilities";
    const body = method === "POST" ? { body: JSON.stringify({ code: "A", name: "B" }) } : {};
    const sent = { method, headers: { ...JSON_TYPE, ...headers(key) }, ...body };
    return (await gateway.call<Body>(path, sent)).body.error;
  };

  it("is refused as a bearer token, with the header that it belongs in", async () => {
    expect(await withKey((key) => ({ Authorization: `Bearer ${key}` }))).toEqual({
      code: "UNAUTHENTICATED",
      message: "The Authorization header contains an API key. Send it as X-API-Key.",
    });
  });

  it("is refused for a write, which no API key can do", async () => {
    expect(await withKey((key) => ({ "X-API-Key": key }), "POST")).toEqual({
      code: "INVALID_KEY",
      message:
        "API keys only read: none can have write:emissions. Use a service account, or sign in, and send the token as Authorization: Bearer.",
    });
  });
});

describe("a body with faults of several kinds", () => {
  /** Returns a value of the right type beyond the limits that a JSON Schema states; undefined if it states none. */
  const beyond = (schema: Body): unknown => {
    const [{ maxLength, minItems, minimum, maximum }] = schema.anyOf ?? [schema];
    if (maxLength !== undefined) return "x".repeat(maxLength + 1);
    if (minItems > 0) return [];
    if (minimum > -(2 ** 31)) return minimum - 1;
    return maximum < 2 ** 31 - 1 ? maximum + 1 : undefined;
  };

  it.each([
    ["/v1/api-keys", { tier: "gold", name: "x".repeat(81), scopes: [] }, ["tier", "name", "scopes"]],
    [
      "/v1/emissions/records",
      { records: [{ recorded_on: "2026-13-01", scope: "scope_1", co2e_tonnes: -1, note: "x".repeat(1001) }] },
      ["records[0].recorded_on", "records[0].co2e_tonnes", "records[0].note"],
    ],
    [
      "/v1/markets/prices",
      {
        exchange: 5,
        as_of: "2026-01-01",
        price: -1,
        currency: "euro",
        source_url: "www",
        unit: "x".repeat(201),
      },
      ["exchange", "price", "currency", "source_url", "unit", "credit_type", "source"],
    ],
    ["/v1/emissions/metrics", { name: 5, unit: " ", month: "May", value: "2" }, ["name", "unit", "month"]],
    [
      "/v1/verification/requests",
      { level: "some", materiality_pct: "1.00001", scopes: [], verifier_email: "vera" },
      ["level", "materiality_pct", "scopes", "verifier_email"],
    ],
  ])("has all problems in one answer of POST %s", async (path, json, expected) => {
    const [status, code, , details] = await errorOf(`POST ${path}`, { json });
    expect([status, code, details?.toSorted()]).toEqual([422, "VALIDATION_FAILED", expected.toSorted()]);
  });

  it("has all problems of single fields in one answer, in every operation", async () => {
    const { body: description } = await gateway.call<Body>("/openapi.json");
    const { paths } = resolveReferences(description, description) as Body;
    const answers: Body[] = [];
    const root = await signUpSuperAdmin(gateway);
    let count = 0;
    for (const [path, operations] of Object.entries<Body>(paths)) {
      for (const [method, { requestBody, parameters = [] }] of Object.entries<Body>(operations)) {
        const { properties } = requestBody?.content?.["application/json"]?.schema ?? {};
        if (!["post", "put", "patch"].includes(method) || !properties) continue;
        const wrong = Object.entries(properties).flatMap(([name, schema]) => {
          const value = beyond(schema);
          return value === undefined ? [] : [[name, value]];
        });
        if (wrong.length === 0) continue;
        count += wrong.length;
        const at = parameters.reduce(
          (text: string, { name, schema }: Body) =>
            text.replace(`{${name}}`, schema.enum?.[0] ?? (schema.type === "integer" ? 2026 : ID)),
          path,
        );
        const json = { ...Object.fromEntries(wrong), nonsense: 1 };
        const caller = path.startsWith("/admin") ? root : ada;
        const { body } = await caller.call<Body>(`/v1${at}`, { method: method.toUpperCase(), json });
        const named = body.error?.details?.map((detail: Body) => detail.path) ?? [];
        const missing = [...wrong.map(([name]) => name), "nonsense"].filter((name) => !named.includes(name));
        if (missing.length > 0) answers.push({ method, path, missing, error: body.error });
      }
    }
    expect(answers).toEqual([]);
    expect(count).toBeGreaterThan(80);
  });
});
