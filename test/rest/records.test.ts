import { describe, expect, it } from "vitest";
import { verifyEmissionDays } from "../../src/data/emissions/verify-days.js";
import { answer, type Body, refused } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { addFacility, addFactor } from "../support/fixtures.js";
import { signUp, type TestPerson } from "../support/people.js";
import { useGateway } from "../support/use.js";

const PATH = "/v1/emissions/records";
const gateway = useGateway();

const RECORD = { recorded_on: "2026-11-01", scope: "scope_1", co2e_tonnes: 1.5 };

const post = (person: TestPerson, json: unknown) => person.call<Body>(PATH, { json });
const patch = (person: TestPerson, id: string, json: unknown) =>
  person.call<Body>(`${PATH}/${id}`, { method: "PATCH", json });
const remove = (person: TestPerson, id: string, json: unknown = { reason: "Entered twice." }) =>
  person.call<Body>(`${PATH}/${id}`, { method: "DELETE", json });
const list = async (person: TestPerson, query = ""): Promise<Body[]> =>
  (await answer(person.call(`${PATH}${query}`), 200)).items;
const totals = async (person: TestPerson) => {
  const { body } = await person.graphql("{ emissions { totalCo2eTonnesExact recordCount } }");
  return [body.data.emissions.totalCo2eTonnesExact, body.data.emissions.recordCount];
};
describe("/v1/emissions/records", () => {
  it("adds a record that counts at once", async () => {
    const ada = await signUp(gateway);
    const values = { code: "HAM-1", name: "Hamburg" };
    const { code, id } = await addFacility(gateway.database, ada.organization.slug, values);
    const texts = { reference: "r-1", category: "heat", source: "Meter", note: "Two\nlines" };
    const record = await answer(post(ada, { ...RECORD, ...texts, facility: code }), 201, {
      id: expect.any(String),
      ...RECORD,
      co2e_tonnes_exact: "1.5",
      market_based_tonnes: null,
      market_based_tonnes_exact: null,
      energy_kwh: null,
      energy_kwh_exact: null,
      biogenic_co2_tonnes: null,
      biogenic_co2_tonnes_exact: null,
      facility: { id, ...values },
      ...texts,
      activity: null,
      calculation: null,
      version: 1,
      created_at: expect.any(String),
      updated_at: null,
      created_by: ada.user.id,
    });
    const created = await ada.call(`${PATH}/${record.id}`);
    expect([created.headers.get("etag"), created.body.data]).toEqual([expect.stringMatching(/^"1-/), record]);
    expect([await list(ada), await totals(ada)]).toEqual([[record], ["1.5", 1]]);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "emission_record.created",
      actor: { type: "user", id: ada.user.id },
      target: { id: record.id },
      changes: { co2e_tonnes: 1.5, reference: "r-1" },
    });
  });

  it("changes the sent fields, and deletes with a reason", async () => {
    const ada = await signUp(gateway);
    const record = await answer(post(ada, { ...RECORD, category: "heat", note: "First" }), 201);
    const { id } = record;
    const changed = { co2e_tonnes: 2.25, co2e_tonnes_exact: "2.25", category: null, version: 2 };
    await answer(patch(ada, id, { co2e_tonnes: "2.25", category: null }), 200, {
      ...record,
      ...changed,
      updated_at: expect.any(String),
    });
    expect(await totals(ada)).toEqual(["2.25", 1]);
    expect((await answer(remove(ada, id), 200)).version).toBe(3);
    expect([await totals(ada), await list(ada)]).toEqual([["0", 0], []]);
    for (const gone of [ada.call<Body>(`${PATH}/${id}`), patch(ada, id, { note: "x" }), remove(ada, id)])
      await refused(gone, 404);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      action: "emission_record.deleted",
      changes: { note: { from: "First", to: "Entered twice." } },
    });
  });

  it("adds up to 500 records, all or none, and names the faulty field", async () => {
    const ada = await signUp(gateway);
    const records = Array.from({ length: 500 }, (_, index) => ({ ...RECORD, reference: `r-${index}` }));
    const wrong = records.with(498, { ...RECORD, reference: "r-498", co2e_tonnes: 0.1234567 });
    await refused(post(ada, { records: wrong }), 422, ["records[498].co2e_tonnes"]);
    expect(await totals(ada)).toEqual(["0", 0]);
    const made = await post(ada, { records });
    const { records: added, created } = await answer(made, 201);
    expect([made.headers.get("location"), made.headers.get("etag"), created]).toEqual([PATH, null, 500]);
    expect(added.map(({ reference }: Body) => reference)).toEqual(records.map(({ reference }) => reference));
    expect(await totals(ada)).toEqual(["750", 500]);
    await answer(post(ada, { records }), 200, { records: added, created: 0 });
    await refused(post(ada, { records: [...records, RECORD] }), 422, ["records"]);
  });

  it("accepts 500 records with the longest texts, and no larger body", async () => {
    const ada = await signUp(gateway);
    const text = (length: number) => "x".repeat(length);
    const long = { ...RECORD, category: text(200), source: text(1_000), note: text(1_000) };
    const records = Array.from({ length: 500 }, (_, index) => ({
      ...long,
      reference: `${index}-${text(190)}`,
    }));
    expect((await answer(post(ada, { records }), 201)).created).toBe(500);
    const { status, body } = await post(ada, { ...RECORD, note: text(2_200_000) });
    expect([status, body.error.message]).toEqual([413, "The request body is too large."]);
  });

  it("returns the record with the same reference, 409 if it differs, and reuses a deleted one", async () => {
    const ada = await signUp(gateway);
    const record = { ...RECORD, reference: "r-1", category: "heat" };
    const [one, two] = await Promise.all([post(ada, record), post(ada, record)]);
    expect([one.status, two.status].toSorted()).toEqual([200, 201]);
    expect(two.body.data).toEqual(one.body.data);
    expect(await totals(ada)).toEqual(["1.5", 1]);
    const other = { co2e_tonnes: "is stored as 1.5, got 2", note: "is stored as empty, got x" };
    await refused(post(ada, { ...record, co2e_tonnes: 2, note: "x" }), 409, other);
    await answer(remove(ada, one.body.data.id), 200);
    const again = await answer(post(ada, { ...RECORD, reference: "r-1", co2e_tonnes: 7 }), 201);
    expect(again).toMatchObject({ id: one.body.data.id, version: 3, category: null });
    expect([await totals(ada), (await list(ada)).length]).toEqual([["7", 1], 1]);
    const trail = await readAuditTrail(gateway.database, ada.organization.id);
    expect(trail.at(-1)?.action).toBe("emission_record.restored");
  });

  it.each([
    ["7 decimals", { co2e_tonnes: "0.0000001" }, "co2e_tonnes"],
    ["a negative amount", { co2e_tonnes: -1 }, "co2e_tonnes"],
    ["1e400", { co2e_tonnes: "1e400" }, "co2e_tonnes"],
    ["NaN", { co2e_tonnes: "NaN" }, "co2e_tonnes"],
    ["more than 10^12", { co2e_tonnes: "1000000000000.000001" }, "co2e_tonnes"],
    ["no amount", { co2e_tonnes: undefined }, "co2e_tonnes"],
    ["two amounts", { activity: { amount: 1, unit: "kg", gas: "CO2" } }, "activity"],
    ["29 February of a common year", { recorded_on: "2026-02-29" }, "recorded_on"],
    ["a day before 1990", { recorded_on: "1989-12-31" }, "recorded_on"],
    ["a day more than a year ahead", { recorded_on: "2027-11-21" }, "recorded_on"],
    ["a blank reference", { reference: " " }, "reference"],
    ["NUL in a string", { category: "a\0b" }, "category"],
    ["a lone surrogate in a note", { note: "\ud800" }, "note"],
    ["a category of 201 characters", { category: "🏭".repeat(201) }, "category"],
    ["an unknown facility", { facility: "nowhere" }, "facility"],
    ["more than 10^15 kWh", { energy_kwh: "1000000000000000.000001" }, "energy_kwh"],
    ["negative biogenic CO2", { biogenic_co2_tonnes: -1 }, "biogenic_co2_tonnes"],
    ["a market-based amount outside scope 2", { market_based_tonnes: 1 }, "market_based_tonnes"],
  ])("refuses a record with %s", async (_name, changed, path) => {
    const ada = await signUp(gateway);
    await refused(post(ada, { ...RECORD, ...changed }), 422, [path]);
    expect(await totals(ada)).toEqual(["0", 0]);
  });

  it.each([
    ["10^12 tonnes", { co2e_tonnes: "1000000000000" }],
    ["-0", { co2e_tonnes: -0 }],
    ["29 February of a leap year", { recorded_on: "2024-02-29" }],
    ["the first day", { recorded_on: "1990-01-01" }],
    ["the last day", { recorded_on: "2027-11-20" }],
    ["a market-based amount", { scope: "scope_2", market_based_tonnes: 0 }],
    ["10^15 kWh, and biogenic CO2", { energy_kwh: "1000000000000000", biogenic_co2_tonnes: "0.000001" }],
  ])("accepts a record with %s", async (_name, changed) => {
    const ada = await signUp(gateway);
    const record = await answer(post(ada, { ...RECORD, ...changed }), 201);
    expect(await list(ada)).toEqual([record]);
  });

  it("derives the kWh of an activity in an energy unit, and refuses different ones", async () => {
    const ada = await signUp(gateway);
    const { slug } = ada.organization;
    const gas = await addFactor(gateway.database, slug, { activity: "Gas", factor: "56.1", unit: "GJ" });
    const oil = await addFactor(gateway.database, slug, { activity: "Oil", factor: "2.5", unit: "litre" });
    const { co2e_tonnes: _, ...record } = RECORD;
    const burned = (amount: string, unit: string) => ({
      activity: { amount, unit, factor_id: unit === "litre" ? oil.id : gas.id },
    });
    const same = { ...record, ...burned("10", "MMBtu"), biogenic_co2_tonnes: "0.5", reference: "r" };
    const added = await answer(post(ada, same), 201);
    expect(added).toMatchObject({ energy_kwh: 2930.710702, energy_kwh_exact: "2930.710702" });
    expect(added.biogenic_co2_tonnes_exact).toBe("0.5");
    await answer(post(ada, same), 200);
    await answer(post(ada, { ...same, energy_kwh: "2930.7107020" }), 200);
    const { id } = added;
    for (const call of [
      post(ada, { ...record, ...burned("10", "MMBtu"), energy_kwh: 2930 }),
      patch(ada, id, { energy_kwh: 2930 }),
      patch(ada, id, { ...burned("3.6", "GJ"), energy_kwh: 1 }),
    ])
      await refused(call, 422, ["energy_kwh"]);
    const energyAfter = async (changes: object) => {
      const { body } = await patch(ada, id, changes);
      return [body.error, body.data?.energy_kwh_exact, body.data?.version];
    };
    expect(await energyAfter({ energy_kwh: null })).toEqual([null, "2930.710702", 1]);
    expect(await energyAfter({ note: "x" })).toEqual([null, "2930.710702", 2]);
    expect(await energyAfter(burned("3.6", "GJ"))).toEqual([null, "1000", 3]);
    expect(await energyAfter({ co2e_tonnes: 1 })).toEqual([null, null, 4]);
    expect(await energyAfter({ energy_kwh: "12.5" })).toEqual([null, "12.5", 5]);
    expect(await energyAfter({ co2e_tonnes: 2 })).toEqual([null, "12.5", 6]);
    expect(await energyAfter({ ...burned("5", "litre"), energy_kwh: 50 })).toEqual([null, "50", 7]);
    expect(await energyAfter(burned("5", "litre"))).toEqual([null, "50", 7]);
    expect(await energyAfter(burned("6", "litre"))).toEqual([null, null, 8]);
    expect(await energyAfter(burned("6", "MWh"))).toEqual([null, "6000", 9]);
    expect((await readAuditTrail(gateway.database, ada.organization.id)).at(-1)).toMatchObject({
      changes: { energy_kwh: { from: null, to: 6000 } },
    });
    expect(await verifyEmissionDays(gateway.database)).toEqual([]);
  });

  it("reports all problems of several records together", async () => {
    const ada = await signUp(gateway);
    const records = [
      { ...RECORD, recorded_on: "1980-01-01", note: " " },
      { ...RECORD, reference: "a" },
      { ...RECORD, reference: "a", facility: "nowhere" },
    ];
    const paths = [
      "records[0].recorded_on",
      "records[0].note",
      "records[2].reference",
      "records[2].facility",
    ];
    await refused(post(ada, { records }), 422, paths);
  });

  it("refuses unknown, other organizations' and archived facilities", async () => {
    const [ada, bob] = [await signUp(gateway), await signUp(gateway)];
    await addFacility(gateway.database, bob.organization.slug, { code: "BOB" });
    const { id } = await addFacility(gateway.database, ada.organization.slug, { code: "ADA" });
    const messageOf = async (facility: string) =>
      (await refused(post(ada, { ...RECORD, facility }), 422, ["facility"])).message.replace(facility, "…");
    expect(await messageOf("BOB")).toBe(await messageOf("nobody"));
    const kept = await answer(post(ada, { ...RECORD, facility: "ADA" }), 201);
    await answer(ada.call(`/v1/facilities/${id}`, { method: "DELETE" }), 200);
    await refused(post(ada, { ...RECORD, facility: "ADA" }), 422, ["facility"]);
    // A record that already has the archived facility may keep it.
    await answer(patch(ada, kept.id, { facility: "ADA", note: "Checked" }), 200);
    const without = await answer(post(ada, RECORD), 201);
    await refused(patch(ada, without.id, { facility: "ADA" }), 422, ["facility"]);
  });

  it("filters and pages through records", async () => {
    const ada = await signUp(gateway);
    await addFacility(gateway.database, ada.organization.slug, { code: "A" });
    const records = [
      { ...RECORD, reference: "one", recorded_on: "1990-01-01", category: "Business travel" },
      { ...RECORD, reference: "two", recorded_on: "2026-01-01", scope: "scope_2", facility: "A" },
      { ...RECORD, reference: "three", recorded_on: "2027-11-20", note: "of TWO" },
    ];
    await post(ada, { records });
    const found = async (query: string) => (await list(ada, query)).map(({ reference }: Body) => reference);
    expect(await found("")).toEqual(["three", "two", "one"]);
    expect(await found("?from=1990-01-02")).toEqual(["three", "two"]);
    expect(await found("?to=2026-01-01")).toEqual(["two", "one"]);
    expect(await found("?scope=scope_2&facility=A")).toEqual(["two"]);
    expect(await found("?category=Business%20travel")).toEqual(["one"]);
    expect(await found("?q=two")).toEqual(["three", "two"]);
    expect(await found("?q=%25")).toEqual([]);
    const { next_cursor } = await answer(ada.call(`${PATH}?limit=2`), 200);
    expect(await found(`?limit=2&cursor=${next_cursor}`)).toEqual(["one"]);
    const wrong = [
      "facility=B",
      "from=2026-02-30",
      "scopes=scope_1",
      "q=%00",
      "from=2026-01-02&to=2026-01-01",
    ];
    for (const query of wrong) await refused(ada.call<Body>(`${PATH}?${query}`), 400);
  });

  it("finds any substring, ignoring the case of A to Z, but references only as spelled", async () => {
    const ada = await signUp(gateway);
    const texts = ["INV-2026/0042", "O'Neill \\ Söhne", "größe ⚡️ 😀😀", "zz", "50 % & 'more':*"];
    const first = texts.map((reference, day) => ({
      ...RECORD,
      reference,
      recorded_on: `2026-01-0${9 - day}`,
    }));
    const words = { category: "fuel", source: "Meter 7", note: texts[2] };
    const last = { ...RECORD, reference: "last", recorded_on: "2025-01-01", ...words };
    await answer(post(ada, { records: [...first, last] }), 201);
    const all = await list(ada);
    const found = async (query: string) => (await list(ada, query)).map(({ id }) => id);
    const symbols = ["'", "\\", "'n", " & '", "':*", ":*", "%", "  ", "⚡️", "😀😀", "😀"];
    const letters = ["inv-", "0042", "ö", "SÖHNE", "z", "zz", "zzz"];
    const across = ["fuel meter", "fuel Meter 7 größe ⚡️ 😀😀", "last fuel meter 7 grösse"];
    for (const text of [...symbols, ...letters, ...across]) {
      const lower = (given: string) => given.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      const isFound = ({ reference, category, source, note }: Body) =>
        lower([reference, category, source, note].filter((part) => part !== null).join(" ")).includes(
          lower(text),
        );
      expect([text, await found(`?q=${encodeURIComponent(text)}`)]).toEqual([
        text,
        all.filter(isFound).map(({ id }: Body) => id),
      ]);
    }
    const [one, two] = all;
    const reference = (text: string) => `reference=${encodeURIComponent(text)}`;
    expect(await found(`?${reference("INV-2026/0042")}`)).toEqual([one.id]);
    expect(await found(`?${reference("inv-2026/0042")}`)).toEqual([]);
    expect(await found(`?${texts.slice(0, 2).map(reference).join("&")}&${reference("none")}`)).toEqual([
      one.id,
      two.id,
    ]);
    const query = `{ emissions(range: { from: "2025-01-01", to: "2026-12-31" }, filter: { references: ["zz", "last", "none"] }) {
      recordCount totalCo2eTonnes latestRecord byCategory { category recordCount } byFacility { co2eTonnes }
      trend { recordCount } records { totalCount } } }`;
    const { body } = await ada.graphql(query);
    expect(body.data.emissions).toMatchObject({
      recordCount: 2,
      totalCo2eTonnes: 2 * RECORD.co2e_tonnes,
      latestRecord: "2026-01-06",
      byCategory: [
        { category: null, recordCount: 1 },
        { category: "fuel", recordCount: 1 },
      ],
      records: { totalCount: 2 },
    });
  });
});
