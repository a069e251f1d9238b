import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ImportError } from "../../src/actions/imports/import-error.js";
import { importRecords } from "../../src/actions/imports/import-records.js";
import type { CsvOptions } from "../../src/files/csv/csv-options.js";
import { completeOptions } from "../../src/files/csv/given-options.js";
import { openFile } from "../../src/files/open-file.js";
import { importCsv, importProblems, saveCsv } from "../support/importing.js";
import { list } from "../support/list.js";
import { makeOrganization, NOW } from "../support/server.js";
import { useFolder, useGateway } from "../support/use.js";

const folder = useFolder();
const gateway = useGateway();

const newOrganization = () => makeOrganization(gateway.database);
const save = (content: string) => saveCsv(folder, content);
const problemsOf = async (content: string, args = "") =>
  importProblems(gateway.database, await save(content), await newOrganization(), args);

/** Imports a file; returns its records, each as date, scope, tonnes and facility, and the import's summary. */
async function importText(content: string, args = "") {
  const slug = await newOrganization();
  const summary = await importCsv(gateway.database, await save(content), slug, args);
  const rows = await gateway.database.transaction((sql) =>
    sql.query<{ text: string; country: string | null }>(
      `SELECT concat_ws(' ', r.recorded_on::text, r.scope::text, trim_scale(r.co2e_tonnes)::text, f.code) AS text, f.country
       FROM emission_records r JOIN organizations o ON o.id = r.organization_id LEFT JOIN facilities f ON f.id = r.facility_id
       WHERE o.slug = $1 ORDER BY 1`,
      [slug],
    ),
  );
  return { summary, records: rows.map(({ text }) => text), countries: rows.map(({ country }) => country) };
}

describe("amounts in a unit other than tonnes", () => {
  const file = (column: string, ...amounts: string[]) =>
    [`recorded_on,scope,"${column}"`, ...amounts.map((amount) => `2026-01-31,scope_1,${amount}`)].join("\n");
  const mapped = (column: string) => `--map "co2e_tonnes=${column}"`;

  it.each([
    ["co2e_kg", "--unit kg"],
    ["kg", "--unit kg"],
    ["Emissions (kg CO2e)", "--unit kg"],
    ["kgCO₂e", "--unit kg"],
    ["emissionsKg", "--unit kg"],
    ["TOTAL_KG", "--unit kg"],
    ["Emissionen in Kilogramm", "--unit kg"],
    ["g CO2", "--unit g"],
    ["lbs", "--unit lb"],
    ["CO2e [pounds]", "--unit lb"],
    ["Emissions (short tons)", "--unit short-ton"],
    ["ktCO2e", "--unit kt"],
    ["Gg CO2 eq", "--unit kt"],
    ["Emissions ('000 tonnes)", "--unit kt"],
    ["Mt", "--unit Mt"],
    ["MMTCO2e", "--unit Mt"],
    ["million metric tons", "--unit Mt"],
    ["total_mt", "--unit t or --unit Mt"],
  ])("in the column %s are a problem, which names %s", async (column, options) => {
    expect(await problemsOf(file(column, "1"), mapped(column))).toEqual([
      expect.stringMatching(new RegExp(`^line 1, column .+: expected tonnes \\(or ${options}\\), got `)),
    ]);
  });

  it.each(["MWh", "Energy (kWh)", "total_gj", "kg CO2e per kWh", "Diesel (litres)"])(
    "are not read from the column %s, whatever --unit says",
    async (column) => {
      for (const args of ["", "--unit kg"]) {
        expect(await problemsOf(file(column, "1"), `${mapped(column)} ${args}`)).toEqual([
          expect.stringContaining("expected emissions in a unit of mass, got a name with "),
        ]);
      }
    },
  );

  it.each([
    "co2e_tonnes",
    "t",
    "tCO2e",
    "MTCO2e",
    "metric tons",
    "Tonnen CO2e",
    "Total",
    "Scope 1 emissions tons CO₂e",
  ])("are not assumed for the column %s", async (column) => {
    const { records } = await importText(file(column, "1.5"), mapped(column));
    expect(records).toEqual(["2026-01-31 scope_1 1.5"]);
  });

  it.each([
    ["kg", "1234.567", "1.234567"],
    ["kilograms", "0.001", "0.000001"],
    ["g", "1", "0.000001"],
    ["lb", "1000000", "453.59237"],
    ["short-ton", "100", "90.718474"],
    ["long-ton", "10000", "10160.469088"],
    ["kt --round", "1.0000000005", "1000.000001"],
    ["Mt", "2e-6", "2"],
    ["t", "7", "7"],
  ])("are converted exactly: --unit %s of %s", async (unit, amount, tonnes) => {
    const { records } = await importText(file("Emissions", amount), `${mapped("Emissions")} --unit ${unit}`);
    expect(records).toEqual([`2026-01-31 scope_1 ${tonnes}`]);
  });

  it("are a problem if tonnes would need more than 6 decimals, and are rounded with --round", async () => {
    const text = file("kg", "1.0005", "2");
    expect(await problemsOf(text, `${mapped("kg")} --unit kg`)).toEqual([
      'line 2, column "kg": expected at most 6 decimals in tonnes (or --round), got "1.0005"',
    ]);
    const { records, summary } = await importText(text, `${mapped("kg")} --unit kg --round`);
    expect(records).toEqual(["2026-01-31 scope_1 0.001001", "2026-01-31 scope_1 0.002"]);
    expect(summary).toMatchObject({ rounded: 1 });
  });

  it("are converted row by row if a column has the unit, unless the amounts' header names it", async () => {
    const rows = "2026-01-31,scope_1,1500,kg\n2026-01-31,scope_2,2,t\n2026-01-31,scope_3,3,ktCO2e\n";
    const { records } = await importText(`recorded_on,scope,Amount,Unit\n${rows}`, mapped("Amount"));
    expect(records).toEqual(["2026-01-31 scope_1 1.5", "2026-01-31 scope_2 2", "2026-01-31 scope_3 3000"]);
    const { summary } = await importText(
      "recorded_on,scope,co2e_tonnes,unit\n2026-01-31,scope_1,1,kWh\n",
      "--accept AMOUNT_IS_NOT_CO2E",
    );
    expect(summary).toMatchObject({ added: 1, ignoredColumns: ["unit"] });
    expect(
      await problemsOf("recorded_on,scope,Amount,unit\n2026-01-31,scope_1,1,kWh\n", mapped("Amount")),
    ).toEqual([
      expect.stringMatching(/^line 2, column "unit": expected a unit of mass: t, kg, .+, got "kWh"$/),
    ]);
  });

  it("cannot differ between scopes", async () => {
    const args = "--map 'scope_1=One (kg)' --map 'scope_2=Two (t)' --set recorded_on=2020";
    expect(await problemsOf("One (kg),Two (t)\n1000,2\n", `${args} --unit kg`)).toEqual([
      'line 1, column "Two (t)": expected the same unit in all columns of emissions, got a name with t',
    ]);
    const other = await importText(
      "One,Two (kg)\n1000,2\n",
      "--map scope_1=One --map 'scope_2=Two (kg)' --set recorded_on=2020 --unit kg",
    );
    expect(other.records).toEqual(["2020-12-31 scope_1 1", "2020-12-31 scope_2 0.002"]);
  });

  it("cannot be in an unknown unit", async () => {
    for (const unit of ["MWh", "stones", "mt", "__proto__", "constructor"]) {
      await expect(importText(file("A", "1"), `${mapped("A")} --unit ${unit}`)).rejects.toThrow(
        "Expected a unit of mass: t, kg, g, lb,",
      );
    }
  });
});

describe("a row that sums up the others", () => {
  const TOTAL =
    "expected no row with the total, which would count twice (or --keep-totals), got the sum of all other rows";
  const header = "recorded_on,scope,co2e_tonnes,category\n";
  const rows = (...amounts: (number | string)[]) =>
    header + amounts.map((amount) => `2026-01-31,scope_1,${amount},\n`).join("");

  it("is a problem in any position, and a record with --keep-totals", async () => {
    const text = rows("10.5", "20.25", "30.75", 0);
    expect(await problemsOf(text)).toEqual([`line 4, column "co2e_tonnes": ${TOTAL}`]);
    expect(await problemsOf(rows(60, 10, 20, 30))).toEqual([`line 2, column "co2e_tonnes": ${TOTAL}`]);
    expect((await importText(text, "--keep-totals")).summary).toMatchObject({ added: 4 });
  });

  it("is found even if a spreadsheet made its sum inexact, and if it lacks a date or scope", async () => {
    expect(await problemsOf(rows("0.1", "0.2", "0.30000000000000004"), "--round")).toEqual([
      `line 4, column "co2e_tonnes": ${TOTAL}`,
    ]);
    const problems = await problemsOf(`${rows(1, 2, 3)},,6,Total\n`);
    expect(problems).toContain(`line 5, column "co2e_tonnes": ${TOTAL}`);
  });

  it("is found in a long file", async () => {
    const amounts = Array.from({ length: 20_000 }, (_, index) => (index % 97) / 8);
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    expect(await problemsOf(rows(...amounts, total))).toEqual([`line 20002, column "co2e_tonnes": ${TOTAL}`]);
    const { summary } = await importText(rows(...amounts, total - 0.125), "--accept RECORD_UNUSUAL");
    expect(summary).toMatchObject({ added: 20_001 });
  });

  it("is found in each column of a file with one column per scope", async () => {
    const args = "--map scope_1=S1 --map scope_2=S2 --set recorded_on=2020";
    expect(await problemsOf("S1,S2\n1,5\n2,6\n3,11\n", args)).toEqual([
      `line 4, column "S1": ${TOTAL}`,
      `line 4, column "S2": ${TOTAL}`,
    ]);
    expect((await importText("S1,S2\n1,5\n2,6\n4,9\n", args)).summary).toMatchObject({ added: 6 });
  });

  it("is neither one of two equal rows nor a row of zeros", async () => {
    expect((await importText(rows(5, 5))).summary).toMatchObject({ added: 2 });
    expect((await importText(rows(0, 0, 0))).summary).toMatchObject({ added: 3 });
  });
});

describe("dates", () => {
  const file = (...dates: string[]) =>
    ["recorded_on;scope;co2e_tonnes", ...dates.map((date) => `${date};1;1`)].join("\n");
  const semicolons = "--delimiter ;";
  const daysOf = async (dates: string[], args: string) =>
    (await importText(file(...dates), `${semicolons} ${args}`)).records.map((record) => record.slice(0, 10));

  it.each([
    ["DD.MM.YYYY", ["31.12.2025", "01.02.2026"], ["2025-12-31", "2026-02-01"]],
    ["D.M.YY", ["1.2.26", "31.12.25", "01.02.26"], ["2025-12-31", "2026-02-01", "2026-02-01"]],
    ["MM/DD/YYYY", ["02/01/2026"], ["2026-02-01"]],
    ["M/D/YYYY", ["2/1/2026"], ["2026-02-01"]],
    ["DD/MM/YYYY", ["01/02/2026 00:00:00"], ["2026-02-01"]],
    ["yyyy/mm/dd", ["2026/02/01"], ["2026-02-01"]],
    ["YYYYMMDD", ["20260201"], ["2026-02-01"]],
    ["DD-MMM-YY", ["01-Feb-26", "03-MARCH-26"], ["2026-02-01", "2026-03-03"]],
    ["MM/YYYY", ["02/2024", "10/2026"], ["2024-02-29", "2026-10-31"]],
    [
      "MMM YYYY",
      ["Sep 2025", "März 2025", "févr. 2025", "enero 2025"],
      ["2025-01-31", "2025-02-28", "2025-03-31", "2025-09-30"],
    ],
  ])("are read as %s: %j", async (format, dates, days) => {
    expect(await daysOf(dates, `--date-format '${format}'`)).toEqual(days);
  });

  it("are read as ISO 8601 without a format: days, midnights, and past months and years", async () => {
    const dates = ["2026-11-21", "2022-01-01 00:00:00", "2022-01-01T00:00:00Z", "2025", "2024-02", "2026-10"];
    expect(await daysOf(dates, "")).toEqual(
      list("2022-01-01 2022-01-01 2024-02-29 2025-12-31 2026-10-31 2026-11-21"),
    );
  });

  it.each([
    ["2026", ""],
    ["2027", ""],
    ["2026-11", ""],
    ["11/2026", "--date-format MM/YYYY"],
  ])("may not be a month or year that has not ended: %s", async (date, args) => {
    expect(await problemsOf(file(date), `${semicolons} ${args}`)).toEqual([
      expect.stringMatching(
        new RegExp(`^line 2, .+: expected .*a month.* or year that has ended, got "${date}"$`),
      ),
    ]);
    const set = `--ignore recorded_on --set recorded_on=${date}`;
    await expect(importText(file("2026-01-01"), `${semicolons} ${set}`)).rejects.toThrow(
      "recorded_on: expected ",
    );
  });

  it.each([
    ["01/02/2026", "--date-format D/M/YYYY or --date-format M/D/YYYY"],
    ["1/2/26", "--date-format D/M/YY or --date-format M/D/YY"],
    ["31.12.2025", "--date-format D.M.YYYY"],
    ["31-Dec-25", "--date-format D-MMM-YY"],
    ["2026/01/31", "--date-format YYYY/M/D"],
  ])("written differently, as %s, are a problem that suggests %s", async (date, formats) => {
    expect(await problemsOf(file(date), semicolons)).toEqual([
      expect.stringContaining(`(or ${formats}), got "${date}"`),
    ]);
  });

  it.each(["31.12.2025", "13/13/2025", "31/02/2025", "1/2/2025", "2025-12-31", "01/02/25", ""])(
    "that do not fit the format are a problem: %j",
    async (date) => {
      const args = `${semicolons} --date-format DD/MM/YYYY`;
      expect(await problemsOf(file(date), args)).toEqual([
        expect.stringMatching(/^line 2, column "recorded_on": expected a date written as DD\/MM\/YYYY, got /),
      ]);
    },
  );

  it("in --set are ISO 8601 whatever the file's format", async () => {
    const args = "--ignore recorded_on --set recorded_on=2026-01-31 --date-format D.M.YY";
    expect(await daysOf(["x"], args)).toEqual(["2026-01-31"]);
  });

  it.each(["DD.MM", "TT.MM.JJJJ", "MM", "DD.MM.YYYY HH:mm", "", "DD.YYYY", "DD.DD.YYYY"])(
    "cannot have the format %j",
    async (format) => {
      await expect(importText(file("x"), `--date-format '${format}'`)).rejects.toThrow(
        "Expected years (YYYY, YY)",
      );
    },
  );
});

describe("scopes", () => {
  it("are recognized as people write them", async () => {
    const written = ["Scope 1", "scope1", "SCOPE_2", "S2", "s3", "3", "Scope-3"];
    const rows = written.map((scope) => `2026-01-31,${scope},1\n`);
    const { records } = await importText(`recorded_on,scope,co2e_tonnes\n${rows.join("")}`);
    expect(records.map((record) => record.slice(-3, -2))).toEqual(["1", "1", "2", "2", "3", "3", "3"]);
    const args = "--set 'scope=Scope 2'";
    expect((await importText("recorded_on,co2e_tonnes\n2026-01-31,1\n", args)).records).toEqual([
      "2026-01-31 scope_2 1",
    ]);
  });

  it.each(["Scope 4", "0", "12", "Scope", "1.0", "Scope 1 and 2", "Scope 3.1", "constructor"])(
    "are not guessed: %s",
    async (scope) => {
      expect(await problemsOf(`recorded_on,scope,co2e_tonnes\n2026-01-31,${scope},1\n`)).toEqual([
        `line 2, column "scope": expected one of scope_1, scope_2, scope_3 (or "Scope 1", "S1", "1"), got "${scope}"`,
      ]);
    },
  );
});

describe("countries of new facilities", () => {
  const file = (...countries: string[]) =>
    [
      "recorded_on,scope,co2e_tonnes,facility,country",
      ...countries.map((country, index) => `2026-01-31,1,1,F${index},"${country}"`),
    ].join("\n");
  const create = "--create-facilities";

  it.each([
    ["DE", ["DEU", "Deutschland", "Allemagne", "Alemania", "germany", "de"]],
    ["AF", ["AFG", "Afghanistan", "Afganistán"]],
    ["ES", ["Spanien", "Espagne", "España", "esp"]],
    ["CH", ["Schweiz", "Suisse", "Suiza", "Switzerland", "CHE"]],
    ["US", ["Vereinigte Staaten", "États-Unis", "Estados Unidos", "USA"]],
    ["GB", ["Vereinigtes Königreich", "Royaume-Uni", "Reino Unido", "GBR", "Great Britain", " UK "]],
    ["US", ["US", "us", "USA", "United States", "United States of America"]],
    ["TR", ["Turkey", "Türkiye", "Turkiye"]],
    ["CZ", ["Czechia", "Czech Republic"]],
    ["CI", ["Ivory Coast", "Côte d’Ivoire", "Cote d'Ivoire"]],
    ["BA", ["Bosnia & Herzegovina", "Bosnia and Herzegovina"]],
    ["RU", ["Russia", "Russian Federation"]],
    ["KR", ["South Korea", "Republic of Korea"]],
    ["VN", ["Vietnam", "Viet Nam"]],
    ["CD", ["DR Congo", "Congo - Kinshasa", "Democratic Republic of the Congo"]],
  ])("are known by their names in four languages and by both codes: %s", async (code, names) => {
    const { countries } = await importText(file(...names), create);
    expect(new Set(countries)).toEqual(new Set([code]));
  });

  it("may be unknown", async () => {
    const rows = "2026-01-31,1,1,A,\n2026-01-31,1,1,B,\n2026-01-31,1,1,B,FR";
    const { countries } = await importText(`recorded_on,scope,co2e_tonnes,facility,country\n${rows}`, create);
    expect(countries).toEqual([null, "FR", "FR"]);
    const bare = await importText("recorded_on,scope,co2e_tonnes,facility\n2026-01-31,1,1,A\n", create);
    expect(bare.countries).toEqual([null]);
  });

  it("come from --country rather than an unmapped column called country", async () => {
    const { countries, summary } = await importText(file("FR", "Atlantis"), `${create} --country India`);
    expect(countries).toEqual(["IN", "IN"]);
    expect(summary).toMatchObject({ ignoredColumns: ["country"] });
    const mapped = await importText(file("FR", ""), `${create} --country IN --map country=country`);
    expect(mapped.countries).toEqual(["FR", "IN"]);
  });
});

describe("a file with another delimiter", () => {
  const looks = (columns: string, name: string, option: string) =>
    `line 1: expected columns separated by "," (or --delimiter '${option}'), got ${columns}; it looks separated by ${name}`;

  it.each([
    ["Datum;Scope;Menge\n01.01.2026;1;1,5\n", "", looks("one column", "semicolons", ";")],
    ['"Datum";"Scope";"Menge, gesamt"\n"01.01.2026";"1";"1,5"\n', "", looks("one column", "semicolons", ";")],
    ["recorded_on\tscope\tco2e_tonnes\n", "", looks("one column", "tabs", "\\t")],
    ["recorded_on|scope|co2e_tonnes\n", "", looks("one column", "vertical bars", "|")],
    [
      "Datum;Scope;Menge, t;Werk\n",
      "--map facility=Werk --map 'co2e_tonnes=Menge, t'",
      looks("2 columns", "semicolons", ";"),
    ],
  ])("is reported once, with the right option: %j", async (text, args, problem) => {
    expect(await problemsOf(text, args)).toEqual([problem]);
  });

  it("gets a hint about the delimiter only if it cannot be read", async () => {
    expect(await problemsOf("recorded_on,scope,co2e_tonnes\n2026-01-01,1,1\n", "--delimiter ;")).toEqual([
      `line 1: expected columns separated by ";" (or --delimiter ','), got one column; it looks separated by commas`,
    ]);
    const args = "--set recorded_on=2025 --set scope=1 --map 'co2e_tonnes=t; total'";
    expect((await importText("t; total\n5\n", args)).records).toEqual(["2025-12-31 scope_1 5"]);
  });
});

describe("amounts in public data", () => {
  const file = (...amounts: string[]) =>
    ["recorded_on,scope,co2e_tonnes", ...amounts.map((amount) => `2026-01-31,1,${amount}`)].join("\n");

  it("with more than 6 decimals are a problem that names --round, which rounds half up and counts the rows", async () => {
    const text = file("5730.202759999999", "1.5", "0.0000005", "1e-9", "12345678901234567.12345678");
    expect((await problemsOf(text))[0]).toBe(
      '4 rows, column "co2e_tonnes": expected at most 6 decimals (or --round), got "5730.202759999999", "0.0000005", "1e-9", first in lines 2, 4, 5',
    );
    const { records, summary } = await importText(text, "--round");
    expect(summary).toMatchObject({ rounded: 4 });
    expect(records.map((record) => record.split(" ")[2]).toSorted()).toEqual(
      ["5730.20276", "1.5", "0.000001", "0", "12345678901234567.123457"].toSorted(),
    );
    expect(await problemsOf(file("-0.0000001"), "--round")).toHaveLength(1);
    expect(await problemsOf(file("999999999999999999.9999999"), "--round")).toHaveLength(1);
  });

  it.each([
    ["1,5", "--decimal-comma"],
    ["1.234,5", "--decimal-comma --thousands"],
    ["1,234.5", "--thousands"],
    ["1,234", "--thousands or --decimal-comma"],
    ["1 234", "--thousands"],
  ])("that are written as %s are a problem that names %s", async (amount, options) => {
    expect(await problemsOf(file(`"${amount}"`))).toEqual([
      expect.stringContaining(`with at most 6 decimals (or ${options}), got "${amount}"`),
    ]);
  });
});

describe("texts", () => {
  const columns = ["facility", "facility_name", "category", "source", "reference"];
  const lengths = [200, 200, 200, 1_000, 200];
  const file = (texts: readonly string[]) =>
    `recorded_on,scope,co2e_tonnes,${columns.join(",")}\n2026-01-31,1,1,${texts.join(",")}\n`;

  it("may be as long as the limits allow, counted in characters", async () => {
    const texts = lengths.map((length) => "🌍".repeat(length));
    expect((await importText(file(texts), "--create-facilities")).summary).toMatchObject({ added: 1 });
  });

  it.each(columns.map((column, index) => [column, lengths[index] ?? 0, index] as const))(
    "are a problem if %s is longer than %i",
    async (column, length, index) => {
      const texts = columns.map((_, at) => (at === index ? "é".repeat(length + 1) : "x"));
      expect(await problemsOf(file(texts), "--create-facilities")).toEqual([
        expect.stringMatching(
          new RegExp(
            `^line 2, column "${column}": expected at most ${length} characters, got "é+…", of ${length + 1}$`,
          ),
        ),
      ]);
    },
  );

  it("may be names of built-in object properties", async () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const rows = names.map((name) => `2026-01-31,1,1,${name},${name},${name},${name},${name}`);
    const text = `recorded_on,scope,co2e_tonnes,facility,category,source,reference,__proto__\n${rows.join("\n")}\n`;
    const { records, summary } = await importText(text, "--create-facilities");
    expect(summary).toMatchObject({ added: 4, facilitiesCreated: 4, ignoredColumns: ["__proto__"] });
    expect(records.map((record) => record.split(" ")[3])).toEqual(names.toSorted());
    const odd = "__proto__,constructor,valueOf,toString\n2026-01-31,1,1,F\n";
    const maps = ["recorded_on=__proto__", "scope=constructor", "co2e_tonnes=valueOf", "facility=toString"];
    const args = maps.map((map) => `--map ${map}`).join(" ");
    expect((await importText(odd, `${args} --create-facilities`)).records).toEqual([
      "2026-01-31 scope_1 1 F",
    ]);
    for (const field of ["__proto__", "constructor"]) {
      await expect(importText(text, `--map ${field}=scope`)).rejects.toThrow("Expected <field>=<text>");
    }
    const country = "recorded_on,scope,co2e_tonnes,facility,country\n2026-01-31,1,1,F,constructor\n";
    expect(await problemsOf(country, "--create-facilities")).toHaveLength(1);
  });
});

// Spreadsheets as people have them.
describe("a spreadsheet", () => {
  it("from Germany is imported with the options that its problems suggest", async () => {
    const text =
      "\ufeffDatum;Bereich;Menge (kg CO2e);Werk;Land\r\n31.01.2026;Scope 1;1.234.567,5;Köln;Deutschland\r\n28.02.2026;Scope 2;12.500;Wien;Österreich\r\n";
    const map = "--map recorded_on=Datum --map scope=Bereich --map 'co2e_tonnes=Menge (kg CO2e)'";
    const more = "--map facility=Werk --map country=Land --create-facilities";
    const args = `${map} ${more} --delimiter ; --decimal-comma --thousands`;
    const { records, countries } = await importText(text, `${args} --unit kg --date-format DD.MM.YYYY`);
    expect(records).toEqual(["2026-01-31 scope_1 1234.5675 Köln", "2026-02-28 scope_2 12.5 Wien"]);
    expect(countries).toEqual(["DE", "AT"]);
  });

  it("from which nothing can be imported keeps all its problems separate", async () => {
    const text = "recorded_on,scope,co2e_tonnes\n1/31/2026,S1,1\n2/28/2026,S2,2\n,,3\n";
    const error = await importText(text).catch((thrown: unknown) => thrown);
    const { problems } = error as ImportError;
    expect(problems.first.map(({ line, column }) => [line, column])).toEqual([
      [2, "recorded_on"],
      [3, "recorded_on"],
      [4, "scope"],
      [4, "recorded_on"],
      [4, "co2e_tonnes"],
    ]);
  });
});

describe("a file in windows-1252 with an invalid row", () => {
  it("is imported without the row, which the summary lists", async () => {
    const text = "recorded_on,scope,co2e_tonnes,facility\n2026-01-31,1,2,Köln\n2026-02-28,1,two,Köln\n";
    const file = await saveCsv(folder, Buffer.from(text, "latin1"));
    const options = "--encoding windows-1252 --create-facilities --skip-errors";
    const summary = await importCsv(gateway.database, file, await newOrganization(), options);
    expect(summary).toMatchObject({
      rows: 2,
      added: 1,
      largest: [{ facility: "Köln" }],
      refused: { rows: 1, problems: [{ line: 3, column: "co2e_tonnes", got: '"two"' }] },
    });
  });
});

describe("a file that is still being written", () => {
  it("is refused as a whole, because its last amount may be truncated", async () => {
    const organization = await newOrganization();
    const rows = Array.from({ length: 5_000 }, (_, n) => `r-${n},2026-03-01,scope_1,1.5\n`);
    const path = await save(`reference,recorded_on,scope,co2e_tonnes\n${rows.join("")}`);
    const { signal } = new AbortController();
    let written = "r-5000,2026-03-01,scope_1,1";
    const load = async () => {
      const { chunks, close } = await openFile(path, signal);
      return importRecords(gateway.database, {
        writer: "import",
        organization,
        file: path,
        chunks,
        dryRun: false,
        accept: [],
        now: NOW,
        signal,
        options: completeOptions({}, "2026-11-20") as CsvOptions,
        onProgress() {
          appendFileSync(path, written);
          written = "";
        },
      }).finally(close);
    };
    await expect(load()).rejects.toThrow(`${path} changed while it was being read. Try again`);
    appendFileSync(path, "2.5\n");
    expect((await load()).added).toBe(5_001);
  });
});
