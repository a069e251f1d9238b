import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../support/answers.js";
import { addMember, signIn, signUp, type TestPerson } from "../support/people.js";
import { type Answer, type Envelope, makeKey, NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const CBAM = "/v1/cbam/declarations";
const NEW_YEAR = new Date("2027-01-01T00:00:00.000Z");

const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const refusal = ({ status, body }: Answer<Envelope>) => [status, body.error];
const conflict = (message: string, path: string) => [
  409,
  { code: "CONFLICT", message, details: [{ path, message }] },
];

async function begin(person: TestPerson, year = 2026) {
  const answer = await person.call(CBAM, { json: { year } });
  const declaration = answer.body.data as Body;
  return { ...answer, declaration, path: `${CBAM}/${declaration?.id}` };
}
const steel = (mass_t: number | string, more: object = {}) => ({
  quarter: "Q3",
  cn_code: "72083600",
  country: "IN",
  mass_t,
  ...more,
});
const add = async (person: TestPerson, path: string, json: object) => {
  const answer = await person.call(`${path}/imports`, { json });
  return { ...answer, added: answer.body.data as Body };
};
const read = async (person: TestPerson, path: string): Promise<Body> => (await person.call(path)).body.data;
const act = (person: TestPerson, path: string, verb: "submit" | "amend", version = "*") =>
  person.call(`${path}/${verb}`, { method: "POST", headers: { "If-Match": version } });

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
    const { declaration, path, ...made } = await begin(ada);
    expect([made.status, made.headers.get("location"), made.headers.get("etag")]).toEqual([
      201,
      path,
      expect.stringMatching(/^"1-/),
    ]);
    const { imports, ...listed } = declaration;
    expect([imports, listed]).toEqual([
      [],
      {
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
      },
    ]);
    const again = await begin(ada);
    expect([again.status, again.declaration]).toEqual([200, declaration]);
    const earlier = await begin(ada, 2028);
    expect((await ada.call(CBAM)).body.data).toEqual({
      items: [listed, expect.objectContaining({ id: earlier.declaration.id, due_on: "2029-09-30" })],
      next_cursor: null,
    });
    expect(await read(ada, path)).toEqual(declaration);
    for (const year of [2025, 2035]) {
      expect(refusal(await begin(ada, year))).toMatchObject([422, { code: "NOT_COVERED" }]);
    }
  });

  it("adds imports at the price of their quarter, and removes them", async () => {
    const ada = await signUp(gateway);
    const { path, declaration } = await begin(ada);
    const { added, ...answer } = await add(ada, path, steel(100));
    expect([answer.status, answer.headers.get("location")]).toEqual([201, `${path}/imports/${added.id}`]);
    expect(added).toEqual({
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
      embedded_emissions: 470.8,
      certificates: 337.225,
      cost_eur: 27_760.36,
    });
    const precursors = [{ cn_code: "72071210", mass_t: 10.5, route: "C" }];
    const actual = { basis: "actual", direct_tco2e_per_t: "2.1", precursors, quarter: "Q1" };
    const other = (await add(ada, path, steel("10", actual))).added;
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

    const remove = (id: string) => ada.call(`${path}/imports/${id}`, { method: "DELETE" });
    const left = await remove(added.id);
    expect([left.status, left.headers.get("etag"), left.body.data]).toEqual([
      200,
      expect.stringMatching(/^"4-/),
      expect.objectContaining({ imports: [other], import_count: 1, version: 4 }),
    ]);
    expect([(await remove(added.id)).status, (await remove(randomUUID())).status]).toEqual([404, 404]);
  });

  it("adds a batch of imports, all or none, and replaces one of them", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada);
    const addAll = (imports: readonly object[], version = "*") =>
      ada.call(`${path}/imports/batch`, { json: { imports }, headers: { "If-Match": version } });
    const imported = ({ quarter, ...goods }: ReturnType<typeof steel>) => ({ quarter, goods });
    const faulty = [imported(steel(1)), imported(steel(-1)), imported(steel(1, { cn_code: "7204" }))];
    expect(refusal(await addAll(faulty))).toMatchObject([
      422,
      {
        code: "VALIDATION_FAILED",
        details: [{ path: "imports[1].goods.mass_t" }, { path: "imports[2].goods.cn_code" }],
      },
    ]);
    const tooMany = Array.from({ length: 201 }, () => imported(steel(1)));
    expect(refusal(await addAll(tooMany))).toMatchObject([422, { details: [{ path: "imports" }] }]);
    expect((await read(ada, path)).import_count).toBe(0);

    const declaration = (await addAll([imported(steel(100)), imported(steel(50))], '"1"')).body.data as Body;
    expect([declaration.import_count, declaration.version]).toEqual([2, 2]);
    expect((await addAll([imported(steel(1))], '"1"')).status).toBe(409);
    const rest = Array.from({ length: 199 }, () => imported(steel(1)));
    expect(refusal(await addAll(rest))).toMatchObject([409, { code: "CONFLICT" }]);

    const [small] = declaration.imports.filter(({ mass_t }: Body) => mass_t === 50);
    const replace = (json: object, version: string) =>
      ada.call(`${path}/imports/${small.id}`, { method: "PUT", json, headers: { "If-Match": version } });
    const replaced = await replace(steel("60.5", { quarter: "Q4" }), '"2"');
    expect([replaced.status, replaced.body.data]).toEqual([
      200,
      {
        ...small,
        quarter: "Q4",
        mass_t: 60.5,
        mass_t_exact: "60.5",
        ...of("284.834", "204.021", "16795.01"),
      },
    ]);
    expect((await replace(steel(1), '"2"')).status).toBe(409);
    expect((await read(ada, path)).version).toBe(3);
    const other = await begin(ada, 2027);
    const elsewhere = await ada.call(`${other.path}/imports/${small.id}`, { method: "PUT", json: steel(1) });
    expect(elsewhere.status).toBe(404);
    const { items } = (await ada.call("/v1/audit/log?limit=2")).body.data as Body;
    expect(items.map(({ action }: Body) => action)).toEqual([
      "cbam_declaration.created",
      "cbam_import.updated",
    ]);
  });

  it("refuses an import that cannot be estimated, and says why", async () => {
    const ada = await signUp(gateway);
    const { path } = await begin(ada);
    const refused = async (json: object) => refusal(await add(ada, path, json));
    expect(await refused(steel(1, { cn_code: "7204" }))).toMatchObject([
      422,
      { code: "NOT_COVERED", details: [{ path: "cn_code" }] },
    ]);
    expect(await refused(steel(1, { country: "ZZ" }))).toMatchObject([
      422,
      { code: "ROUTE_REQUIRED", details: [{ path: "route" }] },
    ]);
    expect(await refused(steel(0, { country: "XX", route: "x".repeat(201) }))).toMatchObject([
      422,
      { code: "VALIDATION_FAILED" },
    ]);
    expect(await refused(steel(1, { quarter: "Q5" }))).toMatchObject([422, { code: "VALIDATION_FAILED" }]);
    expect(await refused(steel(1, { country: "DE", good: "a\0b" }))).toMatchObject([
      422,
      { code: "VALIDATION_FAILED", details: [{ path: "good" }] },
    ]);
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
    const { added } = await add(ada, path, { ...steel(1), cn_code: "28041000" });
    expect(await state()).toEqual([50, "surrender", ["FREE_ORIGIN", "NEAR_DE_MINIMIS"], 11]);
    await ada.call(`${path}/imports/${added.id}`, { method: "DELETE" });
    await add(ada, path, steel("0.000001"));
    expect(await state()).toEqual([50.000001, "surrender", ["FREE_ORIGIN"], 169]);
  });

  it("freezes on submission, once its year is over, until it is amended", async () => {
    const before = await signUp(gateway);
    const { path } = await begin(before);
    const { added } = await add(before, path, steel(100));
    expect(refusal(await act(before, path, "submit"))).toEqual(
      conflict("The declaration of 2026 can be submitted from 2027-01-01 (today is 2026-11-20).", "year"),
    );
    expect(refusal(await act(before, path, "amend"))).toEqual(
      conflict("The declaration of 2026 is already open for changes.", "status"),
    );

    const ada = await inNewYear(before);
    const draft = await read(ada, path);
    expect(refusal(await act(ada, path, "submit", '"1"'))).toMatchObject([409, { code: "CONFLICT" }]);
    const submitted = await act(ada, path, "submit", '"2"');
    const frozen = { ...draft, status: "submitted", version: 3 };
    expect([submitted.status, submitted.headers.get("etag"), submitted.body.data]).toEqual([
      200,
      expect.stringMatching(/^"3-/),
      frozen,
    ]);

    const isSubmitted = conflict("The declaration of 2026 has been submitted. Amend it first.", "status");
    expect(refusal(await add(ada, path, steel(1)))).toEqual(isSubmitted);
    const removal = await ada.call(`${path}/imports/${added.id}`, { method: "DELETE" });
    expect(refusal(removal)).toEqual(isSubmitted);
    expect(refusal(await act(ada, path, "submit"))).toEqual(
      conflict("The declaration of 2026 has already been submitted.", "status"),
    );
    // A submitted declaration keeps its figures even if its imports change.
    await gateway.database.prisma.cbamImport.updateMany({ where: { id: added.id }, data: { massT: 7 } });
    expect((await read(ada, path)).totals).toEqual(frozen.totals);

    expect((await act(ada, path, "amend")).body.data).toMatchObject({
      status: "amended",
      version: 4,
      totals: { mass_t: 7 },
      obligation: "none_de_minimis",
    });
    await add(ada, path, steel(93));
    expect((await act(ada, path, "submit")).body.data).toMatchObject({
      status: "submitted",
      version: 6,
      import_count: 2,
      totals: { mass_t: 100, certificates_to_buy: 338 },
    });
    const { items } = (await ada.call("/v1/audit/log?limit=7")).body.data as Body;
    expect(items.map(({ action }: Body) => action).toReversed()).toEqual([
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
    const { path, declaration } = await begin(before);
    await begin(before, 2028);
    const patch = (person: TestPerson, json: object, version = "*") =>
      person.call(path, { method: "PATCH", json, headers: { "If-Match": version } });
    const held = await patch(before, { certificates_held: 257 }, '"1"');
    expect([held.status, held.body.data]).toEqual([
      200,
      { ...declaration, certificates_held: 257, version: 2 },
    ]);
    expect(refusal(await patch(before, { certificates_held: 1 }, '"1"'))).toEqual(
      conflict(
        'VERSION_MISMATCH: If-Match is "1", and the current version is "2". Read it again.',
        "version",
      ),
    );
    const moved = await patch(before, { year: 2027, certificates_held: null });
    expect(moved.body.data).toMatchObject({ year: 2027, due_on: "2028-09-30", certificates_held: null });
    expect(refusal(await patch(before, { year: 2028 }))).toEqual(
      conflict("A declaration of 2028 already exists.", "year"),
    );
    expect(refusal(await patch(before, { year: 2035 }))).toMatchObject([422, { code: "NOT_COVERED" }]);
    expect(refusal(await patch(before, { certificates_held: -1 }))).toMatchObject([
      422,
      { details: [{ path: "certificates_held" }] },
    ]);
    expect((await patch(before, {})).status).toBe(422);
    await patch(before, { year: 2026 });
    const ada = await inNewYear(before);
    await act(ada, path, "submit");
    expect(refusal(await patch(ada, { year: 2027 }))).toEqual(
      conflict("Only a draft can be moved to another year.", "status"),
    );
    expect((await patch(ada, { certificates_held: 1 })).body.data).toMatchObject({
      status: "submitted",
      certificates_held: 1,
    });
  });

  it("lets viewers and keys read, and editors write, within their organization", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    const [viewer, editor] = [
      await addMember(gateway, slug, "viewer"),
      await addMember(gateway, slug, "editor"),
    ];
    const { path, declaration } = await begin(editor);
    const { added } = await add(editor, path, steel(1));
    expect((await read(viewer, path)).imports).toEqual([added]);
    const { key } = await makeKey(gateway.database, slug, { scopes: ["read:compliance"] });
    expect((await gateway.rest(path.replace("/v1", ""), key)).status).toBe(404);
    const byKey = await gateway.call<Envelope>(path, { headers: { "X-API-Key": key } });
    expect([byKey.status, (byKey.body.data as Body).id]).toEqual([200, declaration.id]);
    expect((await begin(viewer, 2027)).status).toBe(403);

    const stranger = await signUp(gateway);
    const statuses = [
      stranger.call(path),
      stranger.call(path, { method: "PATCH", json: { certificates_held: 1 } }),
      stranger.call(`${path}/imports`, { json: steel(1) }),
      stranger.call(`${path}/imports/batch`, {
        json: { imports: [{ quarter: "Q1", goods: { cn_code: "7208", country: "IN", mass_t: 1 } }] },
      }),
      stranger.call(`${path}/imports/${added.id}`, { method: "PUT", json: steel(1) }),
      stranger.call(`${path}/imports/${added.id}`, { method: "DELETE" }),
      act(stranger, path, "submit"),
      act(stranger, path, "amend"),
    ].map(async (answer) => (await answer).status);
    expect(await Promise.all(statuses)).toEqual(Array.from(statuses, () => 404));
    expect((await stranger.call(CBAM)).body.data).toEqual({ items: [], next_cursor: null });
  });
});
