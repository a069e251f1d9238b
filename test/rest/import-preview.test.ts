import { beforeAll, describe, expect, it } from "vitest";
import { HEAD_BYTES } from "../../src/files/csv/guess/head.js";
import { requireQuickNeighbour } from "../fuzz/neighbour.js";
import { addFacility } from "../support/fixtures.js";
import { germanFile } from "../support/german-file.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, makeKey, makeOrganization } from "../support/server.js";
import { useGateway } from "../support/use.js";

let person: TestPerson;
const gateway = useGateway();
beforeAll(async () => {
  person = await signUp(gateway);
});

const send = (text: string | Buffer, query = "", path = "/v1/emissions/import/preview") =>
  person.call<Envelope>(`${path}${query}`, {
    method: "POST",
    body: text,
    headers: { "Content-Type": "text/csv" },
  });

// biome-ignore lint/suspicious/noExplicitAny: the data of a preview
async function preview(text: string | Buffer, query = ""): Promise<any> {
  const { status, body } = await send(text, query);
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
}

const recordOf = (parts: object) => ({
  recorded_on: null,
  facility: null,
  scope: null,
  co2e_tonnes: null,
  amount: null,
  unit: null,
  activity: null,
  ...parts,
});

describe("POST /v1/emissions/import/preview", () => {
  it("guesses encoding, delimiter, columns, dates, numbers and new facilities of a German file", async () => {
    const { rows, ...found } = await preview(germanFile());
    expect(found).toEqual({
      options: {
        encoding: "windows-1252",
        delimiter: ";",
        skip_lines: "0",
        "map.recorded_on": "#1",
        "map.facility": "#2",
        "map.activity": "#3",
        "map.amount": "#4",
        "map.unit": "#5",
        date_format: "D.M.YYYY",
        decimal_comma: "true",
        thousands: "true",
        create_facilities: "true",
      },
      questions: [],
      columns: [
        { name: "Datum", read_as: "recorded_on" },
        { name: "Standort", read_as: "facility" },
        { name: "Energieträger", read_as: "activity" },
        { name: "Menge", read_as: "amount" },
        { name: "Einheit", read_as: "unit" },
      ],
      problems: [17, 45, 98, 150, 222].map((line) => expect.objectContaining({ line })),
      new_facilities: ["Köln", "Düsseldorf"],
      needs_country: true,
    });
    expect(rows).toHaveLength(10);
    expect(rows[0]).toEqual({
      line: 2,
      cells: ["15.01.2025", "Köln", "Strom", "1.200,5", "kWh"],
      records: [
        recordOf({
          recorded_on: "2025-01-15",
          facility: "Köln",
          activity: "Strom",
          amount: "1200.5",
          unit: "kWh",
        }),
      ],
    });
  });

  it("skips a title, reads the unit in a header, and recognizes facilities", async () => {
    await addFacility(gateway.database, person.organization.slug, { code: "LEEDS", country: "GB" });
    const text =
      '"Emissions of our sites"\t\t\t\n\nDate\tSite\tScope\tCO2e (kg)\n13 March 2026\tLEEDS\t1\t1,250.5\n';
    expect(await preview(text)).toEqual({
      options: {
        encoding: "utf-8",
        delimiter: "\\t",
        skip_lines: "2",
        "map.recorded_on": "#1",
        "map.facility": "#2",
        "map.scope": "#3",
        "map.co2e_tonnes": "#4",
        unit: "kg",
        date_format: "D MMM YYYY",
        thousands: "true",
      },
      questions: [],
      columns: [
        { name: "Date", read_as: "recorded_on" },
        { name: "Site", read_as: "facility" },
        { name: "Scope", read_as: "scope" },
        { name: "CO2e (kg)", read_as: "co2e_tonnes" },
      ],
      rows: [
        {
          line: 4,
          cells: ["13 March 2026", "LEEDS", "1", "1,250.5"],
          records: [
            recordOf({
              recorded_on: "2026-03-13",
              facility: "LEEDS",
              scope: "scope_1",
              co2e_tonnes: "1.2505",
            }),
          ],
        },
      ],
      problems: [],
      new_facilities: [],
      needs_country: false,
    });
    expect((await preview(text, "?create_facilities=false")).problems).toEqual([]);
    const unknown = text.replace("LEEDS", "YORK");
    expect((await preview(unknown, "?create_facilities=false")).problems).toMatchObject([{ column: "Site" }]);
  });

  it.each([
    [
      "UTF-16 with a byte order mark",
      Buffer.from("\uFEFFDay,Scope,CO2e\n2026-03-01,1,2\n", "utf16le"),
      "utf-16",
    ],
    ["UTF-8 with a byte order mark", "\uFEFFDay,Scope,CO2e\n2026-03-01,1,2\n", "utf-8"],
    [
      "windows-1252 with a euro sign",
      Buffer.from("Day,Scope,CO2e,\x80\n2026-03-01,1,2,\n", "latin1"),
      "windows-1252",
    ],
  ])("reads %s", async (_name, text, encoding) => {
    const { options, rows, columns } = await preview(text);
    expect([options.encoding, options["map.recorded_on"], rows[0].records]).toEqual([
      encoding,
      "#1",
      [recordOf({ recorded_on: "2026-03-01", scope: "scope_1", co2e_tonnes: "2" })],
    ]);
    expect(columns[3]?.name).toBe(encoding === "windows-1252" ? "€" : undefined);
  });

  it("reads the amount's unit in its header, and German names of months", async () => {
    const { options, rows } = await preview(
      "Monat;Verbrauch (MWh);Energieart\nMärz 2026;12;Strom\nOkt 2025;3;Strom\n",
    );
    expect([options["set.unit"], options.date_format]).toEqual(["MWh", "MMM YYYY"]);
    expect(
      rows.map(({ records: [record] }: { records: { recorded_on: string }[] }) => record?.recorded_on),
    ).toEqual(["2026-03-31", "2025-10-31"]);
  });

  const AMBIGUOUS = "Date,Scope,CO2e\n03/04/2026,1,1.234\n05/06/2026,2,2.345\n";

  it("asks about ambiguous dates and numbers instead of guessing", async () => {
    const { options, questions } = await preview(AMBIGUOUS);
    expect(questions).toEqual([
      {
        code: "DATE_ORDER",
        line: 2,
        text: "03/04/2026",
        readings: [
          { value: "2026-04-03", options: { date_format: "D/M/YYYY" } },
          { value: "2026-03-04", options: { date_format: "M/D/YYYY" } },
        ],
      },
      {
        code: "DECIMAL_MARK",
        line: 2,
        text: "1.234",
        readings: [
          { value: "1.234", options: { thousands: "true" } },
          { value: "1234", options: { decimal_comma: "true", thousands: "true" } },
        ],
      },
    ]);
    expect(Object.keys(options)).not.toEqual(expect.arrayContaining(["date_format"]));
    expect(options).not.toHaveProperty("thousands");
  });

  it.each([
    ["a day above 12", AMBIGUOUS.replace("05/06", "05/16"), { date_format: "M/D/YYYY" }],
    [
      "the same day and month",
      AMBIGUOUS.replace("03/04", "04/04").replace("05/06", "06/06"),
      { date_format: "D/M/YYYY" },
    ],
    ["a number with one reading", AMBIGUOUS.replace("2.345", "12.5"), { thousands: "true" }],
    [
      "a decimal comma",
      AMBIGUOUS.replace("2.345", '"1.234,5"'),
      { decimal_comma: "true", thousands: "true" },
    ],
  ])("asks nothing that another value settles: %s", async (_name, text, expected) => {
    const { options, questions } = await preview(text);
    expect(options).toMatchObject(expected);
    expect(questions).toHaveLength(1);
  });

  it("lets parameters answer questions and override guesses", async () => {
    const query = "?date_format=M/D/YYYY&decimal_comma=true&thousands=true&create_facilities=false";
    const { questions, rows } = await preview(AMBIGUOUS, query);
    expect(questions).toEqual([]);
    expect(rows[0].records).toEqual([
      recordOf({ recorded_on: "2026-03-04", scope: "scope_1", co2e_tonnes: "1234" }),
    ]);
    const given = await preview("Date,Scope,CO2e\n2026-03-04,1,2\n", "?map.recorded_on=Date");
    expect([given.options["map.recorded_on"], given.rows[0].records, given.problems]).toEqual([
      "Date",
      [],
      [expect.objectContaining({ line: 1, expected: expect.stringContaining("co2e_tonnes") })],
    ]);
  });

  it("returns options with which the import reads the file", async () => {
    const text = AMBIGUOUS.replace("05/06", "05/16").replace("2.345", "12.5");
    const { options } = await preview(text);
    const { status, body } = await send(
      text,
      `?${new URLSearchParams(options)}&dry_run=true`,
      "/v1/emissions/import",
    );
    expect([status, body.data]).toMatchObject([
      200,
      { rows: 2, first_day: "2026-03-04", last_day: "2026-05-16", co2e_tonnes_exact: { total: "13.734" } },
    ]);
  });

  it("reads at most 64 kB, and ignores a line cut off there", async () => {
    const rows = "2026-03-01,1,2.5\n".repeat(5_000);
    const text = `Day,Scope,CO2e\n${rows}`;
    expect((await send(text)).status).toBe(413);
    const head = text.slice(0, HEAD_BYTES);
    expect(head.endsWith("\n")).toBe(false);
    expect((await preview(head)).problems).toEqual([]);
  });

  it("needs write access, and a module with imports", async () => {
    const viewer = await signUp(gateway, { organization: person.organization.slug, role: "viewer" });
    const refused = await viewer.call<Envelope>("/v1/emissions/import/preview", {
      method: "POST",
      body: AMBIGUOUS,
      headers: { "Content-Type": "text/csv" },
    });
    expect([refused.status, refused.body.error?.code]).toEqual([403, "FORBIDDEN"]);
    expect((await send(AMBIGUOUS, "", "/v1/market/import/preview")).status).toBe(422);
  });

  it.each([
    ["many columns", `${"amount,".repeat(999)}x\n${"1,".repeat(999)}1\n`.repeat(14)],
    [
      "many dates",
      `Day,Scope,CO2e\n${Array.from({ length: 3_000 }, (_, n) => `${1 + (n % 12)}/${1 + (n % 9)}/${1000 + n},1,${n}.123\n`).join("")}`,
    ],
    ["many quotes", `Day,Scope,CO2e\n${'"a""b","c","1"\n'.repeat(3_500)}`],
    ["a long header", `${"(".repeat(60_000)},Menge (kWh)\n1,2\n`],
    [
      "many facilities",
      `Day,Site,Scope,CO2e\n${Array.from({ length: 2_500 }, (_, n) => `2026-03-01,F${n},1,1.5\n`).join("")}`,
    ],
  ])("does not block other organizations while it reads a file with %s", async (_name, text) => {
    const other = await makeOrganization(gateway.database);
    const { key } = await makeKey(gateway.database, other, { tier: "enterprise" });
    const { status } = await requireQuickNeighbour(
      () => send(text.slice(0, HEAD_BYTES)),
      () => gateway.rest("/emissions", key),
    );
    expect(status).toBe(200);
  });
});
