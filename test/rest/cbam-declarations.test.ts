import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../support/answers.js";
import { signIn, signUp, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const CBAM = "/v1/cbam/declarations";
const NEW_YEAR = new Date("2027-01-01T00:00:00.000Z");

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

/** Creates the declaration of a year; returns it with its URL. */
async function begin(person: TestPerson, year = 2026) {
  const declaration = await answer(person.call(CBAM, { json: { year } }), 201);
  return { declaration, path: `${CBAM}/${declaration.id}` };
}
const steel = (mass_t: number | string, more: object = {}) => ({
  quarter: "Q3",
  cn_code: "72083600",
  country: "IN",
  mass_t,
  ...more,
});
const send = (person: TestPerson, path: string, json: object) =>
  person.call<Body>(`${path}/imports`, { json });
const add = (person: TestPerson, path: string, json: object) => answer(send(person, path, json), 201);
const remove = (person: TestPerson, path: string, id: string) =>
  person.call<Body>(`${path}/imports/${id}`, { method: "DELETE" });
const read = (person: TestPerson, path: string) => answer(person.call(path), 200);
const act = (person: TestPerson, path: string, verb: "submit" | "amend", version = "*") =>
  person.call<Body>(`${path}/${verb}`, { method: "POST", headers: { "If-Match": version } });
const actionsOf = async (person: TestPerson, count: number): Promise<string[]> => {
  const { items } = await answer(person.call(`/v1/audit/log?limit=${count}`), 200);
  return items.map(({ action }: Body) => action).toReversed();
};

/** Signs the person in again after the year is over, since earlier sessions have expired. */
function inNewYear(person: TestPerson): Promise<TestPerson> {
  gateway.setNow(NEW_YEAR);
  return signIn(gateway, person.user, person.organization, { now: NEW_YEAR });
}

const RULESET = { as_of: "2026-11-20", digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) };
const sums = (
  embedded: string,
  certificates: string,
  cost: string,
  certificates_to_buy: number,
  toBuy: string,
) => ({
  embedded_emissions: Number(embedded),
  embedded_emissions_exact: embedded,
  certificates: Number(certificates),
  certificates_exact: certificates,
  cost_eur: Number(cost),
  cost_eur_exact: cost,
  certificates_to_buy,
  cost_to_buy_eur: Number(toBuy),
  cost_to_buy_eur_exact: toBuy,
});

const of = (embedded: string, certificates: string, cost: string) => ({
  embedded_emissions: Number(embedded),
  certificates: Number(certificates),
  cost_eur: Number(cost),
});

describe("/v1/cbam/declarations", () => {
  it("creates one declaration a year, and lists it", async () => {
    const ada = await signUp(gateway);
    const { declaration, path } = await begin(ada);
    const { imports, ...listed } = declaration;
    expect(imports).toEqual([]);
    expect(listed).toEqual({
      id: expect.any(String),
      year: 2026,
      status: "draft",
      due_on: "2027-09-30",
      totals: { mass_t: 0, mass_t_exact: "0", ...sums("0", "0", "0", 0, "0") },
      obligation: "none_de_minimis",
      notices: [],
      certificates_held: null,
      holdings: [],
      ruleset: RULESET,
      import_count: 0,
      version: 1,
    });
    const later = (await begin(ada, 2028)).declaration;
    const items = [listed, expect.objectContaining({ id: later.id, due_on: "2029-09-30" })];
    await answer(ada.call(CBAM), 200, { items, next_cursor: null });
    expect(await read(ada, path)).toEqual(declaration);
    for (const year of [2025, 2035])
      await refused(ada.call(CBAM, { json: { year } }), 422, undefined, "NOT_COVERED");
  });

  it("adds imports at the price of their quarter, and removes them", async () => {
    const ada = await signUp(gateway);
    const { path, declaration } = await begin(ada);
    const made = await send(ada, path, steel(100));
    const added = await answer(made, 201, {
      id: expect.any(String),
      declaration_id: declaration.id,
      quarter: "Q3",
      cn_code: "72083600",
      country: "IN",
      mass_t: 100,
      mass_t_exact: "100",
      basis: "default",
      route: null,
      good: null,
      direct_tco2e_per_t: null,
      indirect_tco2e_per_t: null,
      precursors: [],
      reduction_tco2e: 0,
      name: "hot-rolled flat",
      ...of("470.8", "337.225", "27760.36"),
    });
    expect(made.headers.get("location")).toBe(`${path}/imports/${added.id}`);
    const precursors = [{ cn_code: "72071210", mass_t: 10.5, route: "C" }];
    const actual = { basis: "actual", direct_tco2e_per_t: "2.1", precursors, quarter: "Q1" };
    const other = await add(ada, path, steel("10", actual));
    expect(await read(ada, path)).toEqual({
      ...declaration,
      imports: [other, added],
      import_count: 2,
      version: 3,
      obligation: "surrender",
      notices: ["PRECURSORS_ARE_OUR_READING"],
      // 337.225 at 82.32, and 21 − 10 × 0.975 × 0.044 − 10.5 × 0.975 × 0.188 = 18.646 at 75.36. The 0.129 missing to 356
      // whole certificates cost 82.32.
      totals: { mass_t: 110, mass_t_exact: "110", ...sums("491.8", "355.871", "29165.52", 356, "29176.14") },
    });
    expect(other.precursors).toEqual(precursors);
    const left = { imports: [other], import_count: 1, version: 4 };
    await answer(remove(ada, path, added.id), 200, expect.objectContaining(left));
    await refused(remove(ada, path, added.id), 404);
  });

  it("adds a batch of imports, all or none, and replaces one of them", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada);
    const addAll = (imports: readonly object[], version = "*") =>
      ada.call<Body>(`${path}/imports/batch`, { json: { imports }, headers: { "If-Match": version } });
    const imported = ({ quarter, ...goods }: ReturnType<typeof steel>) => ({ quarter, goods });
    const faulty = [imported(steel(1)), imported(steel(-1)), imported(steel(1, { cn_code: "7204" }))];
    await refused(addAll(faulty), 422, ["imports[1].goods.mass_t", "imports[2].goods.cn_code"]);
    await refused(addAll(Array(201).fill(imported(steel(1)))), 422, ["imports"]);
    expect((await read(ada, path)).import_count).toBe(0);

    const declaration = await answer(addAll([imported(steel(100)), imported(steel(50))], '"1"'), 200);
    expect([declaration.import_count, declaration.version]).toEqual([2, 2]);
    await refused(addAll([imported(steel(1))], '"1"'), 409);
    await refused(addAll(Array(199).fill(imported(steel(1)))), 409);

    const [small] = declaration.imports.filter(({ mass_t }: Body) => mass_t === 50);
    const replace = (json: object, version: string) =>
      ada.call<Body>(`${path}/imports/${small.id}`, {
        method: "PUT",
        json,
        headers: { "If-Match": version },
      });
    const replaced = {
      quarter: "Q4",
      mass_t: 60.5,
      mass_t_exact: "60.5",
      ...of("284.834", "204.021", "16795.01"),
    };
    await answer(replace(steel("60.5", { quarter: "Q4" }), '"2"'), 200, { ...small, ...replaced });
    await refused(replace(steel(1), '"2"'), 409);
    expect((await read(ada, path)).version).toBe(3);
    const other = await begin(ada, 2027);
    await refused(ada.call(`${other.path}/imports/${small.id}`, { method: "PUT", json: steel(1) }), 404);
    expect(await actionsOf(ada, 2)).toEqual(["cbam_import.updated", "cbam_declaration.created"]);
  });

  it("refuses an import that cannot be estimated, and says why", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada);
    await refused(send(ada, path, steel(1, { cn_code: "7204" })), 422, ["cn_code"], "NOT_COVERED");
    await refused(send(ada, path, steel(1, { country: "ZZ" })), 422, ["route"], "ROUTE_REQUIRED");
    await refused(send(ada, path, steel(0, { country: "XX", route: "x".repeat(201) })), 422);
    await refused(send(ada, path, steel(1, { quarter: "Q5" })), 422);
    await refused(send(ada, path, steel(1, { country: "DE", good: "a\0b" })), 422, ["good"]);
    expect((await read(ada, path)).import_count).toBe(0);
  });

  it("owes nothing up to 50 t, and warns from 40 t", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada);
    const state = async () => {
      const { obligation, notices, totals } = await read(ada, path);
      return [totals.mass_t, obligation, notices, totals.certificates_to_buy];
    };
    await add(ada, path, steel("39.999999"));
    expect(await state()).toEqual([39.999999, "none_de_minimis", [], 0]);
    await add(ada, path, steel("0.000001"));
    expect(await state()).toEqual([40, "none_de_minimis", ["NEAR_DE_MINIMIS"], 0]);
    await add(ada, path, steel(10));
    expect(await state()).toEqual([50, "none_de_minimis", ["NEAR_DE_MINIMIS"], 0]);
    await add(ada, path, { ...steel(100), country: "DE" });
    expect(await state()).toEqual([50, "none_de_minimis", ["FREE_ORIGIN", "NEAR_DE_MINIMIS"], 0]);
    const { id } = await add(ada, path, { ...steel(1), cn_code: "28041000" });
    expect(await state()).toEqual([50, "surrender", ["FREE_ORIGIN", "NEAR_DE_MINIMIS"], 11]);
    await answer(remove(ada, path, id), 200);
    await add(ada, path, steel("0.000001"));
    expect(await state()).toEqual([50.000001, "surrender", ["FREE_ORIGIN"], 169]);
  });

  it("freezes on submission, once its year is over, until it is amended", async () => {
    const before = await signUp(gateway);
    const { path } = await begin(before);
    const added = await add(before, path, steel(100));
    await refused(act(before, path, "submit"), 409, {
      year: "The declaration of 2026 can be submitted from 2027-01-01 (today is 2026-11-20).",
    });
    await refused(act(before, path, "amend"), 409, {
      status: "The declaration of 2026 is already open for changes.",
    });

    const ada = await inNewYear(before);
    const draft = await read(ada, path);
    await refused(act(ada, path, "submit", '"1"'), 409, ["version"]);
    const frozen = { ...draft, status: "submitted", version: 3 };
    await answer(act(ada, path, "submit", '"2"'), 200, frozen);

    const isSubmitted = { status: "The declaration of 2026 has been submitted. Amend it first." };
    await refused(send(ada, path, steel(1)), 409, isSubmitted);
    await refused(remove(ada, path, added.id), 409, isSubmitted);
    await refused(act(ada, path, "submit"), 409, {
      status: "The declaration of 2026 has already been submitted.",
    });
    // A submitted declaration keeps its figures even if its imports change.
    await gateway.database.prisma.cbamImport.updateMany({ where: { id: added.id }, data: { massT: 7 } });
    expect((await read(ada, path)).totals).toEqual(frozen.totals);

    const amended = { status: "amended", version: 4, totals: { mass_t: 7 }, obligation: "none_de_minimis" };
    expect(await answer(act(ada, path, "amend"), 200)).toMatchObject(amended);
    await add(ada, path, steel(93));
    const again = {
      status: "submitted",
      version: 6,
      import_count: 2,
      totals: { mass_t: 100, certificates_to_buy: 338 },
    };
    expect(await answer(act(ada, path, "submit"), 200)).toMatchObject(again);
    expect(await actionsOf(ada, 7)).toEqual([
      "cbam_declaration.created",
      "cbam_import.created",
      "cbam_declaration.submitted",
      "cbam_import.updated",
      "cbam_declaration.amended",
      "cbam_import.created",
      "cbam_declaration.submitted",
    ]);
  });

  it("requires certificates for half of the year's embedded emissions each quarter from 2027", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada, 2027);
    await add(ada, path, steel(100, { quarter: "Q1" }));
    await add(ada, path, steel("33.3", { quarter: "Q3" }));
    const { holdings, notices } = await read(ada, path);
    // 4.28 × 1.2 = 5.136 t per tonne.
    expect([holdings, notices]).toEqual([
      [
        { quarter: "Q1", ends_on: "2027-03-31", certificates: 257 },
        { quarter: "Q2", ends_on: "2027-06-30", certificates: 257 },
        { quarter: "Q3", ends_on: "2027-09-30", certificates: 343 },
        { quarter: "Q4", ends_on: "2027-12-31", certificates: 343 },
      ],
      ["PRICE_NOT_YET_PUBLISHED"],
    ]);
  });

  it("changes the certificates held, and the year of a draft", async () => {
    const before = await signUp(gateway);
    const { path } = await begin(before);
    await begin(before, 2028);
    const patch = (person: TestPerson, json: object) => person.call<Body>(path, { method: "PATCH", json });
    await answer(patch(before, { certificates_held: 257 }), 200);
    const moved = { year: 2027, due_on: "2028-09-30", certificates_held: null };
    const toNext = patch(before, { year: 2027, certificates_held: null });
    await answer(toNext, 200, expect.objectContaining(moved));
    await refused(patch(before, { year: 2028 }), 409, { year: "A declaration of 2028 already exists." });
    await refused(patch(before, { year: 2035 }), 422, undefined, "NOT_COVERED");
    await refused(patch(before, { certificates_held: -1 }), 422, ["certificates_held"]);
    await refused(patch(before, {}), 422);
    await answer(patch(before, { year: 2026 }), 200);
    const ada = await inNewYear(before);
    await answer(act(ada, path, "submit"), 200);
    const onlyDrafts = { status: "Only a draft can be moved to another year." };
    await refused(patch(ada, { year: 2027 }), 409, onlyDrafts);
    const held = { status: "submitted", certificates_held: 1 };
    await answer(patch(ada, { certificates_held: 1 }), 200, expect.objectContaining(held));
  });
});
