import { describe, expect, it } from "vitest";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import type { Body } from "../support/answers.js";
import { readAuditTrail } from "../support/audit.js";
import { signUp, type TestPerson } from "../support/people.js";
import { NOW } from "../support/server.js";
import { useGateway } from "../support/use.js";

const gateway = useGateway();

const send = (person: TestPerson, rows: readonly (readonly unknown[])[], query = "") =>
  person.call<Body>(`/v1/emissions/import${query}`, {
    method: "POST",
    body: rows.map((row) => `${row.join(",")}\n`).join(""),
    headers: { "Content-Type": "text/csv" },
  });
const HEADER = ["recorded_on", "scope", "co2e_tonnes", "category", "reference"];
const countOf = ({ organization: { id: organizationId } }: TestPerson) =>
  gateway.database.prisma.emissionRecord.count({ where: { organizationId } });
const monthEnds = Array.from({ length: 9 }, (_, month) =>
  new Date(Date.UTC(2026, month + 1, 0)).toISOString().slice(0, 10),
);

/** Expects a dry run and an import to ask the questions, and the import to succeed once they are accepted. */
async function expectQuestions(
  person: TestPerson,
  rows: readonly (readonly unknown[])[],
  questions: readonly Body[],
  query = "?",
) {
  const before = await countOf(person);
  const refused = await send(person, rows, query);
  expect([refused.status, refused.body.error]).toEqual([
    422,
    {
      code: "CONFIRMATION_REQUIRED",
      message: `Nothing was stored. ${questions.map(({ message }) => message).join(" ")}`,
      questions,
    },
  ]);
  const dry = await send(person, rows, `${query}&dry_run=true`);
  expect([dry.status, dry.body.data.questions]).toEqual([200, questions]);
  expect(await countOf(person)).toBe(before);
  const accept = questions.map(({ code }) => `&accept=${code}`).join("");
  const done = await send(person, rows, `${query}${accept}`);
  expect([done.status, done.body.data.questions]).toEqual([200, questions]);
  expect(await countOf(person)).toBeGreaterThan(before);
  const codes = questions.map(({ code }) => code);
  const imports = await person.call<Body>("/v1/emissions/imports");
  const own = (each: { id: string }) => each.id === done.body.data.id;
  expect(imports.body.data.items.find(own).accepted).toEqual(codes);
  const entries = await readAuditTrail(gateway.database, person.organization.id);
  const entry = entries.find(({ target }) => target.id === done.body.data.id);
  expect(entry).toMatchObject({ action: "import.created", changes: { accepted: codes } });
}

describe("POST /v1/emissions/import of a file with a probable error", () => {
  it("asks about amounts in kWh and litres that are mapped to tonnes of CO2e, before all else", async () => {
    const ada = await signUp(gateway);
    const history = monthEnds.map((day) => [day, "scope_1", 3, "heat", day]);
    expect((await send(ada, [HEADER, ...history])).status).toBe(200);
    const rows = [
      ["Datum", "Menge", "Einheit"],
      ["2026-10-01", 4_500_000, "kWh"],
      ["2026-10-02", 3_100_000, "Liter"],
      ["2026-10-03", 2, "tCO2e"],
    ];
    const query = "?map.recorded_on=Datum&map.co2e_tonnes=Menge&set.scope=scope_1";
    const question = {
      code: "AMOUNT_IS_NOT_CO2E",
      message:
        'Amounts are read as emissions in CO2e, but column "Einheit" says energy and volume: "kWh", "Liter".',
      rows: 2,
      first_lines: [2, 3],
      figures: { column: "Einheit", says: "energy and volume", units: ["kWh", "Liter"] },
    };
    const { status, body } = await send(ada, rows, query);
    expect([status, body.error.questions]).toEqual([422, [question]]);
    // Once accepted as tonnes, they are compared with usual months.
    const accepted = await send(ada, rows, `${query}&accept=AMOUNT_IS_NOT_CO2E`);
    expect([accepted.status, accepted.body.error.questions.map(({ code }: Body) => code)]).toEqual([
      422,
      ["AMOUNT_IS_NOT_CO2E", "MONTHLY_TOTAL_UNUSUAL"],
    ]);
  });

  it.each([
    ["Betrag EUR", "x", "x", "Betrag EUR", "currency", "EUR"],
    ["Montant", "Devise", "€", "Devise", "currency", "€"],
    ["Cantidad", "Unidad", "kg", "Unidad", "mass", "kg"],
    ["co2e_tonnes", "unit", "passenger.km", "unit", "passenger distance", "passenger.km"],
    ["Emissions", "Unité", "MWh", "Unité", "energy", "MWh"],
  ])("asks about %s next to %s in %s", async (amount, name, value, column, says, unit) => {
    const ada = await signUp(gateway);
    const rows = [
      ["recorded_on", "scope", amount, name],
      ["2026-10-01", "scope_1", 5, value],
    ];
    const quoted = `"${unit}"`;
    const question = {
      code: "AMOUNT_IS_NOT_CO2E",
      message: `Amounts are read as emissions in CO2e, but column "${column}" says ${says}: ${quoted}.`,
      rows: 1,
      first_lines: [2],
      figures: { column, says, units: [unit] },
    };
    await expectQuestions(ada, rows, [question], `?map.co2e_tonnes=${encodeURIComponent(amount)}`);
  });

  it("asks nothing about units of CO2e, or units of another column", async () => {
    const ada = await signUp(gateway);
    const tonnes = [
      ["recorded_on", "scope", "Menge", "Einheit"],
      ["2026-10-01", "scope_1", 5, "t CO2e"],
      ["2026-10-02", "scope_1", 6, "t"],
      ["2026-10-03", "scope_1", 7, ""],
    ];
    const kilograms = [
      ["recorded_on", "scope", "Amount", "Uom"],
      ["2026-10-01", "scope_1", 5, "kg CO2e"],
    ];
    const both = [
      ["recorded_on", "scope", "co2e_tonnes", "Consumption", "Unit"],
      ["2026-10-01", "scope_1", 2.124, 12_000, "kWh"],
    ];
    const answers = [
      await send(ada, tonnes, "?map.co2e_tonnes=Menge"),
      await send(ada, kilograms, "?map.co2e_tonnes=Amount&unit=kg"),
      await send(ada, both),
    ];
    expect(answers.map(({ status, body }) => [status, body.data?.questions])).toEqual([
      [200, []],
      [200, []],
      [200, []],
    ]);
    // Another unit in the header of the amount remains a problem that cannot be accepted.
    const header = [
      ["recorded_on", "scope", "Verbrauch kWh"],
      ["2026-10-01", "scope_1", 5],
    ];
    const { status, body } = await send(
      ada,
      header,
      `?map.co2e_tonnes=${encodeURIComponent("Verbrauch kWh")}&accept=AMOUNT_IS_NOT_CO2E`,
    );
    expect([status, body.error.code]).toEqual([422, "VALIDATION_FAILED"]);
  });

  it("asks about a month above 3 times the organization's usual month", async () => {
    const ada = await signUp(gateway);
    const usual = monthEnds.slice(0, 6).map((day) => [day, "scope_1", 30, "heat", day]);
    expect((await send(ada, [HEADER, ...usual.slice(0, 5)])).status).toBe(200);
    const october = (tonnes: number) => [
      HEADER,
      ["2026-10-01", "scope_1", tonnes / 2, "fleet", "o-1"],
      ["2026-10-31", "scope_2", tonnes / 2, "power", "o-2"],
    ];
    expect((await send(ada, october(1_200), "?dry_run=true")).body.data.questions).toEqual([]);
    expect((await send(ada, [HEADER, ...usual.slice(5)])).status).toBe(200);
    expect((await send(ada, october(90), "?dry_run=true")).body.data.questions).toEqual([]);
    await expectQuestions(ada, october(1_200), [
      {
        code: "MONTHLY_TOTAL_UNUSUAL",
        message: "The file has 1200 t in 2026-10, which is 40 times the organization's usual month of 30 t.",
        rows: 2,
        first_lines: [2, 3],
        figures: { month: "2026-10", month_tonnes: 1_200, usual_tonnes: 30, ratio: 40 },
      },
    ]);
    // A second import adds nothing, so it asks nothing.
    const again = await send(ada, october(1_200));
    expect([again.status, again.body.data.already_present, again.body.data.questions]).toEqual([200, 2, []]);
  });

  it("asks about a record of at least 10 times the median of its facility and category", async () => {
    const ada = await signUp(gateway);
    const small = monthEnds.map((day) => [day, "scope_1", 0.1, "heat", day]);
    const rows = [
      HEADER,
      ...small.slice(0, 3),
      ["2026-09-01", "scope_1", 1.2, "heat", "x"],
      ...small.slice(3),
    ];
    await expectQuestions(ada, rows, [
      {
        code: "RECORD_UNUSUAL",
        message:
          "A record is at least 10 times the median of its facility and category: line 5 has 1.2 t, which is 12 times 0.1 t.",
        rows: 1,
        first_lines: [5],
        figures: [{ tonnes: 1.2, median_tonnes: 0.1, ratio: 12 }],
      },
    ]);
    expect((await send(ada, rows)).body.data.questions).toEqual([]);
    // A single row is compared with stored records.
    const alone = await send(ada, [HEADER, ["2026-09-02", "scope_1", 1, "heat", "y"]]);
    expect(alone.body.error.questions).toMatchObject([
      { code: "MONTHLY_TOTAL_UNUSUAL" },
      { code: "RECORD_UNUSUAL", figures: [{ tonnes: 1, median_tonnes: 0.1, ratio: 10 }] },
    ]);
  });

  it("asks about rows that exist under other references", async () => {
    const ada = await signUp(gateway);
    const rows = (prefix: string, count = 9) =>
      monthEnds.slice(0, count).map((day) => [day, "scope_1", 3, "heat", prefix && `${prefix}-${day}`]);
    expect((await send(ada, [HEADER, ...rows("a")])).status).toBe(200);
    const other = (count: number) =>
      Array.from({ length: count }, (_, n) => ["2026-08-01", "scope_1", 0.1, `c-${n}`, `d-${n}`]);
    // Fewer than 5 rows, and less than 20 %.
    for (const few of [rows("b", 4), [...rows("b", 5), ...other(21)]])
      expect((await send(ada, [HEADER, ...few], "?dry_run=true")).body.data.questions).toEqual([]);
    const question = (percent: number) => ({
      code: "ALREADY_UNDER_OTHER_REFERENCE",
      message: `5 rows (${percent} %) are on record with the same day, scope, facility, category and amount, under other references or without one.`,
      rows: 5,
      first_lines: [2, 3, 4],
      figures: { rows: 5, share_pct: percent },
    });
    await expectQuestions(ada, [HEADER, ...rows("b", 5), ...other(20)], [question(20)]);
    // By now two identical records exist.
    await expectQuestions(ada, [HEADER, ...rows("", 5)], [question(100)]);
    expect((await send(ada, [HEADER, ...rows("", 5)])).body.data.questions).toEqual([]);
  });

  it("answers 400 to accept=all and unknown questions", async () => {
    const ada = await signUp(gateway);
    for (const accept of ["all", "RECORD_UNUSUAL&accept=EVERYTHING"]) {
      const { status, body } = await send(ada, [HEADER], `?accept=${accept}`);
      expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
    }
  });

  it("asks nothing about the records of the sample", async () => {
    const ada = await signUp(gateway);
    await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
    const sample = await gateway.database.prisma.emissionRecord.findMany({
      where: { organization: { slug: "demo" } },
      include: { facility: true },
    });
    const header = ["recorded_on", "scope", "co2e_tonnes", "facility", "category", "reference"];
    const records = sample.map(({ recordedOn, scope, co2eTonnes, facility, category, reference }) => {
      const day = recordedOn.toISOString().slice(0, 10);
      return [day, scope, co2eTonnes, facility?.code, category, reference].map((text) => `"${text ?? ""}"`);
    });
    const { status, body } = await send(ada, [header, ...records], "?create_facilities=true");
    expect([status, body.data?.questions, body.data?.inserted]).toEqual([200, [], records.length]);
  });
});
