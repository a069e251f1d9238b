import { beforeEach, describe, expect, it } from "vitest";
import { MAX_METRICS } from "../../src/domain/emissions/metric-limits.js";
import { answer, type Body, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addMetric } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/emissions/metrics";
const UNITS = { name: "Units produced", unit: "units", month: "2026-10", value: 4300.5 };

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const record = (person: TestPerson, changed: object = {}) =>
  person.call<Body>(PATH, { json: { ...UNITS, ...changed } });
const change = (person: TestPerson, id: string, json: object) =>
  person.call<Body>(`${PATH}/${id}`, { method: "PATCH", json });

const RECORD = `mutation ($name: String!, $unit: String!, $month: Month!, $value: Decimal!) {
  recordBusinessMetric(input: { name: $name, unit: $unit, month: $month, value: $value }) {
    isNew metric { id name unit month value valueExact version } } }`;
const UPDATE = `mutation ($id: UUID!, $value: Decimal, $expectedVersion: Int) {
  updateBusinessMetric(input: { id: $id, value: $value, expectedVersion: $expectedVersion }) {
    metric { valueExact version } } }`;

describe("/v1/emissions/metrics", () => {
  it("records a metric once a month, over REST and GraphQL", async () => {
    const ada = await signUp(gateway);
    const metric = await answer(record(ada), 201, {
      ...UNITS,
      id: expect.any(String),
      value_exact: "4300.5",
      version: 1,
    });
    const graph = await ada.graphql(RECORD, { ...UNITS, value: "4300.5" });
    const { value_exact: valueExact, ...same } = metric;
    expect(graph.body.data.recordBusinessMetric).toEqual({ isNew: false, metric: { ...same, valueExact } });
    const next = await ada.graphql(RECORD, { ...UNITS, month: "2026-09", value: "0" });
    expect(next.body.data.recordBusinessMetric).toMatchObject({ isNew: true, metric: { valueExact: "0" } });

    const list = (query: string) => ada.call<Body>(`${PATH}?${query}`);
    const { items, next_cursor } = await answer(list("limit=1&name=Units%20produced"), 200);
    expect(items.map(({ month }: Body) => month)).toEqual(["2026-09"]);
    const rest = list(`limit=1&name=Units%20produced&cursor=${next_cursor}`);
    await answer(rest, 200, { items: [metric], next_cursor: null });
    await answer(list("name=units"), 200, { items: [], next_cursor: null });
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)?.changes).toMatchObject({
      month: "2026-09-01",
    });
  });

  it("refuses another value for a month, and a second unit", async () => {
    const ada = await signUp(gateway);
    await answer(record(ada), 201);
    const message = "The metric Units produced of 2026-10 already exists with a different unit, value.";
    await refused(record(ada, { unit: "pieces", value: "1" }), 409, message);
    const otherUnit = { unit: "The other months of Units produced are in units, got pieces." };
    await refused(record(ada, { unit: "pieces", month: "2026-09" }), 409, otherUnit);
    const { id } = await answer(record(ada, { month: "2026-09" }), 201);
    await refused(change(ada, id, { unit: "pieces" }), 409, otherUnit);
    await answer(record(await signUp(gateway), { unit: "pieces" }), 201);
  });

  it("changes a metric, over REST and GraphQL, and intensities follow at once", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    const months = ["11", "12"].map((month) => `2025-${month}`);
    for (let month = 1; month <= 9; month += 1) months.push(`2026-0${month}`);
    await addMetric(gateway.database, slug, months, { value: "100" });
    const total = async () => (await answer(ada.call("/v1/emissions/kpis"), 200)).intensity[0];
    expect(await total()).toMatchObject({ missing_months: ["2026-10"], metric_total_exact: "1100" });
    const { id } = await answer(record(ada, { value: 900 }), 201);
    expect(await total()).toMatchObject({ missing_months: [], metric_total_exact: "2000" });
    const changed = { ...UNITS, id, value: 950.25, value_exact: "950.25", version: 2 };
    await answer(change(ada, id, { value: "950.25" }), 200, changed);
    expect(await total()).toMatchObject({ metric_total_exact: "2050.25" });
    const graph = await ada.graphql(UPDATE, { id, value: "7", expectedVersion: 2 });
    expect(graph.body.data.updateBusinessMetric.metric).toEqual({ valueExact: "7", version: 3 });
    const only = await answer(record(ada, { name: "Revenue", unit: "EUR" }), 201);
    expect((await answer(change(ada, only.id, { unit: "USD" }), 200)).unit).toBe("USD");
  });

  it("reports all problems of a request together", async () => {
    const ada = await signUp(gateway);
    const wrong = { name: " ", unit: "a\nb", month: "2026-13", value: "-1" };
    const problems = {
      name: "name must not be blank.",
      unit: "unit must not have control characters.",
      month: "month must be a month as YYYY-MM, from 1990-01 to a year from now (got 2026-13).",
      value: "value must be 0 to 10^15 with at most 6 decimals (got -1).",
    };
    const { message } = await refused(record(ada, wrong), 422, problems);
    expect(message).toBe(Object.values(problems).join(" "));
    const details = Object.entries(problems).map(([path, message]) => ({ path: `input.${path}`, message }));
    const { errors } = (await ada.graphql(RECORD, wrong)).body;
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: "VALIDATION_FAILED", details } });
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
    await refused(record(await signUp(gateway), { [path]: given }), 422, [path]);
  });

  it.each([
    ["month", "1990-01"],
    ["month", "2027-11"],
    ["value", "999999999999999.999999"],
    ["value", "1000000000000000"],
    ["name", "🏭".repeat(200)],
  ])("accepts the %s %s", async (path, given) => {
    const metric = await answer(record(await signUp(gateway), { [path]: given }), 201);
    expect(metric[path === "value" ? "value_exact" : path]).toBe(given);
  });

  it("records one of two concurrent units", async () => {
    const ada = await signUp(gateway);
    const units = ["EUR", "USD"].map((unit, n) =>
      record(ada, { name: "Revenue", unit, month: `2026-0${n + 1}` }),
    );
    const statuses = (await Promise.all(units)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 409]);
  });

  it(`refuses more than ${MAX_METRICS} metrics in an organization`, async () => {
    const ada = await signUp(gateway);
    for (let n = 0; n < MAX_METRICS; n += 1)
      await addMetric(gateway.database, ada.organization.slug, ["2026-09"], { name: `Metric ${n}` });
    const name = `The organization already has ${MAX_METRICS} business metrics, the maximum.`;
    await refused(record(ada), 409, { name });
    await answer(record(ada, { name: "Metric 7" }), 201);
  });
});
