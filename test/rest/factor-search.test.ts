import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import type { Body } from "../support/answers.js";
import { addFacility, addFactor } from "../support/fixtures.js";
import { makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

let organization: string;
let key: string;

const gateway = useGateway();
beforeAll(async () => {
  organization = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, organization));
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

async function list(parameters: Record<string, string>, by = key): Promise<Body> {
  const { status, body } = await gateway.call<Body>(
    `/v1/emission-factors?${new URLSearchParams(parameters)}`,
    { headers: { "X-API-Key": by } },
  );
  expect([parameters, status, body.error]).toEqual([parameters, 200, null]);
  return body.data;
}

const search = async (q: string, more: Record<string, string> = {}, by = key): Promise<Body[]> =>
  (await list({ q, limit: "3", ...more }, by)).items;

async function calculate(factorId: string, amount: number, unit: string): Promise<number> {
  const { body } = await gateway.call<Body>("/v1/calc/ghg", {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify({ items: [{ amount, unit, factor_id: factorId }] }),
  });
  return body.data.results[0].co2e_tonnes;
}

interface Example {
  readonly query: string;
  readonly on: string;
  readonly prefer_region: string;
  readonly expected: string;
}

describe("GET /v1/emission-factors?q=", () => {
  it.each([
    ["uk electricity", {}, "0.13096", 1.57152, ["GB", "electricity"]],
    ["electricity uk 2025", {}, "0.177", 2.124, ["electricity", "GB", "2025"]],
    ["uk electricity", { on: "2025-06-30" }, "0.177", 2.124, ["GB", "electricity"]],
    ["strom", { prefer_region: "DE" }, "0.34206", 4.10472, ["strom"]],
    ["gas kwh uk", { on: "2025-02-28" }, "0.18296", null, ["gas", "kWh", "GB"]],
  ])("ranks the right factor of %s first, with %o", async (q, more, factor, tonnes, matched) => {
    const [first] = await search(q, more);
    expect([first.factor_exact, first.matched.toSorted()]).toEqual([factor, matched.toSorted()]);
    if (tonnes !== null) expect(await calculate(first.id, 12_000, "kWh")).toBe(tonnes);
  });

  it("ranks the right factor first in 90 % of everyday queries, in the top three in 98 %", async () => {
    const examples: Example[] = parse(readFileSync(new URL("everyday-queries.csv", import.meta.url)), {
      columns: true,
    });
    const places: number[] = [];
    for (const { query, on, prefer_region, expected } of examples) {
      const found = await search(query, { on: on || "2025-06-30", prefer_region });
      const wanted = expected.split("|").map((one) => one.split("@"));
      const place = found.findIndex(({ activity, source_factor_id, source_year }) =>
        wanted.some(
          ([name, year]) =>
            [activity, source_factor_id].includes(name) &&
            (year === undefined || source_year === Number(year)),
        ),
      );
      places.push(place);
      if (place !== 0) console.log(`${query}: expected ${expected} at 1, found it at ${place + 1}`);
    }
    const shareOf = (isFound: (place: number) => boolean) => places.filter(isFound).length / places.length;
    expect(shareOf((place) => place === 0)).toBeGreaterThanOrEqual(0.9);
    expect(shareOf((place) => place !== -1)).toBeGreaterThanOrEqual(0.98);
  });

  it("ignores case, accents, hyphens, plurals and different names of a region", async () => {
    for (const spellings of [
      ["R-410A release", "r410a releases", "R 410A RELEASE"],
      ["electricity Österreich", "ELECTRICITY oesterreich", "electricity Osterreich", "electricity AUT"],
      ["short-haul flight economy", "shorthaul flights economy", "short haul flight Economy"],
      ["HFC-134a", "R134a", "r-134A"],
    ]) {
      const found = await Promise.all(spellings.map((q) => search(q)));
      for (const one of found) expect(one.map(({ id }) => id)).toEqual(found[0]?.map(({ id }) => id));
    }
  });

  it("filters by region, scope, unit, year and category, but not by day or preferred region", async () => {
    const filters = { region: "Großbritannien", scope: "scope_1", unit: "Liter", year: "2025" };
    const found = await list({ q: "diesel", ...filters, category: "fuels" });
    expect(found.items.map((item: Body) => [item.activity, item.unit, item.publisher_category])).toEqual([
      ["Diesel (average biofuel blend)", "litre", "Fuels: Liquid fuels"],
      ["Diesel (100 % mineral)", "litre", "Fuels: Liquid fuels"],
    ]);
    const all = async (more: Record<string, string>) =>
      (await list({ q: "grid electricity", limit: "100", ...more })).items.length;
    expect(await all({})).toBe(await all({ on: "2020-01-01", prefer_region: "JP" }));
  });

  it("accepts its former name, sorts by name without a query, and refuses a long query", async () => {
    expect(await list({ search: "uk electricity" })).toEqual(await list({ q: "uk electricity" }));
    const { items } = await list({ category: "Homeworking" });
    expect(items.map(({ activity, matched }: Body) => [activity, matched])).toEqual([
      ["Heating", []],
      ["Homeworking (office equipment and heating)", []],
      ["Office Equipment", []],
    ]);
    const { status, body } = await gateway.call<Body>(`/v1/emission-factors?q=${"x".repeat(201)}`, {
      headers: { "X-API-Key": key },
    });
    expect([status, body.error.message]).toEqual([400, "query.q: expected at most 200 characters, got 201"]);
  });

  it("pages through the 500 best matches", async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Body = await list({ q: "uk", limit: "100", ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ id }: Body) => id));
      cursor = page.next_cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([500, 500]);
  });

  it("finds the organization's own factors at once, and first among equal matches", async () => {
    const [ada, bob] = await Promise.all(
      [0, 1].map(async () => {
        const id = await makeOrganization(gateway.database);
        return { id, key: (await makeKey(gateway.database, id)).key };
      }),
    );
    if (!ada || !bob) throw new Error("two organizations are expected");
    expect(await search("quarry dust", {}, ada.key)).toEqual([]);
    const { id } = await addFactor(gateway.database, ada.id, { activity: "Quarry dust", region: "GB" });
    await expect
      .poll(async () => (await search("quary dust", {}, ada.key)).map((one) => one.id))
      .toEqual([id]);
    expect(await search("quarry dust", {}, bob.key)).toEqual([]);
    await addFactor(gateway.database, ada.id, { activity: "Grid electricity", region: "GB" });
    await expect.poll(async () => (await search("uk electricity", {}, ada.key))[0]?.is_own).toBe(true);
    expect((await search("uk electricity", {}, bob.key))[0]?.is_own).toBe(false);
  });

  it("prefers a country if all facilities are in it", async () => {
    const id = await makeOrganization(gateway.database);
    const { key: own } = await makeKey(gateway.database, id);
    await addFacility(gateway.database, id, { country: "JP" });
    expect((await search("electricity", {}, own))[0]?.region_code).toBe("JP");
    await addFacility(gateway.database, id, { country: "FR" });
    await expect.poll(async () => (await search("electricity", {}, own))[0]?.region_code).toBe("Global");
  });
});
