import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../../support/answers.js";
import { readAuditTrail } from "../../support/audit.js";
import { addMetric } from "../../support/fixtures.js";
import { INVENTORY, makeInventory, put } from "../../support/inventories.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { NOW } from "../../support/server.js";
import { useGateway } from "../../support/use.js";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const PATH = "/v1/inventory/targets";
const TARGET = {
  name: "Minus 42 % by 2035",
  scopes: ["scope_2", "scope_1"],
  scope_2_method: "location_based",
  base_year: 2025,
  target_year: 2035,
  reduction_pct: "42.0",
  actions: "Heat pumps.",
};
const create = (person: TestPerson, changed: object = {}) =>
  person.call<Body>(PATH, { json: { ...TARGET, ...changed } });
const created = (person: TestPerson, changed?: object) => answer(create(person, changed), 201);
const change = (person: TestPerson, { id }: Body, json: object, version = "*") =>
  person.call<Body>(`${PATH}/${id}`, { method: "PATCH", json, headers: { "If-Match": version } });
const read = async (person: TestPerson, { id }: Body): Promise<Body> =>
  (await person.call<Body>(`${PATH}/${id}`)).body.data;
const at = ({ path }: Body, year: number) => path.find((one: Body) => one.year === year);

describe("/v1/inventory/targets", () => {
  it("draws the path from the issued base year, and compares each year with it", async () => {
    const { ada } = await makeInventory(gateway);
    const made = await create(ada);
    const target = await answer(made, 201);
    expect(made.headers.get("location")).toBe(`${PATH}/${target.id}`);
    expect(target).toMatchObject({
      name: TARGET.name,
      scopes: ["scope_1", "scope_2"],
      reduction_pct: 42,
      reduction_pct_exact: "42",
      target_value: null,
      metric: null,
      base: null,
      target: null,
      version: 1,
    });
    expect(target.path).toHaveLength(11);
    expect(at(target, 2025)).toMatchObject({
      planned: null,
      actual: 137.383135,
      issued: false,
      on_path: null,
    });

    await put(ada, `${INVENTORY}/issues`, { basis: "reported" }, "POST");
    const record = { scope: "scope_1", category: "gas", recorded_on: "2026-02-01", co2e_tonnes: 140 };
    await put(ada, "/v1/emissions/records", { records: [record] }, "POST");
    const drawn = await read(ada, target);
    expect(drawn).toMatchObject({ base_exact: "137.383135", target_exact: "79.682218" });
    expect(at(drawn, 2026)).toEqual({
      year: 2026,
      planned: 131.613043,
      planned_exact: "131.613043",
      actual: 140,
      actual_exact: "140",
      issued: false,
      distance: 8.386957,
      distance_exact: "8.386957",
      distance_pct: 6.37,
      achieved_pct: -4.54,
      on_path: false,
    });
    expect(at(drawn, 2025)).toMatchObject({ distance: 0, achieved_pct: 0, issued: true, on_path: true });
    expect(at(drawn, 2035)).toMatchObject({ planned_exact: "79.682218", actual: null, distance: null });

    const market = await created(ada, { name: "By market", scope_2_method: "market_based" });
    expect(market).toMatchObject({ base_exact: "106.843135" });
    const third = await created(ada, { name: "Scope 3", scopes: ["scope_3"], scope_2_method: null });
    expect(at(third, 2025)).toMatchObject({ actual: null, planned: null });
    const listed = (await ada.call<Body>(PATH)).body.data;
    expect(listed.items.map(({ name }: Body) => name)).toEqual(["By market", TARGET.name, "Scope 3"]);
    expect(listed.items[1]).toEqual(drawn);
  });

  it("divides by a business metric once all 12 months are known", async () => {
    const { ada } = await makeInventory(gateway);
    await put(ada, `${INVENTORY}/issues`, { basis: "reported" }, "POST");
    const months = Array.from({ length: 12 }, (_, index) => `2025-${String(index + 1).padStart(2, "0")}`);
    await addMetric(gateway.database, ada.organization.slug, months.slice(0, 11), {
      name: "Units",
      value: "1",
    });
    const part = { name: "Per unit", metric: "Units", reduction_pct: undefined, target_value: "5" };
    const target = await created(ada, part);
    expect(target).toMatchObject({ base: null, target_value_exact: "5", reduction_pct: null });
    await put(
      ada,
      "/v1/emissions/metrics",
      { name: "Units", unit: "units", month: "2025-12", value: 9 },
      "POST",
    );
    expect(await read(ada, target)).toMatchObject({ base_exact: "6.869157", target_exact: "5" });
    await refused(create(ada, { name: "x", metric: "Turnover" }), 422, ["metric"]);
  });

  it("changes and deletes targets, and audits each change", async () => {
    const ada = await signUp(gateway);
    const target = await created(ada);
    const valued = { version: 2, reduction_pct: null, target_value: 100, actions: "Heat pumps." };
    const changed = change(ada, target, { reduction_pct: null, target_value: 100 });
    await answer(changed, 200, expect.objectContaining(valued));
    await refused(change(ada, target, { reduction_pct: 5 }), 422, ["reduction_pct"]);
    await refused(change(ada, target, { scopes: ["scope_1"] }), 422, ["scope_2_method"]);
    await created(ada, { name: "Another" });
    await refused(change(ada, target, { name: "Another" }), 409, ["name"]);
    await answer(ada.call(`${PATH}/${target.id}`, { method: "DELETE" }), 200);
    await refused(ada.call(`${PATH}/${target.id}`), 404);
    const actions = (await readAuditTrail(gateway.database, ada.organization.id)).map(({ action }) => action);
    const expected = ["created", "updated", "deleted"].map((verb) => `reduction_target.${verb}`);
    expect(actions).toEqual(expect.arrayContaining(expected));
  });

  it("refuses invalid targets, and more than 20 even if sent concurrently", async () => {
    const ada = await signUp(gateway);
    for (const [wrong, path] of [
      [{ target_year: 2025 }, "target_year"],
      [{ target_year: 2086 }, "target_year"],
      [{ base_year: 1989 }, "base_year"],
      [{ reduction_pct: 0 }, "reduction_pct"],
      [{ target_value: 5 }, "reduction_pct"],
      [{ scope_2_method: null }, "scope_2_method"],
      [{ scopes: [] }, "scopes"],
    ] as const)
      expect((await refused(create(ada, wrong), 422)).details[0].path).toBe(path);
    const calls = Array.from({ length: 25 }, (_, index) => create(ada, { name: `T${index}` }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(20).fill(201), ...Array(5).fill(409)]);
    expect((await answer(ada.call(PATH), 200)).items).toHaveLength(20);
    expect((await answer((await signUp(gateway)).call(PATH), 200)).items).toEqual([]);
  });
});
