import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_METRICS } from "../../src/domain/emissions/metric-limits.js";
import { readAuditTrail } from "../support/audit.js";
import { addMetric } from "../support/fixtures.js";
import { addMember, signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/emissions/metrics";
const UNITS = { name: "Units produced", unit: "units", month: "2026-10", value: 4300.5 };

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const record = (person: TestPerson, changed: object = {}) =>
  person.call(PATH, { json: { ...UNITS, ...changed } });
const change = (person: TestPerson, id: string, json: object, version?: string) =>
  person.call(`${PATH}/${id}`, { method: "PATCH", json, headers: version ? { "If-Match": version } : {} });
const idOf = ({ body }: { body: Envelope }) => (body.data as { id: string }).id;
const refusal = ({ status, body }: { status: number; body: Envelope }) => [status, body.error];
const conflict = (path: string, message: string, details = message) => [
  409,
  { code: "CONFLICT", message, details: [{ path, message: details }] },
];

const RECORD = `mutation ($name: String!, $unit: String!, $month: Month!, $value: Decimal!) {
  recordBusinessMetric(input: { name: $name, unit: $unit, month: $month, value: $value }) {
    isNew metric { id name unit month value valueExact version } } }`;
const UPDATE = `mutation ($id: UUID!, $value: Decimal, $unit: String, $expectedVersion: Int) {
  updateBusinessMetric(input: { id: $id, value: $value, unit: $unit, expectedVersion: $expectedVersion }) {
    metric { valueExact version } } }`;

describe("/v1/emissions/metrics", () => {
  it("records a metric once a month, over REST and GraphQL", async () => {
    const ada = await signUp(gateway);
    const made = await record(ada);
    const metric = { ...UNITS, id: idOf(made), value_exact: "4300.5", version: 1 };
    expect([made.status, made.headers.get("etag"), made.body.data]).toEqual([201, '"1"', metric]);
    const location = made.headers.get("location") ?? "";
    expect(location).toBe(`${PATH}/${metric.id}`);
    const read = await ada.call(location);
    expect([read.status, read.headers.get("etag"), read.body.data]).toEqual([200, '"1"', metric]);

    const again = await record(ada, { name: " Units produced ", value: "4300.500" });
    expect([again.status, again.headers.get("location"), again.body.data]).toEqual([200, null, metric]);
    const graph = await ada.graphql(RECORD, { ...UNITS, value: "4300.5" });
    const { value_exact: valueExact, ...same } = metric;
    expect(graph.body.data.recordBusinessMetric).toEqual({ isNew: false, metric: { ...same, valueExact } });
    const next = await ada.graphql(RECORD, { ...UNITS, month: "2026-09", value: "0" });
    expect(next.body.data.recordBusinessMetric).toMatchObject({ isNew: true, metric: { valueExact: "0" } });

    const listed = await ada.call(`${PATH}?limit=1&name=Units%20produced`);
    const { items, next_cursor } = listed.body.data as { items: { month: string }[]; next_cursor: string };
    expect(items.map(({ month }) => month)).toEqual(["2026-09"]);
    expect((await ada.call(`${PATH}?limit=1&name=Units%20produced&cursor=${next_cursor}`)).body.data).toEqual(
      { items: [metric], next_cursor: null },
    );
    expect((await ada.call(`${PATH}?name=units`)).body.data).toEqual({ items: [], next_cursor: null });
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "business_metric.created",
      actor: { type: "user", id: ada.user.id },
      changes: { name: "Units produced", month: "2026-09-01", value: 0 },
    });
  });

  it("refuses another value for a month, and a second unit, and names what differs", async () => {
    const ada = await signUp(gateway);
    await record(ada);
    const message = "The metric Units produced of 2026-10 already exists with a different unit, value.";
    expect(refusal(await record(ada, { unit: "pieces", value: "1" }))).toEqual([
      409,
      {
        code: "CONFLICT",
        message,
        details: [
          { path: "unit", message: "is stored as units, got pieces" },
          { path: "value", message: "is stored as 4300.5, got 1" },
        ],
      },
    ]);
    const otherUnit = "The other months of Units produced are in units, got pieces.";
    expect(refusal(await record(ada, { unit: "pieces", month: "2026-09" }))).toEqual(
      conflict("unit", otherUnit),
    );
    const second = idOf(await record(ada, { month: "2026-09" }));
    expect(refusal(await change(ada, second, { unit: "pieces" }))).toEqual(conflict("unit", otherUnit));
  });

  it("changes a metric if If-Match has its version, and intensities follow at once", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    const months = ["11", "12"].map((month) => `2025-${month}`);
    for (let month = 1; month <= 9; month += 1) months.push(`2026-0${month}`);
    await addMetric(gateway.database, slug, months, { value: "100" });
    const total = async () => {
      const { body } = await ada.call("/v1/emissions/kpis");
      return (body.data as { intensity: object[] }).intensity[0];
    };
    expect(await total()).toMatchObject({ missing_months: ["2026-10"], metric_total_exact: "1100" });
    const id = idOf(await record(ada, { value: 900 }));
    expect(await total()).toMatchObject({ missing_months: [], metric_total_exact: "2000" });

    const changed = await change(ada, id, { value: "950.25" }, '"1"');
    expect([changed.status, changed.headers.get("etag"), changed.body.data]).toEqual([
      200,
      '"2"',
      { ...UNITS, id, value: 950.25, value_exact: "950.25", version: 2 },
    ]);
    expect(await total()).toMatchObject({ metric_total_exact: "2050.25" });
    const mismatch = 'VERSION_MISMATCH: If-Match is "1", and the current version is "2". Read it again.';
    expect(refusal(await change(ada, id, { value: 1 }, '"1"'))).toEqual(conflict("version", mismatch));
    const late = await ada.graphql(UPDATE, { id, value: "1", expectedVersion: 1 });
    expect(late.body.errors?.[0]).toMatchObject({
      message: "VERSION_MISMATCH: expectedVersion is 1, and the current version is 2. Read it again.",
      extensions: { code: "CONFLICT" },
    });
    const graph = await ada.graphql(UPDATE, { id, value: "7", expectedVersion: 2 });
    expect(graph.body.data.updateBusinessMetric.metric).toEqual({ valueExact: "7", version: 3 });
    const only = idOf(await record(ada, { name: "Revenue", unit: "EUR" }));
    expect((await change(ada, only, { unit: "USD" })).body.data).toMatchObject({ unit: "USD", version: 2 });
  });

  it("reports all problems of a request together", async () => {
    const ada = await signUp(gateway);
    const wrong = { name: " ", unit: "a\nb", month: "2026-13", value: "-1" };
    const details = [
      { path: "name", message: "name must not be blank." },
      { path: "unit", message: "unit must not have control characters." },
      {
        path: "month",
        message: "month must be a month as YYYY-MM, from 1990-01 to a year from now (got 2026-13).",
      },
      { path: "value", message: "value must be 0 to 10^15 with at most 6 decimals (got -1)." },
    ];
    const message = details.map((each) => each.message).join(" ");
    expect(refusal(await record(ada, wrong))).toEqual([422, { code: "VALIDATION_FAILED", message, details }]);
    const graph = await ada.graphql(RECORD, wrong);
    expect(graph.body.errors?.[0]).toMatchObject({
      message,
      extensions: {
        code: "VALIDATION_FAILED",
        details: details.map(({ path, message }) => ({ path: `input.${path}`, message })),
      },
    });
  });

  it.each([
    ["month", "1989-12"],
    ["month", "2027-12"],
    ["month", "2026-1"],
    ["month", "2026-10-01"],
    ["value", "0.0000001"],
    ["value", "1000000000000000.000001"],
    ["unit", ""],
    ["name", "x".repeat(201)],
  ])("refuses the %s %s", async (path, given) => {
    const answer = await record(await signUp(gateway), { [path]: given });
    expect([answer.status, answer.body.error]).toMatchObject([422, { details: [{ path }] }]);
  });

  it.each([
    ["month", "1990-01"],
    ["month", "2027-11"],
    ["value", "999999999999999.999999"],
    ["value", "1000000000000000"],
    ["name", "🏭".repeat(200)],
  ])("accepts the %s %s", async (path, given) => {
    const { status, body } = await record(await signUp(gateway), { [path]: given });
    expect([status, body.data]).toMatchObject([201, { [path === "value" ? "value_exact" : path]: given }]);
  });

  it("records one of two identical concurrent requests, and one of two concurrent units", async () => {
    const ada = await signUp(gateway);
    const twice = await Promise.all([record(ada), record(ada)]);
    expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    const units = await Promise.all(
      ["EUR", "USD"].map((unit, n) => record(ada, { name: "Revenue", unit, month: `2026-0${n + 1}` })),
    );
    expect(units.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it(`refuses more than ${MAX_METRICS} metrics in an organization`, async () => {
    const ada = await signUp(gateway);
    for (let n = 0; n < MAX_METRICS; n += 1)
      await addMetric(gateway.database, ada.organization.slug, ["2026-09"], { name: `Metric ${n}` });
    const message = `The organization already has ${MAX_METRICS} business metrics, the maximum.`;
    expect(refusal(await record(ada))).toEqual(conflict("name", message));
    expect((await record(ada, { name: "Metric 7" })).status).toBe(201);
  });

  it("lets keys and viewers read, and editors write, within their organization", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    const [viewer, editor] = [
      await addMember(gateway, slug, "viewer"),
      await addMember(gateway, slug, "editor"),
    ];
    const id = idOf(await record(editor));
    expect((await record(viewer)).status).toBe(403);
    expect((await change(viewer, id, { value: 1 })).status).toBe(403);
    const { key } = await makeKey(gateway.database, slug);
    const headers = { "X-API-Key": key };
    expect((await gateway.call(PATH, { headers })).status).toBe(200);
    expect((await viewer.call(`${PATH}/${id}`)).status).toBe(200);
    const json = {
      method: "POST",
      body: JSON.stringify(UNITS),
      headers: { ...headers, "Content-Type": "application/json" },
    };
    expect((await gateway.call(PATH, json)).status).toBe(401);

    const stranger = await signUp(gateway);
    for (const unknown of [id, randomUUID()]) {
      const message = `There is no business metric with the id ${unknown}.`;
      expect(refusal(await change(stranger, unknown, { value: 1 }))).toEqual([
        404,
        { code: "NOT_FOUND", message },
      ]);
      expect((await stranger.call(`${PATH}/${unknown}`)).status).toBe(404);
    }
    expect((await record(stranger, { unit: "pieces" })).status).toBe(201);
    expect((await ada.call(`${PATH}/${id}`)).body.data).toMatchObject({ unit: "units", version: 1 });
  });
});
