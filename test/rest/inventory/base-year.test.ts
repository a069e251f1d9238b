import { beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../../support/answers.js";
import { INVENTORY, makeInventory, put } from "../../support/inventories.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { NOW } from "../../support/server.js";
import { useGateway } from "../../support/use.js";

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const PATH = "/v1/inventory/base-year";
const read = async (person: TestPerson, query = ""): Promise<Body> => {
  const { status, body } = await person.call<Body>(`${PATH}${query}`);
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
};
const add = (person: TestPerson, record: object) =>
  put(
    person,
    "/v1/emissions/records",
    { records: [{ scope: "scope_1", category: "gas", recorded_on: "2025-02-01", ...record }] },
    "POST",
  );
const figure = ({ figures }: Body, name: string) => figures.find((one: Body) => one.figure === name);

/** Creates an organization that issued its base year with 1,000 t, then acquired an entity with 25 t. */
async function makeBaseYear() {
  const { ada } = await makeInventory(gateway, { approach: "equity_share" });
  // makeInventory adds 2.19552 + 3.21481 + 97.393122 t.
  await add(ada, { co2e_tonnes: "897.196548" });
  await put(ada, `${INVENTORY}/issues`, { basis: "reported" }, "POST");
  const holdings = [
    { from: "2026-07", equity_share: 1, financial_control: "full", operational_control: true },
  ];
  await put(ada, "/v1/inventory/entities/NEW", { name: "Acquired Ltd", holdings });
  const { id } = await put(ada, "/v1/facilities", { code: "NEW", name: "New works", country: "GB" }, "POST");
  await put(ada, `/v1/facilities/${id}`, { entity: "NEW" }, "PATCH");
  await add(ada, { facility: "NEW", co2e_tonnes: 25 });
  return ada;
}

describe("GET /v1/inventory/base-year", () => {
  it("compares the latest issue with current records under the holdings of a month", async () => {
    const ada = await makeBaseYear();
    await add(ada, { facility: "LON", co2e_tonnes: "24.999999" });
    const status = await read(ada);
    expect(status).toMatchObject({
      year: 2025,
      issue: 1,
      holdings_as_of: "2026-11",
      threshold_pct: 5,
      threshold_pct_exact: "5",
      required: true,
    });
    expect(figure(status, "scope_1_2_location")).toEqual({
      figure: "scope_1_2_location",
      reported: 1000,
      reported_exact: "1000",
      restated: 1049.999999,
      restated_exact: "1049.999999",
      change: 49.999999,
      change_exact: "49.999999",
      structural: 25,
      structural_exact: "25",
      other: 24.999999,
      other_exact: "24.999999",
      change_pct: 5,
      required: false,
    });
    // Market-based, the same change exceeds 5 % of a smaller amount.
    expect(figure(status, "scope_1_2_market")).toMatchObject({ change_exact: "49.999999", required: true });
    expect(figure(status, "scope_3")).toMatchObject({ reported: null, change: null, required: false });

    await add(ada, { facility: "LON", co2e_tonnes: "0.000001" });
    expect(figure(await read(ada), "scope_1_2_location")).toMatchObject({
      change_exact: "50",
      change_pct: 5,
      required: true,
    });
    const before = figure(await read(ada, "?holdings_as_of=2026-06"), "scope_1_2_location");
    expect(before).toMatchObject({
      change_exact: "25",
      structural_exact: "0",
      other_exact: "25",
      required: false,
    });

    const restated = { basis: "restated", holdings_as_of: "2026-07", reasons: ["acquisition", "error"] };
    await put(ada, `${INVENTORY}/issues`, restated, "POST");
    expect(await read(ada)).toMatchObject({ issue: 2, required: false });
    // Facilities that open later do not change the base year.
    const { id } = await put(ada, "/v1/facilities", { code: "LATE", name: "Late", country: "GB" }, "POST");
    expect(id).toBeDefined();
    await add(ada, { facility: "LATE", recorded_on: "2026-02-01", co2e_tonnes: 900 });
    expect(figure(await read(ada), "scope_1_2_location")).toMatchObject({
      change: 0,
      change_pct: 0,
      required: false,
    });
  });

  it("answers 404 without a base year, and until it is issued", async () => {
    const { ada } = await makeInventory(gateway);
    expect((await ada.call(PATH)).status).toBe(404);
    expect((await (await signUp(gateway)).call(PATH)).status).toBe(404);
    await put(ada, `${INVENTORY}/issues`, { basis: "reported" }, "POST");
    expect(await read(ada)).toMatchObject({ required: false });
    expect((await ada.call(`${PATH}?holdings_as_of=2026-13`)).status).toBe(400);
  });
});
