import { describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../../support/answers.js";
import { addFactor } from "../../support/fixtures.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { useGateway } from "../../support/use.js";

const PATH = "/v1/inventory/streams";
const gateway = useGateway();

const put = (person: TestPerson, json: object, version?: string) =>
  person.call<Body>(PATH, {
    method: "PUT",
    json,
    ...(version !== undefined && { headers: { "If-Match": version } }),
  });
const page = (person: TestPerson, query = "") => answer(person.call(PATH + query), 200);
const names = ({ items }: Body) => items.map(({ scope, category }: Body) => [scope, category]);

/** Adds records by scope, tonnes and category. */
const record = (person: TestPerson, ...records: [scope: string, tonnes: string, category?: string][]) =>
  person.call<Body>("/v1/emissions/records", {
    json: {
      records: records.map(([scope, co2e_tonnes, category]) => ({
        recorded_on: "2025-05-01",
        scope,
        co2e_tonnes,
        ...(category !== undefined && { category }),
      })),
    },
  });

const UNMAPPED = {
  line: null,
  suggested_line: null,
  method: null,
  activity_uncertainty_pct: null,
  activity_uncertainty_pct_exact: null,
  factor_uncertainty_pct: null,
  factor_uncertainty_pct_exact: null,
  renewable: null,
  note: null,
  version: 0,
};

describe("/v1/inventory/streams", () => {
  it("lists the organization's combinations of scope and category, page by page", async () => {
    const [ada, other] = [await signUp(gateway), await signUp(gateway)];
    await record(other, ["scope_1", "9", "Theirs"]);
    await record(
      ada,
      ["scope_2", "1.5", "Electricity"],
      ["scope_1", "2", "Gas"],
      ["scope_1", "0.000001", "Gas"],
      ["scope_3", "4", "Gas"],
      ["scope_1", "8"],
    );
    const all = await page(ada);
    expect(names(all)).toEqual([
      ["scope_1", null],
      ["scope_1", "Gas"],
      ["scope_2", "Electricity"],
      ["scope_3", "Gas"],
    ]);
    expect(all.items[1]).toEqual({
      ...UNMAPPED,
      scope: "scope_1",
      category: "Gas",
      co2e_tonnes: 2.000001,
      co2e_tonnes_exact: "2.000001",
      record_count: 2,
    });
    const first = await page(ada, "?limit=3");
    const second = await page(ada, `?limit=3&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items]).toEqual(all.items);
    expect(second.next_cursor).toBeNull();

    // A mapped stream outlives its records; an unmapped one disappears with them.
    await put(ada, { scope: "scope_3", category: "Gas", line: "fuel_and_energy" });
    await gateway.database.prisma.emissionRecord.updateMany({
      where: { organizationId: ada.organization.id },
      data: { deletedAt: new Date() },
    });
    const { items } = await page(ada);
    expect(items).toEqual([
      {
        ...UNMAPPED,
        scope: "scope_3",
        category: "Gas",
        line: "fuel_and_energy",
        co2e_tonnes: 0,
        co2e_tonnes_exact: "0",
        record_count: 0,
        version: 1,
      },
    ]);
  });

  it("maps a stream with method and uncertainty, replaces the mapping and removes it", async () => {
    const ada = await signUp(gateway);
    await record(ada, ["scope_2", "74.34"], ["scope_1", "1", "Gas"]);
    const mapping = {
      scope: "scope_2",
      category: null,
      line: "purchased_electricity",
      method: "activity_based",
      activity_uncertainty_pct: "3.50",
      factor_uncertainty_pct: 1000,
      renewable: false,
      note: "Meters",
    };
    const stream = await answer(put(ada, mapping), 200, {
      ...mapping,
      suggested_line: null,
      activity_uncertainty_pct: 3.5,
      activity_uncertainty_pct_exact: "3.5",
      factor_uncertainty_pct_exact: "1000",
      co2e_tonnes: 74.34,
      co2e_tonnes_exact: "74.34",
      record_count: 1,
      version: 1,
    });
    await answer(put(ada, mapping, '"9"'), 200, stream);
    expect(names(await page(ada, "?unmapped=true"))).toEqual([["scope_1", "Gas"]]);
    expect(names(await page(ada, "?unmapped=false"))).toEqual([["scope_2", null]]);

    const sparse = { scope: "scope_2", line: "purchased_heat" };
    const amounts = { co2e_tonnes: 74.34, co2e_tonnes_exact: "74.34", record_count: 1 };
    const unknown = { ...UNMAPPED, ...sparse, category: null, ...amounts };
    await answer(put(ada, sparse), 200, { ...unknown, version: 2 });
    await answer(put(ada, { scope: "scope_2", line: null }, '"2"'), 200, {
      ...unknown,
      line: null,
      version: 0,
    });
    const never = { category: "Never", record_count: 0, version: 0 };
    const removed = put(ada, { scope: "scope_1", category: "Never", line: null });
    await answer(removed, 200, expect.objectContaining(never));
  });

  it("reports all problems together, with the lines of the scope", async () => {
    const ada = await signUp(gateway);
    const lines =
      "must be a line of scope_2 (purchased_electricity, purchased_heat), or null to remove the mapping";
    const wrong = { scope: "scope_2", line: "waste", activity_uncertainty_pct: "1000.1", note: "" };
    await refused(put(ada, wrong), 422, {
      line: `line ${lines} (got waste).`,
      activity_uncertainty_pct:
        "activity_uncertainty_pct must be 0 to 1000 with at most 4 decimals (got 1000.1).",
      note: "note must not be blank.",
    });
    await refused(put(ada, { scope: "scope_2" }), 422, { line: `line ${lines} (got nothing).` });
    await refused(put(ada, { scope: "scope_2", line: null, factor_uncertainty_pct: 5 }), 422, {
      factor_uncertainty_pct: "factor_uncertainty_pct must be omitted without a line.",
    });
  });

  it("suggests a line if the factors of the latest month agree on it", async () => {
    const ada = await signUp(gateway);
    const { id: organizationId } = ada.organization;
    const factor = async (scope: "scope_1" | "scope_3", category: string) =>
      (await addFactor(gateway.database, ada.organization.slug, { scope, category })).id;
    const [boiler, lorry, freight, travel] = [
      await factor("scope_1", "stationary_combustion"),
      await factor("scope_1", "Delivery vehicles: Vans"),
      await factor("scope_3", "Freighting goods: Vans"),
      await factor("scope_3", "business_travel"),
    ];
    const add = (
      scope: "scope_1" | "scope_3",
      category: string | null,
      factorId: string | null,
      day = "2025-06-01",
    ) =>
      gateway.database.prisma.emissionRecord.create({
        data: { organizationId, scope, category, factorId, recordedOn: new Date(day), co2eTonnes: 1 },
      });
    await add("scope_1", "Gas", boiler);
    await add("scope_1", "Gas", null);
    await add("scope_1", "Gas", lorry, "2025-05-01");
    await add("scope_1", "Mixed", boiler);
    await add("scope_1", "Mixed", lorry);
    await add("scope_1", null, lorry);
    await add("scope_3", "Gas", travel);
    await add("scope_3", "Freight", freight);
    await add("scope_3", "Typed", null);
    const { items } = await page(ada);
    expect(
      items.map(({ scope, category, suggested_line }: Body) => [scope, category, suggested_line]),
    ).toEqual([
      ["scope_1", null, "mobile_combustion"],
      ["scope_1", "Gas", "stationary_combustion"],
      ["scope_1", "Mixed", null],
      ["scope_3", "Freight", null],
      ["scope_3", "Gas", "business_travel"],
      ["scope_3", "Typed", null],
    ]);
  });
});

describe("/v1/inventory/{year}/lines/{line}", () => {
  const line = (person: TestPerson, path: string, json?: object) =>
    person.call<Body>(`/v1/inventory/${path}`, { method: json ? "PUT" : "DELETE", ...(json && { json }) });

  it("judges a line, replaces the judgement and removes it", async () => {
    const [ada, other] = [await signUp(gateway), await signUp(gateway)];
    const judgement = { state: "not_relevant", reason: "No processes." };
    const judged = { year: 2025, line: "process", ...judgement, version: 1 };
    await answer(line(ada, "2025/lines/process", judgement), 200, judged);
    await answer(line(ada, "2025/lines/process", judgement), 200, judged);
    const second = { ...judged, state: "not_estimated", version: 2 };
    await answer(line(ada, "2025/lines/process", { ...judgement, state: "not_estimated" }), 200, second);
    await refused(line(other, "2025/lines/process"), 404);
    await answer(line(ada, "2025/lines/process"), 200, second);
    await refused(line(ada, "2025/lines/process"), 404, "The line process of 2025 has no judgement.");
  });

  it("refuses an invalid year, an unknown line, and a blank or overlong reason", async () => {
    const ada = await signUp(gateway);
    const judge = (path: string, reason: string) => line(ada, path, { state: "not_relevant", reason });
    await refused(judge("1989/lines/waste", " "), 422, {
      year: "year must be from 1990 to 2100 (got 1989).",
      reason: "reason must not be blank.",
    });
    await refused(judge("2025/lines/waste", "x".repeat(1_001)), 422);
    await answer(judge("2025/lines/waste", "x".repeat(1_000)), 200);
    await refused(judge("2025/lines/nothing", "x"), 404);
  });
});

describe("inventory mutations", () => {
  it("set policies, entities, mappings and judgements, which queries then return", async () => {
    const ada = await signUp(gateway);
    const { body } = await ada.graphql(`mutation {
      setInventoryPolicy(input: { fromYear: 2025, approach: FINANCIAL_CONTROL, scopes: [SCOPE_1, SCOPE_2] }) { policy { approach yearStartsIn } }
      saveEntity(input: { code: "JV", name: "Joint venture", holdings: [
        { from: "2025-01", equityShare: "0.5", financialControl: JOINT, operationalControl: false }] }) { entity { code facilityCount } }
      mapStream(input: { scope: SCOPE_1, category: "Gas", line: STATIONARY_COMBUSTION }) { stream { line suggestedLine } }
      judgeLine(input: { year: 2025, line: PROCESS, state: NOT_RELEVANT, reason: "None" }) { judgement { state } }
    }`);
    expect(body).toEqual({
      data: {
        setInventoryPolicy: { policy: { approach: "FINANCIAL_CONTROL", yearStartsIn: 1 } },
        saveEntity: { entity: { code: "JV", facilityCount: 0 } },
        mapStream: { stream: { line: "STATIONARY_COMBUSTION", suggestedLine: null } },
        judgeLine: { judgement: { state: "NOT_RELEVANT" } },
      },
    });
    const read = await ada.graphql(`{
      inventoryPolicies { fromYear scopes }
      entities { totalCount nodes { holdings { equityShare financialControl } } }
      emissionStreams { totalCount nodes { scope category line } }
    }`);
    expect(read.body).toEqual({
      data: {
        inventoryPolicies: [{ fromYear: 2025, scopes: ["SCOPE_1", "SCOPE_2"] }],
        entities: { totalCount: 1, nodes: [{ holdings: [{ equityShare: 0.5, financialControl: "JOINT" }] }] },
        emissionStreams: {
          totalCount: 1,
          nodes: [{ scope: "SCOPE_1", category: "Gas", line: "STATIONARY_COMBUSTION" }],
        },
      },
    });
  });
});
