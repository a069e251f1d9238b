import { describe, expect, it } from "vitest";
import { acceptsIfMatch, type Endpoint } from "../../src/rest/endpoint.js";
import { answer, type Body, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { OWN_FACTOR } from "../support/own-factor.js";
import { signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { useGateway } from "../support/use.js";
import { listV1 } from "../support/v1.js";
import {
  completeStep,
  draft,
  prepareVerification,
  REQUESTS,
  submitTo,
  YEAR,
} from "../support/verification.js";

const gateway = useGateway();

const SELECTOR = { activity: "wood chips", region: "Home", year: 2025, scope: "scope_1" };
const activity = (amount: number) => ({ amount, unit: "kWh (net CV)", selector: SELECTOR });
const RECORD = { recorded_on: "2026-01-31", scope: "scope_1", co2e_tonnes: 1 };
const FACILITY = { code: "LON", name: "London", country: "GB" };
const METRIC = { name: "Steel", unit: "t", month: "2026-01", value: 1 };
const DEADLINE = { framework: "CDP", title: "Answer", due_date: "2027-01-31" };
const PERIOD = {
  entity: "Smelter",
  financial_year: "2025-26",
  target_gei: 13,
  achieved_gei: 14,
  output: 1_000,
  target_source_url: "https://moef.gov.in/",
};
const BATCH = { reference: "B-1", credit_type: "VCS", vintage: 2024, quantity: 100 };
const INSTRUMENT = {
  reference: "GO-1",
  kind: "certificate",
  market: "GB",
  mwh: 300,
  rate_kg_per_kwh: 0,
  generated_from: "2025-01-01",
  generated_to: "2025-12-31",
  registry: "REGO",
  certificate_number: "G001",
};
const PRICE = {
  credit_type: "EUA",
  exchange: "EEX",
  price: "80.5",
  currency: "EUR",
  as_of: "2026-11-18",
  source: "Auction",
  source_url: "https://example.org/auction",
};
const TARGET = {
  name: "Minus 42 %",
  scopes: ["scope_1", "scope_2"],
  scope_2_method: "location_based",
  base_year: 2025,
  target_year: 2035,
  reduction_pct: 42,
};

/** Sends a request, expects success, and returns the id of what it created. */
async function create(person: TestPerson, path: string, json: object): Promise<string> {
  const { body } = await person.call<Body>(path, { json });
  expect([path, body.error]).toEqual([path, null]);
  return idOf(body.data);
}

/** Returns the id of an object, or of the object next to its secret. */
function idOf(data: Body): string {
  learnKeys(JSON.stringify(data));
  return data.id ?? (Object.values(data) as Body[]).find((value) => value?.id)?.id;
}

const trailOf = ({ organization }: TestPerson) =>
  readAuditTrail(gateway.database, organization.slug === "platform" ? null : organization.id);

/** Values that the audit trail has in another form, or hides. */
const DIFFERENT = ["activity", "month", "owner", "verifier_email"];

/** Returns a value of a request as the audit trail has it. */
const asAudited = (value: unknown) =>
  typeof value === "string" && /^[\d.]+$/.test(value) ? Number(value) : (value ?? null);

/** Requests with tests of their own, because they concern several objects or need more than one organization. */
const ELSEWHERE = {
  created: [
    "/auth/register",
    "/compliance/deadlines/adopt",
    "/emissions/records",
    "/inventory/{year}/issues",
  ],
  changed: [
    "/cbam/declarations/{id}/imports/{import_id}",
    "/directory/groups/{id}",
    "/sso",
    "/users/me/notification-preferences",
  ],
};

interface Caller {
  readonly ada: TestPerson;
  readonly path: string;
}
interface Creation {
  /** The endpoint, below `/v1`. */
  readonly at: string;
  readonly json: object;
  /** The type of the audit entry's target. */
  readonly noun: string;
  /** The same values in another spelling. */
  readonly same?: object;
  /** Other values, which the existing object refuses. */
  readonly other: object;
  /** Creates what the request needs; returns its sender and path. */
  readonly prepare?: () => Promise<Caller>;
}

const inBatch = (list: string) => async () => {
  const ada = await signUp(gateway);
  return { ada, path: `/v1/credits/batches/${await create(ada, "/v1/credits/batches", BATCH)}/${list}` };
};

/** Every request that creates something once, for a reference or for its own values. */
const CREATIONS: readonly Creation[] = [
  {
    at: "/facilities",
    json: FACILITY,
    noun: "facility",
    same: { name: " London " },
    other: { name: "Paris", country: "FR" },
  },
  {
    at: "/emission-factors",
    json: { ...OWN_FACTOR, unit: "kWh (net CV)" },
    noun: "emission_factor",
    same: { factor: 0.015, unit: "KWH (net cv)" },
    other: { factor: 0.016, source: "Guess" },
  },
  {
    at: "/emissions/metrics",
    json: METRIC,
    noun: "business_metric",
    same: { name: " Steel ", value: "1.000" },
    other: { unit: "kg", value: 2 },
  },
  {
    at: "/compliance/deadlines",
    json: { ...DEADLINE, recurrence: "annual", owner: "Asha Rao" },
    noun: "deadline",
    same: { status: "pending" },
    other: { recurrence: "monthly", owner: "Finance" },
  },
  {
    at: "/compliance/ccts",
    json: PERIOD,
    noun: "ccts_period",
    same: { target_gei: "13.000", output: "1000.0" },
    other: { achieved_gei: 15, average_price: 600 },
  },
  { at: "/cbam/declarations", json: { year: 2026 }, noun: "cbam_declaration", other: {} },
  {
    at: "/credits/batches",
    json: BATCH,
    noun: "credit_batch",
    same: { reference: " B-1 " },
    other: { vintage: null, quantity: 90 },
  },
  {
    at: "/credits/batches/{id}/sales",
    json: { reference: "S-1", quantity: 3, buyer: "Globex", price: "8.75", currency: "USD" },
    noun: "credit_sale",
    same: { price: "8.750" },
    other: { quantity: 4, buyer: "Initech" },
    prepare: inBatch("sales"),
  },
  {
    at: "/credits/batches/{id}/retirements",
    json: { reference: "R-1", quantity: 6, beneficiary: "Acme", retired_on: "2026-11-01" },
    noun: "credit_retirement",
    other: { quantity: 7, beneficiary: "Initech" },
    prepare: inBatch("retirements"),
  },
  {
    at: "/markets/prices",
    json: PRICE,
    noun: "market_price",
    same: { price: 80.5 },
    other: { price: 81, source: "Guess" },
  },
  {
    at: "/inventory/instruments",
    json: INSTRUMENT,
    noun: "energy_instrument",
    same: { mwh: "300.000000" },
    other: { mwh: 299, registry: "AIB" },
  },
  {
    at: "/inventory/instruments/{id}/claims",
    json: {
      reference: "C-1",
      facility: "LON",
      year: 2025,
      mwh: "5",
      cancelled_on: "2026-02-10",
      cancellation: "CAN-7",
    },
    noun: "energy_claim",
    same: { mwh: 5 },
    other: { mwh: 6, cancellation: "CAN-8" },
    async prepare() {
      const ada = await signUp(gateway);
      await create(ada, "/v1/facilities", FACILITY);
      const id = await create(ada, "/v1/inventory/instruments", INSTRUMENT);
      return { ada, path: `/v1/inventory/instruments/${id}/claims` };
    },
  },
  {
    at: "/verification/requests",
    json: {
      period: YEAR,
      scopes: ["scope_1"],
      level: "limited",
      materiality_pct: 5,
      verifier_email: "v@example.org",
    },
    noun: "verification_request",
    same: { materiality_pct: "5.0" },
    other: {},
    prepare: async () => ({ ...(await prepareVerification(gateway)), path: REQUESTS }),
  },
  {
    at: "/verification/requests/{id}/findings",
    json: { text: "Wrong meter.", severity: "high", misstatement_tonnes: 10 },
    noun: "verification_finding",
    same: { misstatement_tonnes: "10.0" },
    other: {},
    async prepare() {
      const { ada, vera } = await prepareVerification(gateway);
      const { path } = await draft(ada, vera);
      await submitTo(ada, vera, path);
      await completeStep(vera, path, "start");
      return { ada: { ...vera, organization: ada.organization }, path: `${path}/findings` };
    },
  },
];

describe.each(CREATIONS)("POST $at", ({ at, json, noun, same = {}, other, prepare }) => {
  it("creates one object for requests with the same values, and audits it once", async () => {
    const { ada, path } = prepare ? await prepare() : { ada: await signUp(gateway), path: `/v1${at}` };
    const before = (await trailOf(ada)).length;
    const send = (changed: object = {}) => ada.call<Body>(path, { json: { ...json, ...changed } });
    const both = await Promise.all([send(), send()]);
    const [made, again] = both.toSorted((one, two) => two.status - one.status) as [Body, Body];
    expect([made.status, again.status, made.body.error]).toEqual([201, 200, null]);
    const { data, error: _, meta } = made.body;
    expect([again.headers.get("location"), again.body.data]).toEqual([null, data]);
    const location = made.headers.get("location");
    expect(location).toMatch(new RegExp(`/(?:${data.id ?? data.issue})$`));
    const read = await ada.call<Body>(location);
    if (read.status !== 405 && read.status !== 404) {
      expect([read.status, read.body.data]).toMatchObject([200, data]);
      expect(read.headers.get("etag")).toBe(made.headers.get("etag"));
    }
    await answer(send(same), 200, data);

    const entries = (await trailOf(ada)).slice(before);
    const actions = entries.map(({ action }) => action);
    // A verification request begins its history.
    const isHistory = (action: string) => action === "verification_status_change.created";
    expect(actions.filter((action) => !isHistory(action))).toEqual([`${noun}.created`]);
    const [{ actor, target, request_id, changes }] = entries as [Body];
    expect([actor, target.type]).toEqual([{ type: "user", id: ada.user.id }, noun]);
    expect([meta.request_id, again.body.meta.request_id]).toContain(request_id);
    const values = Object.entries(json).filter(([name]) => name in changes && !DIFFERENT.includes(name));
    expect(values.length).toBeGreaterThan(0);
    expect(values.map(([name]) => [name, changes[name]])).toEqual(
      values.map(([name, value]) => [name, asAudited(value)]),
    );
  });

  it.skipIf(Object.keys(other).length === 0)("refuses other values, and names each", async () => {
    const { ada, path } = prepare ? await prepare() : { ada: await signUp(gateway), path: `/v1${at}` };
    const made = await answer(ada.call(path, { json }), 201);
    const { length } = await trailOf(ada);
    const stored = json as Body;
    const problems = Object.entries(other).map(([name, got]) => [
      name,
      `is stored as ${stored[name] ?? "empty"}, got ${got ?? "nothing"}`,
    ]);
    await refused(ada.call(path, { json: { ...json, ...other } }), 409, Object.fromEntries(problems));
    expect(await trailOf(ada)).toHaveLength(length);
    await answer(ada.call(path, { json }), 200, made);
  });
});

interface Change {
  /** The endpoint that changes, below `/v1`. */
  readonly at: string;
  /** The type of the audit entry's target. */
  readonly noun: string;
  /** Values that the object is created with, those of a change, and those of another one. All of them differ. */
  readonly values: readonly [created: object, change: object, other: object];
}

const COMPARED = {
  from: "2025-01",
  equity_share: "0.4",
  financial_control: "joint",
  operational_control: true,
};
const STREAM = { scope: "scope_1", category: "Gas" };

/** Requests that change an object, with PATCH after a POST to its list, or with a second PUT. */
const CHANGES: readonly Change[] = [
  {
    at: "/emissions/records/{id}",
    noun: "emission_record",
    values: [{ ...RECORD, note: "Meter 6" }, { co2e_tonnes: "2.50", note: "Meter 7" }, { note: null }],
  },
  {
    at: "/emissions/records/{id}",
    noun: "emission_record",
    values: [RECORD, { activity: activity(10) }, { activity: activity(11) }],
  },
  {
    at: "/facilities/{id}",
    noun: "facility",
    values: [FACILITY, { name: "Harburg", country: "DE" }, { country: null }],
  },
  {
    at: "/emissions/metrics/{id}",
    noun: "business_metric",
    values: [METRIC, { value: "2.0" }, { value: 3 }],
  },
  {
    at: "/compliance/deadlines/{id}",
    noun: "deadline",
    values: [DEADLINE, { due_date: "2027-02-28", recurrence: "annual" }, { title: "Answers" }],
  },
  {
    at: "/compliance/ccts/{id}",
    noun: "ccts_period",
    values: [PERIOD, { output: "2000.0" }, { output: 3_000 }],
  },
  {
    at: "/cbam/declarations/{id}",
    noun: "cbam_declaration",
    values: [{ year: 2026 }, { certificates_held: 5 }, { certificates_held: 6 }],
  },
  {
    at: "/inventory/targets/{id}",
    noun: "reduction_target",
    values: [TARGET, { name: "Less", reduction_pct: "50.0" }, { reduction_pct: 60 }],
  },
  {
    at: "/api-keys/{id}",
    noun: "api_key",
    values: [{ name: "ERP", scopes: ["read:market"], tier: "free" }, { name: "BI" }, { name: "X" }],
  },
  {
    at: "/service-accounts/{id}",
    noun: "service_account",
    values: [{ name: "ERP", role: "viewer" }, { name: "BI" }, { name: "X" }],
  },
  {
    at: "/webhook-endpoints/{id}",
    noun: "webhook_endpoint",
    values: [
      { url: "https://93.184.215.14/hook", types: ["facility.updated"] },
      { types: ["facility.*"] },
      { types: ["facility.created"] },
    ],
  },
  {
    at: "/admin/announcements/{id}",
    noun: "announcement",
    values: [{ title: "Maintenance", body_markdown: "Text" }, { title: "Later" }, { level: "critical" }],
  },
  {
    at: "/compliance/frameworks/CDP",
    noun: "framework",
    values: [{ status: "pending_review" }, { status: "compliant" }, { status: "action_required" }],
  },
  {
    at: "/inventory/entities/PUN",
    noun: "entity",
    values: [
      { name: "Pune Ltd", holdings: [COMPARED] },
      { name: "Pune", holdings: [COMPARED] },
      { name: "Poona", holdings: [COMPARED] },
    ],
  },
  {
    at: "/inventory/streams",
    noun: "emission_stream",
    values: [
      { ...STREAM, line: "process" },
      { ...STREAM, line: "process", method: "measured" },
      { ...STREAM, line: "fugitive" },
    ],
  },
];

describe.each(CHANGES)("a change at $at", ({ at, noun, values: [created, change, other] }) => {
  /** Creates the object, and returns how to change it. */
  async function prepare() {
    const ada = at.startsWith("/admin") ? await signUpSuperAdmin(gateway) : await signUp(gateway);
    if ("activity" in change) await create(ada, "/v1/emission-factors", OWN_FACTOR);
    const isPatch = at.endsWith("{id}");
    const list = `/v1${at.replace("/{id}", "")}`;
    const path = isPatch ? `${list}/${await create(ada, list, created)}` : list;
    const method = isPatch ? "PATCH" : "PUT";
    if (!isPatch) await answer(ada.call(path, { method, json: created }), 200);
    const send = (json: object, version: string) =>
      ada.call<Body>(path, { method, json, headers: { "If-Match": version } });
    return { ada, path, send };
  }
  const mismatch = (given: number, current: number) => ({
    version: `VERSION_MISMATCH: If-Match is "${given}", and the current version is "${current}". Read it again.`,
  });

  it("is made once in the current version, and audited once with the former and the new value", async () => {
    const { ada, path, send } = await prepare();
    const before = (await trailOf(ada)).length;
    const first = await send(change, '"1"');
    expect([first.status, first.body.error, first.headers.get("etag")]).toEqual([
      200,
      null,
      expect.stringMatching(/^"2["-]/),
    ]);
    const entries = (await trailOf(ada)).slice(before);
    // An entity's holdings are replaced with it.
    const own = entries.filter(({ action }) => !action.startsWith("entity_holding."));
    expect(own).toMatchObject([
      {
        action: `${noun}.updated`,
        actor: { type: "user", id: ada.user.id },
        target: { type: noun },
        request_id: first.body.meta.request_id,
      },
    ]);
    const { changes } = own[0] as Body;
    const names = Object.keys(change).filter((name) => name in changes && !DIFFERENT.includes(name));
    expect(Object.keys(changes).length).toBeGreaterThan(0);
    expect(names.map((name) => [name, changes[name]])).toEqual(
      names.map((name) => [
        name,
        { from: asAudited((created as Body)[name]), to: asAudited((change as Body)[name]) },
      ]),
    );

    // A framework's status is confirmed again by whoever knows the current version.
    for (const version of noun === "framework" ? ['"1"'] : ['"1"', '"2"']) {
      const again = await send(change, version);
      expect([again.status, again.headers.get("etag"), again.body.data]).toEqual([
        200,
        first.headers.get("etag"),
        first.body.data,
      ]);
    }
    await refused(send(other, '"1"'), 409, mismatch(1, 2));
    expect(await trailOf(ada)).toHaveLength(before + entries.length);
    await answer(send(other, "*"), 200);
    const { headers } = await ada.call(path);
    const etag = headers.get("etag");
    if (etag !== null) {
      expect(etag).toMatch(/^"3["-]/);
      expect((await ada.call(path, { headers: { "If-None-Match": etag } })).status).toBe(304);
    }
  });

  it("wins alone of two at once", async () => {
    const { send } = await prepare();
    const both = [send(change, '"1"'), send(other, '"1"')];
    const [won, lost] = (await Promise.all(both)).toSorted((one, two) => one.status - two.status);
    expect(won?.headers.get("etag")).toMatch(/^"2["-]/);
    await refused(lost as Body, 409, mismatch(1, 2));
  });
});

describe("the tables of this file", () => {
  const named = (endpoints: readonly Endpoint[]) => endpoints.map(({ method, path }) => `${method} ${path}`);

  it("have every request that may find its object", async () => {
    const endpoints = (await listV1()).filter(
      (endpoint) => "creates" in endpoint && endpoint.creates === "sometimes",
    );
    expect(endpoints.map(({ path }) => path).toSorted()).toEqual(
      [...CREATIONS.map(({ at }) => at), ...ELSEWHERE.created].toSorted(),
    );
  });

  it("have every request that changes an object in its current version", async () => {
    const endpoints = (await listV1())
      .filter(acceptsIfMatch)
      .filter(({ method }) => /PATCH|PUT/.test(method));
    const changed = CHANGES.map(({ at }) => at.replace("CDP", "{code}").replace("PUN", "{code}"));
    expect(
      named(endpoints)
        .map((name) => name.split(" ")[1])
        .toSorted(),
    ).toEqual([...new Set([...changed, ...ELSEWHERE.changed])].toSorted());
  });
});
