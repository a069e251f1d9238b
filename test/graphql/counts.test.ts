import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addFacility, addRecord } from "../support/fixtures.js";
import { type Gateway, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;
let tenant: Awaited<ReturnType<typeof newTenant>>;
let facilityIds: string[];

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await newTenant(gateway);
  const { database } = gateway;
  const [main, branch] = [await addFacility(database, tenant.slug), await addFacility(database, tenant.slug)];
  facilityIds = [main.id, branch.id];
  const add = (values: Parameters<typeof addRecord>[2]) => addRecord(database, tenant.slug, values);
  await add({ scope: "scope_1", facility: main, category: "fuel" });
  await add({ scope: "scope_1", facility: main, category: "fuel", recordedOn: "2026-10-01" });
  await add({ scope: "scope_2", facility: branch, category: "power" });
  await add({ scope: "scope_3", category: "travel" });
  await add({ scope: "scope_3", facility: branch });
  await add({ scope: "scope_3", category: "fuel", recordedOn: "2020-01-01" });
});
afterAll(() => gateway.stop());

describe("the total of a range's records", () => {
  it.each([
    ["without a filter", () => ({}), 5, ["emission_days"]],
    ["of scopes", () => ({ scopes: ["SCOPE_1", "SCOPE_2"] }), 3, ["emission_days"]],
    ["of a facility", () => ({ facilityIds: facilityIds.slice(0, 1) }), 2, ["emission_days"]],
    ["of facilities and a scope", () => ({ facilityIds, scopes: ["SCOPE_3"] }), 1, ["emission_days"]],
    ["of a category", () => ({ categories: ["fuel"], facilityIds: [] }), 2, ["emission_days"]],
    [
      "of categories and a scope",
      () => ({ categories: ["fuel", "travel"], scopes: ["SCOPE_3"] }),
      1,
      ["emission_days"],
    ],
    ["of the empty category, which no record has", () => ({ categories: [""] }), 0, ["emission_days"]],
    [
      "of a facility and a category, for which no daily sums are stored",
      () => ({ facilityIds: facilityIds.slice(1), categories: ["power"] }),
      1,
      ["emission_days", "emission_records"],
    ],
  ])(
    "equals the number of rows, and comes from the least expensive source: %s",
    async (_what, filter, count, read) => {
      const query = `query ($filter: EmissionRecordFilter) {
      emissions { records(filter: $filter, first: 100) { totalCount nodes { id } } }
    }`;
      const { answer, statements } = await recordStatements(() => tenant.dataOf(query, { filter: filter() }));
      const { totalCount, nodes } = answer.emissions.records;
      expect([totalCount, nodes.length]).toEqual([count, count]);
      const counting = statements.filter(
        ({ text }) => !text.includes('"pageKey"') && !/FROM "own facilities"/.test(text),
      );
      const tables = counting.map(({ text }) =>
        ["emission_days", "emission_records"].filter((name) => text.includes(`"own ${name}" AS`)),
      );
      expect(tables.filter(({ length }) => length > 0)).toEqual([read]);
    },
  );
});
