import { describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../support/answers.js";
import { OWN_FACTOR } from "../support/own-factor.js";
import { signUp, type TestPerson } from "../support/people.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();

const post = (person: TestPerson, json: unknown) => person.call<Body>("/v1/emission-factors", { json });
/** Returns the kilograms for 1,000 units, or the error code. */
async function calculate(person: TestPerson, by: object, unit = "kWh (net CV)") {
  const items = [{ amount: 1_000, unit, ...by }];
  const { body } = await person.call<Body>("/v1/calc/ghg", { json: { items } });
  const [{ co2e_kg, error }] = body.data.results;
  return co2e_kg ?? error.code;
}
const selector = { activity: "wood CHIPS", region: "Home", year: 2026 };

describe("POST /v1/emission-factors", () => {
  it("refuses more than 5,000 factors in an organization", async () => {
    const ada = await signUp(gateway);
    const columns =
      "organization_id, activity, region, scope, category, gas, factor, unit, dimension, source, source_url, source_year, verified";
    const add = (first: number, last: number) =>
      gateway.database.transaction(({ execute }) =>
        execute(
          `INSERT INTO emission_factors (${columns})
           SELECT '${ada.organization.id}', 'Fuel ' || n, 'Home', 'scope_1', 'heat', 'CO2e', 1, 'kg', 'mass', 'Report',
             'https://example.org', 2024, true FROM generate_series(${first}, ${last}) AS n`,
        ),
      );
    for (let first = 1; first < 5_000; first += 1_000) await add(first, Math.min(first + 999, 4_999));
    await answer(post(ada, OWN_FACTOR), 201);
    const message = "An organization can have at most 5000 emission factors of its own.";
    await refused(post(ada, { ...OWN_FACTOR, activity: "Straw" }), 422, message);
    await answer(post(ada, OWN_FACTOR), 200);
  });

  it("adds a factor that selectors find at once, and that only its organization sees", async () => {
    const [ada, bob] = [await signUp(gateway), await signUp(gateway)];
    expect(await calculate(ada, { selector })).toBe("FACTOR_NOT_FOUND");
    const factor = await answer(post(ada, OWN_FACTOR), 201, {
      id: expect.any(String),
      ...OWN_FACTOR,
      unit: "kWh (net CV)",
      region_code: null,
      category: "other",
      publisher_category: null,
      gas: "CO2e",
      factor: 0.015,
      factor_exact: "0.015",
      verified: true,
      is_own: true,
      other_name: null,
      detail: null,
      source_factor_id: null,
    });
    const { id } = factor;
    await answer(ada.call(`/v1/emission-factors/${id.toUpperCase()}`), 200, factor);
    expect(await calculate(ada, { selector })).toBe(15);
    expect(await calculate(ada, { factor_id: id })).toBe(15);
    expect(await calculate(ada, { factor_id: id }, "kWh (gross CV)")).toBe("UNIT_MISMATCH");
    for (const by of [{ selector }, { factor_id: id }])
      expect(await calculate(bob, by)).toBe("FACTOR_NOT_FOUND");
    const record = { recorded_on: "2026-01-01", scope: "scope_1" };
    const activity = { amount: 1, unit: "kWh (net CV)", factor_id: id };
    const foreign = bob.call("/v1/emissions/records", { json: { ...record, activity } });
    await refused(foreign, 422, ["activity"], "FACTOR_NOT_FOUND");
  });

  it("adds the same factor for another organization or year", async () => {
    const [ada, bob] = [await signUp(gateway), await signUp(gateway)];
    await answer(post(ada, OWN_FACTOR), 201);
    await answer(post(bob, OWN_FACTOR), 201);
    await answer(post(ada, { ...OWN_FACTOR, source_year: 2024 }), 201);
  });

  it("reads a gas with subscripts", async () => {
    const ada = await signUp(gateway);
    const { body } = await post(ada, { ...OWN_FACTOR, gas: "CO₂e" });
    expect(body.data.gas).toBe("CO2e");
  });

  it("requires a source, and refuses invalid amounts, links, years and gases", async () => {
    const ada = await signUp(gateway);
    for (const missing of ["source", "source_url", "source_year"])
      await refused(post(ada, { ...OWN_FACTOR, [missing]: undefined }), 422, [missing]);
    const wrong = {
      activity: " ",
      unit: " ",
      source_url: "ftp://example.org",
      source_year: 2028,
      factor: -1,
      gas: "CH4",
    };
    const { details } = await refused(post(ada, { ...OWN_FACTOR, ...wrong }), 422);
    expect(details.map(({ path }: Body) => path).toSorted()).toEqual(Object.keys(wrong).toSorted());
  });
});
