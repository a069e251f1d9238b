import { hash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../../support/answers.js";
import { INVENTORY, makeInventory, put } from "../../support/inventories.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { NOW } from "../../support/server.js";
import { useGateway } from "../../support/use.js";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const ISSUES = `${INVENTORY}/issues`;
const issue = (person: TestPerson, json: object = { basis: "reported" }, path = ISSUES) =>
  person.call<Body>(path, { json });
const issued = (person: TestPerson, json?: object) => answer(issue(person, json), 201);
const words = ({ details }: Body) => details.map(({ message }: Body) => message.split(":")[0]);
const run = (sql: string) => gateway.database.transaction(({ script }) => script(sql));
const correct = (person: TestPerson, { id }: { id: string }, tonnes: string) =>
  put(person, `/v1/emissions/records/${id}`, { co2e_tonnes: tonnes }, "PATCH");

describe("POST /v1/inventory/{year}/issues", () => {
  it("freezes the inventory as canonical JSON with its SHA-256 digest", async () => {
    const { ada, records } = await makeInventory(gateway);
    await run(`
      WITH f AS (
        INSERT INTO emission_factors (organization_id, activity, region, scope, category, gas, factor, unit, dimension, source,
            source_url, source_year, verified)
        SELECT '${ada.organization.id}', activity, 'GB', scope::emission_scope, 'test', gas, 0.177, 'kWh', 'energy', source,
          'https://example.org', 2025, true
        FROM (VALUES ('Grid', 'scope_2', 'CO2e', 'Ember, life-cycle intensity'), ('Gas', 'scope_1', 'CO2', 'A handbook'))
          AS v (activity, scope, gas, source)
        RETURNING id, scope)
      UPDATE emission_records AS r SET factor_id = f.id FROM f
        WHERE r.organization_id = '${ada.organization.id}' AND r.scope = f.scope`);
    const made = await issue(ada, { basis: "reported", note: "Approved by the board." });
    expect(made.body.error).toBeNull();
    expect([made.status, made.headers.get("location")]).toEqual([201, `${ISSUES}/1`]);
    const { statement, statement_text, ...rest } = made.body.data;
    expect(rest).toEqual({
      year: 2025,
      issue: 1,
      basis: "reported",
      holdings_as_of: null,
      reasons: [],
      note: "Approved by the board.",
      digest: hash("sha256", statement_text),
      issued_at: NOW.toISOString(),
    });
    expect(JSON.parse(statement_text)).toEqual(statement);
    expect(Object.keys(statement)).toEqual(Object.keys(statement).toSorted());
    const { id, name, slug } = ada.organization;
    expect(statement).toMatchObject({
      organization: { id, name, slug },
      year: 2025,
      issue: 1,
      period: { from: "2025-01-01", to: "2025-12-31" },
      policy: { approach: "operational_control", from_year: 2020, scopes: ["scope_1", "scope_2"] },
      total: { co2e_tonnes: "137.383135", market_based_co2e_tonnes: "106.843135" },
      ledger_co2e_tonnes: "137.383135",
      boundary: { approach: "operational_control", entities: 1, facilities: 2 },
      entities: [{ code: "JV", name: "Pune Ltd", parent: null, shares: [{ from: "2025-01", share: "1" }] }],
      claims: [
        {
          kind: "certificate",
          reference: "REGO-1",
          registry: "Ofgem",
          certificate_number: "42",
          cancelled_on: "2026-01-05",
          cancellation: "77",
          facility: "LON",
          mwh: "300",
          reason: null,
        },
      ],
      publications: [
        { source: "A handbook", year: 2025, record_count: 2 },
        { source: "Ember, life-cycle intensity", year: 2025, record_count: 2 },
      ],
      completeness: { complete: true, included: 3, missing: 0, not_estimated: 0, not_relevant: 3 },
    });
    expect(statement.lines[0]).toMatchObject({
      line: "stationary_combustion",
      co2e_tonnes: "2.19552",
      record_count: 1,
      methods: [{ method: "activity_based", co2e_tonnes: "2.19552", pct: "100" }],
    });
    expect(statement.gaps.map(({ code }: Body) => code)).toEqual([
      "RESIDUAL_MIX_MISSING",
      "GASES_NOT_SEPARATED",
      "LIFE_CYCLE_FACTOR",
      "CO2_ONLY",
    ]);
    const read = await ada.call<Body>(`${ISSUES}/1`);
    expect(read.body.data).toEqual(made.body.data);
    expect((await ada.call<Body>(INVENTORY)).body.data.latest_issue).toMatchObject({
      issue: 1,
      digest: rest.digest,
    });

    // Later changes do not affect the issue.
    await correct(ada, records[0] as never, "80");
    expect((await ada.call<Body>(`${ISSUES}/1`)).body.data).toEqual(made.body.data);
  });

  it("returns the same issue again, refuses a different one, and restates with reasons", async () => {
    const { ada, records } = await makeInventory(gateway);
    const first = await issued(ada);
    const again = await issue(ada);
    expect([again.status, again.body.data]).toEqual([200, first]);
    await run(`UPDATE organizations SET name = 'New name' WHERE id = '${ada.organization.id}'`);
    expect((await issue(ada)).status).toBe(200);
    const noted = await refused(issue(ada, { basis: "reported", note: "Another note" }), 409);
    expect(words(noted)).toEqual(["ALREADY_REPORTED"]);

    await correct(ada, records[0] as never, "80");
    expect(words(await refused(issue(ada), 409))).toEqual(["ALREADY_REPORTED"]);
    const restated = {
      basis: "restated",
      holdings_as_of: "2025-01",
      reasons: ["error", "boundary"],
      note: "A meter",
    };
    const second = await issued(ada, restated);
    expect(second).toMatchObject({ issue: 2, holdings_as_of: "2025-01", reasons: ["error", "boundary"] });
    expect(second.statement.total.co2e_tonnes).toBe("143.043135");
    const repeated = await issue(ada, { ...restated, reasons: ["boundary", "error"] });
    expect([repeated.status, repeated.body.data.digest]).toEqual([200, second.digest]);
    const listed = await ada.call<Body>(`${ISSUES}?limit=1`);
    expect(listed.body.data.items.map((item: Body) => [item.issue, item.basis, item.statement])).toEqual([
      [2, "restated", undefined],
    ]);
    const next = await ada.call<Body>(`${ISSUES}?limit=1&cursor=${listed.body.data.next_cursor}`);
    expect(next.body.data.items).toMatchObject([{ issue: 1, digest: first.digest }]);
  });

  it.each(["", "2026-13", "0000-01", "May 2026"])(
    "refuses %j as the month of holdings, at every door",
    async (month) => {
      const { ada } = await makeInventory(gateway);
      const expected = `a month in the years 1000 to 2999, such as 2025-07 (got ${month})`;
      await refused(issue(ada, { basis: "reported", holdings_as_of: month }), 422, {
        holdings_as_of: `holdings_as_of must be ${expected}.`,
      });
      for (const field of [
        "inventory(year: 2025, holdingsAsOf: $month)",
        "baseYearStatus(holdingsAsOf: $month)",
      ]) {
        const { errors } = (await ada.graphql(`query ($month: Month) { ${field} { __typename } }`, { month }))
          .body;
        expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([
          [`holdingsAsOf: expected a month, such as 2026-05, got ${JSON.stringify(month)}`, "BAD_USER_INPUT"],
        ]);
      }
    },
  );

  it("names each gap that blocks an issue", async () => {
    const { ada } = await makeInventory(gateway);
    await put(ada, `${INVENTORY}/lines/process`, { state: "not_relevant", reason: "x" });
    expect((await ada.call(`${INVENTORY}/lines/fugitive`, { method: "DELETE" })).status).toBe(200);
    const unmapped = { recorded_on: "2025-03-01", scope: "scope_1", category: "coal", co2e_tonnes: 1 };
    await put(ada, "/v1/emissions/records", { records: [unmapped] }, "POST");
    await refused(issue(ada), 409, {
      "streams.scope_1.coal": expect.stringMatching(/^INVENTORY_INCOMPLETE: STREAM_UNMAPPED: /),
      "lines.fugitive": expect.stringMatching(/^INVENTORY_INCOMPLETE: LINE_UNJUSTIFIED: /),
    });
  });

  it("refuses unfinished years, years without a policy, and invalid bases or reasons", async () => {
    const { ada } = await makeInventory(gateway);
    const restate = (reasons: string[]) => issue(ada, { basis: "restated", reasons });
    for (const reasons of [[], ["error", "error"]]) await refused(restate(reasons), 422, ["reasons"]);
    await refused(restate(["error"]), 422, ["basis"]);
    await refused(issue(ada, { basis: "reported", reasons: ["error"] }), 422);
    const of = (year: number) => issue(ada, { basis: "reported" }, `/v1/inventory/${year}/issues`);
    await refused(of(2026), 422, ["year"]);
    await refused(of(2019), 404);
    await refused(ada.call(`${ISSUES}/1`), 404);
  });

  it("numbers concurrent issues uniquely, or refuses them", async () => {
    const { ada } = await makeInventory(gateway);
    const reported = await Promise.all(Array.from({ length: 4 }, () => issue(ada)));
    expect(reported.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
    expect(reported.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
    const restated = await Promise.all(
      ["a", "b", "c"].map((note) => issue(ada, { basis: "restated", reasons: ["method"], note })),
    );
    const numbers = restated.flatMap(({ status, body }) => (status === 201 ? [body.data.issue] : []));
    expect(new Set(numbers).size).toBe(numbers.length);
    const { items } = (await ada.call<Body>(ISSUES)).body.data;
    expect(items.map((item: Body) => item.issue)).toEqual(
      Array.from({ length: 1 + numbers.length }, (_, index) => 1 + numbers.length - index),
    );
  });

  it("hides other organizations' issues", async () => {
    const { ada } = await makeInventory(gateway);
    await issued(ada);
    const other = await signUp(gateway);
    await refused(other.call(`${ISSUES}/1`), 404);
    expect((await answer(other.call(ISSUES), 200)).items).toEqual([]);
  });
});
