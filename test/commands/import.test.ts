import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, inject, it } from "vitest";
import { loadText } from "../../src/actions/bundle/load.js";
import type { ImportError } from "../../src/actions/imports/import-error.js";
import { verifyIntegrity } from "../../src/actions/verify-integrity.js";
import type { Database } from "../../src/data/database/types.js";
import { lockOrganization } from "../../src/data/organizations/organizations.js";
import { OperatorError } from "../../src/errors.js";
import { addFacility } from "../support/fixtures.js";
import { HEADER, importCsv, importProblems, saveCsv } from "../support/importing.js";
import { list } from "../support/list.js";
import { makeKey, makeOrganization, NOW } from "../support/server.js";
import { useFolder, useGateway } from "../support/use.js";

const EXCERPT = join(import.meta.dirname, "excerpts/us_wa_ecology_ghgrp_facilities.csv");
const ECOLOGY =
  "--map recorded_on=Year --map 'co2e_tonnes=Total Emissions (MTCO2e)' --map facility=Reporter --map category=Sector --set scope=scope_1 --skip-blank --create-facilities --country US";

const folder = useFolder();

const gateway = useGateway();

const newOrganization = () => makeOrganization(gateway.database);
const save = (content: string | Uint8Array) => saveCsv(folder, content);
async function importText(slug: string, content: string | Uint8Array, args = "") {
  const { added, updated, unchanged } = await importCsv(gateway.database, await save(content), slug, args);
  return { added, updated, unchanged };
}
const added = (count: number) => ({ added: count, updated: 0, unchanged: 0 });
const unchanged = (count: number) => ({ added: 0, updated: 0, unchanged: count });

function query<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  return gateway.database.transaction((session) => session.query<Row>(sql, parameters));
}

const OF_SLUG = "r.organization_id = (SELECT id FROM organizations WHERE slug = $1)";
const deleteRecords = (slug: string, which: string) =>
  query(`UPDATE emission_records r SET deleted_at = now() WHERE ${which} AND ${OF_SLUG}`, [slug]);

/** Returns the organization's records, each as its fields separated by |. */
async function recordsOf(slug: string): Promise<string[]> {
  const rows = await query<{ text: string }>(
    `SELECT concat_ws('|', r.recorded_on::text, r.scope::text, trim_scale(r.co2e_tonnes)::text, coalesce(f.code, '-'),
       coalesce(r.category, '-'), coalesce(r.source, '-'), coalesce(r.reference, '-')) AS text
     FROM emission_records r JOIN organizations o ON o.id = r.organization_id LEFT JOIN facilities f ON f.id = r.facility_id
     WHERE o.slug = $1 ORDER BY 1`,
    [slug],
  );
  return rows.map(({ text }) => text);
}

describe("gateway import", () => {
  it("imports every field, which reads back exactly", async () => {
    const slug = await newOrganization();
    await addFacility(gateway.database, slug, { code: "A" });
    const text = [
      HEADER,
      '2026-03-01,scope_1,12.5,A,fuel,"a ""meter"", 2\nand \\N\tmore\\",r-1',
      "2026-04-30,scope_3,999999999999999999.999999,,,,",
    ].join("\n");
    const summary = await importCsv(gateway.database, await save(text), slug);
    expect(summary).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization: slug,
      dryRun: false,
      rows: 2,
      ...added(2),
      skipped: 0,
      rounded: 0,
      co2eTonnes: {
        scope_1: "12.5",
        scope_2: "0",
        scope_3: "999999999999999999.999999",
        total: "1000000000000000012.499999",
      },
      firstDay: "2026-03-01",
      lastDay: "2026-04-30",
      datedAhead: 0,
      facilities: 1,
      facilitiesCreated: 0,
      largest: [
        {
          line: 4,
          recordedOn: "2026-04-30",
          scope: "scope_3",
          co2eTonnes: "999999999999999999.999999",
          facility: null,
        },
        { line: 2, recordedOn: "2026-03-01", scope: "scope_1", co2eTonnes: "12.5", facility: "A" },
      ],
      columns: HEADER.split(",").map((name) => ({ name, readAs: name })),
      ignoredColumns: [],
      questions: [],
    });
    expect(await recordsOf(slug)).toEqual([
      '2026-03-01|scope_1|12.5|A|fuel|a "meter", 2\nand \\N\tmore\\|r-1',
      "2026-04-30|scope_3|999999999999999999.999999|-|-|-|-",
    ]);
  });

  it("identifies records by reference: the same file changes nothing, a different one updates them", async () => {
    const slug = await newOrganization();
    const file = (amount: string) =>
      `${HEADER}\n2026-03-01,scope_1,${amount},,,,a\n2026-03-01,scope_1,2,,,,b\n`;
    expect(await importText(slug, file("1"))).toEqual(added(2));
    expect(await importText(slug, file("1.0"))).toEqual(unchanged(2));
    expect(await importText(slug, file("3"))).toEqual({ added: 0, updated: 1, unchanged: 1 });
    expect(await recordsOf(slug)).toEqual(["2026-03-01|scope_1|2|-|-|-|b", "2026-03-01|scope_1|3|-|-|-|a"]);
  });

  it("replaces a deleted record with the file's, and counts it as added", async () => {
    const slug = await newOrganization();
    const file = `${HEADER}\n2026-03-01,scope_1,1,,,,a\n2026-03-02,scope_1,2,,,,\n2026-03-03,scope_1,5,,,,b\n`;
    await importText(slug, file);
    await deleteRecords(slug, "r.co2e_tonnes < 5");
    expect(await importText(slug, file, "--dry-run")).toEqual({ added: 2, updated: 0, unchanged: 1 });
    expect(await importText(slug, file)).toEqual({ added: 2, updated: 0, unchanged: 1 });
    expect(await importText(slug, file)).toEqual(unchanged(3));
    expect(
      await query(`SELECT FROM emission_records r WHERE deleted_at IS NOT NULL AND ${OF_SLUG}`, [slug]),
    ).toEqual([]);
  });

  it("drops the calculation of an overwritten amount, and keeps fields that files do not have", async () => {
    const slug = await newOrganization();
    const file = (amount: number) => `${HEADER}\n2026-03-01,scope_2,${amount},,,,a\n`;
    await importText(slug, file(1));
    await query(
      `UPDATE emission_records r SET activity = '{"unit": "kWh"}', factor_id = id, calculation = '{}', market_based_tonnes = 0.5,
         note = 'by hand' WHERE ${OF_SLUG}`,
      [slug],
    );
    expect(await importText(slug, file(1))).toEqual(unchanged(1));
    expect(await importText(slug, file(2))).toEqual({ added: 0, updated: 1, unchanged: 0 });
    expect(
      await query(
        `SELECT activity, factor_id, calculation, market_based_tonnes::float8 AS market, note
        FROM emission_records r WHERE ${OF_SLUG}`,
        [slug],
      ),
    ).toEqual([{ activity: null, factor_id: null, calculation: null, market: 0.5, note: "by hand" }]);
  });

  it("refuses new records of an archived facility, and recognizes existing ones", async () => {
    const slug = await newOrganization();
    await addFacility(gateway.database, slug, { code: "OLD" });
    const known = `${HEADER}\n2026-03-01,scope_1,1,OLD,,,a\n`;
    await importText(slug, known);
    await query(`UPDATE facilities r SET archived_at = now() WHERE ${OF_SLUG}`, [slug]);
    expect(await importText(slug, known)).toEqual(unchanged(1));
    const grown = await save(`${known}2026-03-02,scope_1,2,,,,b\n2026-03-03,scope_1,5,OLD,,,c\n`);
    expect(await importProblems(gateway.database, grown, slug)).toEqual([
      'line 4, column "facility": expected a facility that is not archived, got a new record of "OLD"',
    ]);
  });

  it("identifies records without a reference by content: adds only new rows of a file that has grown", async () => {
    const slug = await newOrganization();
    const rows = (...amounts: string[]) =>
      ["scope,co2e_tonnes,recorded_on", ...amounts.map((amount) => `scope_2,${amount},2026-01-31`)].join(
        "\n",
      );
    expect(await importText(slug, rows("1", "1", "4"))).toEqual(added(3));
    expect(await importText(slug, rows("1", "1", "4"))).toEqual(unchanged(3));
    expect(await importText(slug, rows("4", "1.0", "1", "3", "1"))).toEqual({
      added: 2,
      updated: 0,
      unchanged: 3,
    });
    expect(await recordsOf(slug)).toHaveLength(5);
  });

  it("recognizes the records of a bundle, and a bundle recognizes imported ones", async () => {
    const slug = await newOrganization();
    const common = { recorded_on: "2026-05-05", scope: "scope_1", co2e_tonnes: "7.25" };
    const full = { ...common, facility: "F", category: "heat", source: "meter" };
    const bundle = JSON.stringify({
      organization: { slug, name: "Acme" },
      facilities: [{ code: "F", name: "F", country: "DE" }],
      emission_records: [full, full, full, common, { ...common, reference: "r" }],
    });
    const row = "2026-05-05,scope_1,7.250,";
    const csv = [HEADER, ...Array(3).fill(`${row}F,heat,meter,`), `${row},,,`, `${row},,,r`].join("\n");
    const load = async () =>
      (await loadText(gateway.database, "bundle", bundle, NOW)).sections.emission_records;
    expect(await load()).toEqual(added(5));
    expect(await importText(slug, csv)).toEqual(unchanged(5));
    expect(await importText(slug, `${csv}\n${row}F,heat,meter,`)).toEqual({ ...unchanged(5), added: 1 });

    await query(
      "DELETE FROM emission_records WHERE organization_id = (SELECT id FROM organizations WHERE slug = $1)",
      [slug],
    );
    expect(await importText(slug, csv)).toEqual(added(5));
    expect(await load()).toEqual(unchanged(5));
  });

  it("keeps two organizations with the same file separate", async () => {
    const [one, other] = [await newOrganization(), await newOrganization()];
    const text = `${HEADER}\n2026-03-01,scope_1,1,,,,a\n2026-03-01,scope_1,2,,,,\n`;
    expect(await importText(one, text)).toEqual(added(2));
    expect(await importText(other, text)).toEqual(added(2));
  });

  it.runIf(inject("template").kind === "postgres")(
    "waits for a load or an import of the same organization only",
    async () => {
      const [one, other] = [await newOrganization(), await newOrganization()];
      const text = `${HEADER}\n2026-03-01,scope_1,1,,,,\n`;
      let waiting: Promise<unknown> = Promise.resolve();
      let isDone = false;
      await gateway.database.transaction(async (sql) => {
        await lockOrganization(sql, one);
        waiting = importText(one, text).then(() => {
          isDone = true;
        });
        expect(await importText(other, text)).toEqual(added(1));
        expect(isDone).toBe(false);
      });
      await waiting;
      expect(await recordsOf(one)).toHaveLength(1);
    },
  );

  it("only checks with --dry-run, and reports what would happen", async () => {
    const slug = await newOrganization();
    const file = (amount: string) =>
      `${HEADER}\n2026-03-01,scope_1,${amount},,,,a\n2026-03-01,scope_1,2,N,,,b\n`;
    const args = "--create-facilities --country IN";
    const dry = `${args} --dry-run`;
    expect(await importCsv(gateway.database, await save(file("1")), slug, dry)).toMatchObject({
      ...added(2),
      dryRun: true,
      facilitiesCreated: 1,
    });
    expect(await recordsOf(slug)).toEqual([]);
    await importText(slug, file("1"), args);
    expect(await importText(slug, file("9"), dry)).toEqual({ added: 0, updated: 1, unchanged: 1 });
    expect(await importText(slug, file("1"), args)).toEqual(unchanged(2));
  });

  it.each(["", "--dry-run"])("summarizes the whole file, including existing records: %j", async (dry) => {
    const slug = await newOrganization();
    await addFacility(gateway.database, slug, { code: "OLD" });
    await importText(slug, `${HEADER}\n2026-03-01,scope_1,0.1,OLD,,,a\n`);
    const rows = list(`
      2026-03-01,scope_1,0.1,OLD,,,a 2026-11-20,scope_1,0.2,NEW,,, 2026-11-21,scope_2,7,NEW,,,
      2099-12-31,scope_3,7,,,, 2020-01-01,scope_2,1,NEWER,,, 2026-01-01,scope_2,0,,,,
    `);
    const args = `--create-facilities --country IN ${dry}`;
    const summary = await importCsv(gateway.database, await save([HEADER, ...rows].join("\n")), slug, args);
    expect(summary).toMatchObject({
      added: 5,
      updated: 0,
      unchanged: 1,
      co2eTonnes: { scope_1: "0.3", scope_2: "8", scope_3: "7", total: "15.3" },
      firstDay: "2020-01-01",
      lastDay: "2099-12-31",
      datedAhead: 2,
      facilities: 3,
      facilitiesCreated: 2,
    });
    expect(summary.largest.map(({ line, co2eTonnes, facility }) => [line, co2eTonnes, facility])).toEqual([
      [4, "7", "NEW"],
      [5, "7", null],
      [6, "1", "NEWER"],
      [3, "0.2", "NEW"],
      [2, "0.1", "OLD"],
    ]);
  });

  it("reports the largest record of each scope column of a wide file, with its line", async () => {
    const text = "day,one,two\n2026-01-01,1,5\n2026-01-02,9,2\n";
    const args = "--map recorded_on=day --map scope_1=one --map scope_2=two";
    const { largest } = await importCsv(gateway.database, await save(text), await newOrganization(), args);
    expect(largest.map(({ line, scope, co2eTonnes }) => [line, scope, co2eTonnes])).toEqual([
      [3, "scope_1", "9"],
      [2, "scope_2", "5"],
      [3, "scope_2", "2"],
      [2, "scope_1", "1"],
    ]);
  });

  it("is reflected in the KPIs to the last digit, and leaves nothing for verify to find", async () => {
    const slug = await newOrganization();
    const { key } = await makeKey(gateway.database, slug);
    const rows = Array.from({ length: 500 }, (_, index) => {
      const day = String(1 + (index % 28)).padStart(2, "0");
      return `2026-0${1 + (index % 9)}-${day},scope_${1 + (index % 3)},0.1${index % 10}`;
    });
    const text = ["recorded_on,scope,co2e_tonnes", ...rows, "2020-01-01,scope_1,5000"].join("\n");
    await importText(slug, text, "--accept RECORD_UNUSUAL");
    const sum = (scope: number) =>
      rows.reduce(
        (total, row) => total + (row.includes(`scope_${scope}`) ? Number(row.slice(-1)) + 10 : 0),
        0,
      ) / 100;
    const { body } = await gateway.rest("/emissions", key);
    expect(body.data).toMatchObject({
      record_count: 500,
      total_co2e_tonnes: Math.round(100 * (sum(1) + sum(2) + sum(3))) / 100,
      scope_breakdown: [1, 2, 3].map((scope) => ({ scope: `scope_${scope}`, co2e_tonnes: sum(scope) })),
    });
    expect(await verifyIntegrity(gateway.database, false)).toMatchObject({ differences: 0 });
  });

  it("imports the published file of the State of Washington as it is", async () => {
    const slug = await newOrganization();
    expect(await importCsv(gateway.database, EXCERPT, slug, ECOLOGY)).toMatchObject({
      rows: 34,
      ...added(32),
      skipped: 2,
      facilitiesCreated: 23,
    });
    expect(await importCsv(gateway.database, EXCERPT, slug, ECOLOGY)).toMatchObject(unchanged(32));
    const [totals] = await query(
      `SELECT sum(d.co2e_tonnes)::int AS total, sum(d.co2e_tonnes) FILTER (WHERE d.recorded_on = '2012-12-31')::int AS first_year,
         (SELECT sum(r.co2e_tonnes)::int FROM emission_records r JOIN facilities f ON f.id = r.facility_id
          WHERE r.organization_id = o.id AND f.code = 'Shell Puget Sound Refinery - Anacortes') AS shell
       FROM emission_days d JOIN organizations o ON o.id = d.organization_id WHERE o.slug = $1 AND grain = 'day' GROUP BY o.id`,
      [slug],
    );
    // Sums of the file, computed with another program.
    expect(totals).toEqual({ total: 32_418_922, first_year: 10_185_153, shell: 15_448_610 });
  });
});

describe("a file that gateway import reads", () => {
  const simple = "recorded_on,scope,co2e_tonnes\n2026-01-31,scope_1,1.5\n2026-02-28,scope_2,2\n";
  const expected = ["2026-01-31|scope_1|1.5|-|-|-|-", "2026-02-28|scope_2|2|-|-|-|-"];

  it.each<[string, string | Uint8Array, string?]>([
    ["has a byte order mark", `\ufeff${simple}`],
    ["has a byte order mark before a quote", `\ufeff${simple.replace("recorded_on", '"recorded_on"')}`],
    ["has CRLF", simple.replaceAll("\n", "\r\n")],
    ["has CRLF and quotes", simple.replaceAll("\n", "\r\n").replace("scope_1", '"scope_1"')],
    ["has CR alone", simple.replaceAll("\n", "\r")],
    ["does not end with a line end", simple.trimEnd()],
    ["has empty lines", `\n\n${simple.replaceAll("\n", "\n\n  \n")}`],
    ["has empty columns at the end", simple.replaceAll("\n", ",,\n")],
    ["has empty columns at the end of some rows", simple.replace("1.5", "1.5,,, ")],
    ["has spaces around fields", simple.replaceAll(",", " , ").replace("scope_1", '"scope_1"')],
    ["has a header in capitals", simple.replace("recorded_on", "Recorded_On")],
    ["has semicolons", simple.replaceAll(",", ";"), "--delimiter ;"],
    ["has tabs", simple.replaceAll(",", "\t"), "--delimiter \\t"],
    [
      "has tabs, quotes and empty fields",
      `\t${simple.replaceAll(",", "\t").replaceAll("\n", "\n\t")}`.replace("scope_1", '"scope_1"').trimEnd(),
      "--delimiter \\t",
    ],
    [
      "has decimal commas and groups",
      "recorded_on;scope;co2e_tonnes\n2026-01-31;scope_1;1,50\n2026-02-28;scope_2;2,000000\n",
      "--delimiter ; --decimal-comma --thousands",
    ],
    ["has exponents", simple.replace("1.5", "15e-1")],
    ["has a preamble", `A "title,\n\n${simple}`, "--skip-lines 2"],
    [
      "has strings that mean a blank",
      `recorded_on,scope,co2e_tonnes,category,source\n2026-01-31,scope_1,1.5,--,NA\n2026-02-28,scope_2,2,,\n`,
      "--blank -- --blank NA",
    ],
    ["has blank amounts", `${simple}2026-03-31,scope_3,\n2026-03-31,,NA\n`, "--blank NA --skip-blank"],
    [
      "has another column with a field's name",
      `scope,x,scope,recorded_on,co2e_tonnes\nN,,scope_1,2026-01-31,1.5\nN,,scope_2,2026-02-28,2\n`,
      "--map scope=#3",
    ],
    ["has a last column without a name", simple.replaceAll("\n", ",\n").replace("2,\n", "2,a note\n")],
    ["has extra delimiters only at the end of its header", simple.replace("\n", ",,\n")],
    [
      "has its amounts in a last column without a name",
      simple.replace("co2e_tonnes", ""),
      "--map co2e_tonnes=#3",
    ],
    ["has unused columns", `x,${simple.replaceAll("\n", "\n7,")}`.slice(0, -2)],
  ])("%s", async (_what, content, args = "") => {
    const slug = await newOrganization();
    await importText(slug, content, args);
    expect(await recordsOf(slug)).toEqual(expected);
  });

  it("lists unused columns, including those without a name if they have values", async () => {
    const file = await save("x,recorded_on,scope,,co2e_tonnes,,,\n,2026-01-31,scope_1,,1,,a note,\n");
    const summary = await importCsv(gateway.database, file, await newOrganization());
    expect(summary).toMatchObject({ added: 1, ignoredColumns: ["x", "#4", "#7"] });
  });

  it.each([
    ["1,234,567.5", [], "1234567.5"],
    ["12,34,567", [], "1234567"],
    ["1 234\u00a0567", [], "1234567"],
    ["1\u2009234\u2007567", [], "1234567"],
    ["1.234.567,5", "--decimal-comma", "1234567.5"],
    ["1234,5", "--decimal-comma", "1234.5"],
    ["0,5", "--decimal-comma", "0.5"],
    ["0.500", [], "0.5"],
    ["1,23,456", [], "123456"],
    [".5", [], "0.5"],
    [",5", "--decimal-comma", "0.5"],
    ["+1.5e1", [], "15"],
  ])("has an amount written as %s", async (written, args, stored) => {
    const slug = await newOrganization();
    const text = `recorded_on;scope;co2e_tonnes\n2026-01-31;scope_1;${written}`;
    await importText(slug, text, `--delimiter ; --thousands ${args}`);
    expect(await recordsOf(slug)).toEqual([`2026-01-31|scope_1|${stored}|-|-|-|-`]);
  });

  it("may have empty lines as spreadsheets write them: only delimiters", async () => {
    const slug = await newOrganization();
    const rows = "2026-01-01,scope_1,1,,,,\n,,,,,,\n , ,,,,,\n2026-01-02,scope_1,1,,,,\n,,\n";
    const file = await save(`${HEADER}\n${rows}`);
    expect(await importCsv(gateway.database, file, slug)).toMatchObject({ rows: 2, added: 2, skipped: 0 });
  });

  it("may have the country of a new facility only in its first row", async () => {
    const text = `${HEADER},country\n2026-01-01,scope_1,1,F,,,,FR\n2026-01-02,scope_1,1,F,,,,\n`;
    const summary = await importCsv(
      gateway.database,
      await save(text),
      await newOrganization(),
      "--create-facilities",
    );
    expect(summary).toMatchObject({ added: 2, facilitiesCreated: 1 });
  });

  it("can exclude a column with a field's name, by name or number", async () => {
    const text = "recorded_on,scope,co2e_tonnes,Reference\n2026-01-01,scope_1,1,A\n2026-01-02,scope_1,2,A\n";
    for (const column of ["reference", "#4"]) {
      const slug = await newOrganization();
      const summary = await importCsv(gateway.database, await save(text), slug, `--ignore ${column}`);
      expect(summary).toMatchObject({ added: 2, ignoredColumns: ["Reference"] });
    }
  });

  it("may have one column per scope, each giving a record", async () => {
    const slug = await newOrganization();
    const text = "Company,Country,S1,S2,S2\nOne,United States,1,2,3\nTwo,South Korea,4,5,--\n";
    const args = "--map scope_1=S1 --map scope_2=#4 --map scope_3=#5 --set recorded_on=2020";
    const facilities = "--map facility=Company --map country=Country --create-facilities";
    expect(await importText(slug, text, `${args} ${facilities} --blank -- --skip-blank`)).toEqual(added(5));
    expect(await recordsOf(slug)).toEqual(
      list(`
      2020-12-31|scope_1|1|One|-|-|- 2020-12-31|scope_1|4|Two|-|-|- 2020-12-31|scope_2|2|One|-|-|-
      2020-12-31|scope_2|5|Two|-|-|- 2020-12-31|scope_3|3|One|-|-|-
    `),
    );
    const made = await query(
      "SELECT code, f.name, country FROM facilities f JOIN organizations o ON o.id = f.organization_id WHERE slug = $1 ORDER BY code",
      [slug],
    );
    expect(made).toEqual([
      { code: "One", name: "One", country: "US" },
      { code: "Two", name: "Two", country: "KR" },
    ]);
  });

  it("may have nothing but a header", async () => {
    expect(await importText(await newOrganization(), `${HEADER}\n`)).toEqual(added(0));
  });
});

describe("a file that gateway import refuses", () => {
  const row = (values: string) => `${HEADER}\n${values}`;
  const DATE = "a date YYYY-MM-DD from 1000 to 2999, or a month (YYYY-MM) or year that has ended";
  const SCOPE = 'one of scope_1, scope_2, scope_3 (or "Scope 1", "S1", "1")';
  const AMOUNT = "expected a decimal of 0 or more, under 1e18, with at most 6 decimals";
  const QUOTES = `expected quotes only around a whole field, and "" for a quote inside one, got a quote elsewhere`;
  const REST = "The rest of the file was not read";
  const BYTES = "expected UTF-8, got other bytes: save the file as UTF-8";
  const UTF16 = "line 1: expected UTF-8, got UTF-16: save the file as UTF-8";
  const COUNTRY =
    "an ISO 3166-1 country code, or a country's English, French, German or Spanish name (or --blank)";
  const invalid = (column: string, expected: string, got: string) =>
    `line 2, column "${column}": expected ${expected}, got ${got}`;
  const header = (missing: string, got: string) =>
    `line 1: expected a header with ${missing}, got the columns ${got}`;
  const latin1 = (text: string) => Buffer.from(text, "latin1");

  it.each([
    ["-1", '"-1"'],
    ["1e18", '"1e18"'],
    ["1e400", '"1e400"'],
    ["NaN", '"NaN"'],
    ["Infinity", '"Infinity"'],
    ["0x10", '"0x10"'],
    ["1_000", '"1_000"'],
    ["", "nothing"],
    ["1\0", '"1\\u0000"'],
  ])("for the amount %j", async (written, shown) => {
    const file = await save(row(`2026-01-01,scope_1,${written},,,,`));
    expect(await importProblems(gateway.database, file, await newOrganization())).toEqual([
      `line 2, column "co2e_tonnes": ${AMOUNT}, got ${shown}`,
    ]);
  });

  it.each<[string | Uint8Array, string, string?]>([
    ["", "line 1: expected a header, got a file without one"],
    ["\n\n", "line 1: expected a header, got a file without one"],
    [
      "2026-01-01,scope_1,1\n",
      header(
        "recorded_on, scope, co2e_tonnes (or --map recorded_on=<column> or --set recorded_on=<text>)",
        '"2026-01-01", "scope_1", "1"',
      ),
    ],
    [
      "recorded_on,co2e_tonnes\n2026-01-01,1\n",
      header("scope (or --map scope=<column> or --set scope=<text>)", '"recorded_on", "co2e_tonnes"'),
    ],
    [
      "recorded_on,scope,co2e_tonnes,scope\n2026-01-01,scope_1,1,scope_1\n",
      'line 1, column "scope": expected the column once (or --map scope=#2 or --map scope=#4), got it 2 times',
    ],
    [
      "recorded_on,scope,T,T\n2026-01-01,scope_1,1,2\n",
      'line 1, column "T": expected a unique column (#3 or #4) for co2e_tonnes, got the columns "recorded_on", "scope", "T", "T"',
      "--map co2e_tonnes=T",
    ],
    [
      "recorded_on,scope,T\n",
      'line 1, column "Total": expected a column with this name for co2e_tonnes, got the columns "recorded_on", "scope", "T"',
      "--map co2e_tonnes=Total",
    ],
    ...["2026-02-29", "0000", "0999-12-31", "9999"].map((date): [string, string] => [
      row(`${date},scope_1,1,,,,`),
      invalid("recorded_on", DATE, `"${date}"`),
    ]),
    [
      row("01/02/2026,scope_1,1,,,,"),
      invalid("recorded_on", `${DATE} (or --date-format D/M/YYYY or --date-format M/D/YYYY)`, '"01/02/2026"'),
    ],
    [row("2026\u201101\u201101,scope_1,1,,,,"), invalid("recorded_on", DATE, '"2026\\u201101\\u201101"')],
    [row("2026-01-01,scope_1\u200b,1,,,,"), invalid("scope", SCOPE, '"scope_1\\u200b"')],
    [
      row("2026-01-01,scope_1,1,NOWHERE,,,"),
      invalid("facility", "the code of an existing facility (or --create-facilities)", '"NOWHERE"'),
    ],
    [row("2026-01-01,scope_1,1"), "line 2: expected 7 fields, as in the header, got 3"],
    [row("2026-01-01,scope_1,1,,,,,8"), "line 2: expected 7 fields, as in the header, got 8"],
    [
      row('2026-01-01,scope_1,1,,,,\n2026-01-01,scope_1,1,"F,,,\n2026-01-01,scope_1,1,,,,\n'),
      "line 3: expected a closing quote, got the end of the file",
    ],
    [row('2026-01-01,scope_1,1,,,,\n2026-01-01,scope_1,1,F"x",,,'), `line 3: ${QUOTES}. ${REST}`],
    [row('2026-01-01,scope_1,1,"F"x,,,'), `line 2: ${QUOTES}. ${REST}`],
    [row('2026-01-01,scope_1,1,"5" pipe",,,'), `line 2: ${QUOTES}. ${REST}`],
    // An amount split by the delimiter, with a header that ends with one.
    [
      "recorded_on,scope,category,co2e_tonnes,\n2026-01-01,scope_1,a,1,234.5\n",
      "line 2: expected 4 fields, as in the header, got 5",
      "--thousands",
    ],
    [
      "recorded_on,scope,co2e_tonnes,\n2026-01-01,scope_1,1,5\n",
      "line 2: expected 3 fields, as in the header, got 4",
      "--decimal-comma",
    ],
    [
      "recorded_on,scope,co2e_tonnes,\n2026-01-01,scope_1,1,a note,another\n",
      "line 2: expected 4 fields, as in the header, got 5",
    ],
    [
      "recorded_on,A,B\n2026-01-01,1,2\n",
      'line 1, column "A": expected different columns for scope_1 and scope_3, got the same',
      "--map scope_1=A --map scope_3=#2",
    ],
    [
      "recorded_on,scope,co2e_tonnes\n2026-01-01,scope_1,1",
      'line 1, column "No": expected a column with this name to ignore, got the columns "recorded_on", "scope", "co2e_tonnes"',
      "--ignore No",
    ],
    [
      `${HEADER},country\n2026-01-01,scope_1,1,F,,,,FR\n2026-01-01,scope_1,1,F,,,,France\n2026-01-01,scope_1,1,F,,,,DE\n`,
      'line 4, column "country": expected the same country in every row of a facility, got "DE", and FR in line 2',
      "--create-facilities",
    ],
    [
      `${HEADER},country\n2026-01-01,scope_1,1,F,,,,FR\n2026-01-01,scope_1,1,F,,,,Atlantis\n`,
      `line 3, column "country": expected ${COUNTRY}, got "Atlantis"`,
      "--create-facilities",
    ],
    [gzipSync(row("2026-01-01,scope_1,1,,,,")), "line 1: expected CSV, got gzip: unpack the file"],
    [
      Buffer.from("PK\x03\x04\x14\x00\x06\x00"),
      "line 1: expected CSV, got a ZIP archive or a spreadsheet: unpack it, or save it as CSV (UTF-8)",
    ],
    [
      row("2026-01-01,scope_1,1,,a\0b,,"),
      invalid("category", "a string without NUL characters", '"a\\u0000b"'),
    ],
    // Bytes that are not UTF-8, after lines ended by LF, CR, and all three line ends.
    [latin1(row("2026-01-01,scope_1,1,,,,\n2026-01-01,scope_1,1,,caf\xe9,,\n")), `line 3: ${BYTES}. ${REST}`],
    [
      latin1(`${HEADER}\r2026-01-01,scope_1,1,,,,\r2026-01-01,scope_1,1,,caf\xe9,,\r`),
      `line 3: ${BYTES}. ${REST}`,
    ],
    [
      latin1(`${HEADER}\r2026-01-01,scope_1,1,,,,\n\r\n2026-01-01,scope_1,1,,caf\xe9,,\n`),
      `line 4: ${BYTES}. ${REST}`,
    ],
    [Buffer.from(`\ufeff${HEADER}\n`, "utf16le"), UTF16],
    [Buffer.from(`${HEADER}\n`, "utf16le"), UTF16],
    [
      row('2026-01-01,scope_1,1,,,"x\ny",r\n2026-01-02,scope_1,1,,,,s\n2026-01-03,scope_1,1,,,,r'),
      'line 5, column "reference": expected a unique reference, got "r", as in line 2',
    ],
    [
      row('2026-01-01,scope_1,"1.234,5",,,,'),
      `line 2, column "co2e_tonnes": ${AMOUNT}, with a decimal comma (or --thousands), got "1.234,5"`,
      "--decimal-comma",
    ],
    // Each is a decimal in a notation other than the options say, or no number.
    ...["0,123", "000,500", "0 123", "012,345", "12,34", "1,23,456,789", "1,2345"].map(
      (written): [string, string, string] => [
        row(`2026-01-01,scope_1,"${written}",,,,`),
        `line 2, column "co2e_tonnes": ${AMOUNT}, with optional thousands separators${/^[\d]+,\d+$/.test(written) ? " (or --decimal-comma)" : ""}, got "${written}"`,
        "--thousands",
      ],
    ),
    [
      row("2026-01-01,scope_1,0.123,,,,"),
      `line 2, column "co2e_tonnes": ${AMOUNT}, with a decimal comma and optional thousands separators, got "0.123"`,
      "--thousands --decimal-comma",
    ],
  ])("as %j: %s", async (content, problem, args = "") => {
    const slug = await newOrganization();
    expect(await importProblems(gateway.database, await save(content), slug, args)).toEqual([problem]);
    expect(await recordsOf(slug)).toEqual([]);
  });

  it("reports what is wrong before the bytes that are not UTF-8", async () => {
    const text = row("2026-01-32,scope_1,1,,,,\n2026-01-01,scope_1,1,,caf\xe9,,\n2026-01-33,scope_1,1,,,,");
    const file = await save(Buffer.from(text, "latin1"));
    expect(await importProblems(gateway.database, file, await newOrganization())).toEqual([
      expect.stringMatching(/^line 2, column "recorded_on": /),
      expect.stringMatching(/^line 3: expected UTF-8, /),
    ]);
  });

  it("reports all problems, grouped by kind, with the first lines and values", async () => {
    const slug = await newOrganization();
    const rows = Array.from({ length: 412 }, (_, index) => `day ${index % 2},scope_1,1`);
    const others = ["2026-01-01,scope_4,1", "2026-01-01,scope_1", "2026-01-01,scope_9,1"];
    const file = await save(["recorded_on,scope,co2e_tonnes", ...rows, ...others].join("\n"));
    expect(await importProblems(gateway.database, file, slug)).toEqual([
      `412 rows, column "recorded_on": expected ${DATE}, got "day 0", "day 1", first in lines 2, 3, 4`,
      `line 414, column "scope": expected ${SCOPE}, got "scope_4"`,
      "line 415: expected 3 fields, as in the header, got 2",
      `line 416, column "scope": expected ${SCOPE}, got "scope_9"`,
    ]);
    const error = await importCsv(gateway.database, file, slug).catch((thrown: unknown) => thrown);
    const { problems } = error as ImportError;
    expect(problems).toMatchObject({ count: 415, first: { length: 100 } });
    expect(problems.first[99]).toMatchObject({ line: 101, column: "recorded_on", got: '"day 1"' });
    expect(await recordsOf(slug)).toEqual([]);
  });

  it("reports references of many other rows once, with a count", async () => {
    const rows = Array.from({ length: 250 }, () => "2026-01-01,scope_1,1,,,,r\n");
    const file = await save(`${HEADER}\n${rows.join("")}`);
    expect(await importProblems(gateway.database, file, await newOrganization())).toEqual([
      '249 rows, column "reference": expected a unique reference, got "r", as in line 2, first in lines 3, 4, 5',
    ]);
  });

  const TITLE = "title\nrecorded_on,scope,co2e_tonnes,category\n";
  const ends = ["\r", "\n", "\r\n"];
  const many = Array.from({ length: 10_000 }, (_, index) => `2026-01-01,scope_1,1,${ends[index % 3]}`);
  it.each([
    ["CRLF", 7, `${TITLE}2026-01-01,scope_1,1,"a\nb\nc"\n\n2026-01-01,scope_1,x,\n`.replaceAll("\n", "\r\n")],
    [
      "CR, with LF inside quotes",
      5,
      `${TITLE.replaceAll("\n", "\r")}2026-01-01,scope_1,1,"a\nb"\r2026-01-01,scope_1,x,\r`,
    ],
    ["several kinds of line ends", 10_003, `${TITLE}${many.join("")}2026-01-01,scope_1,x,\n`],
  ])("counts lines like an editor: %s", async (_what, line, text) => {
    const file = await save(text);
    const [problem] = await importProblems(gateway.database, file, await newOrganization(), "--skip-lines 1");
    expect(problem).toContain(`line ${line}, column "co2e_tonnes"`);
  });

  it("for an organization that does not exist", async () => {
    const refused = importCsv(gateway.database, await save(`${HEADER}\n`), "nobody");
    await expect(refused).rejects.toThrow('There is no organization "nobody".');
  });

  it.each([
    ["--map scope=X --set scope=scope_1", /scope is both mapped and set/],
    ["--set scope=scope_9", /error: scope: expected one of/],
    ["--set recorded_on=2026-13-01", /error: recorded_on: expected a date YYYY-MM-DD/],
    ["--country IN", /needs --create-facilities/],
    ["--map country=C", /needs --create-facilities/],
    ["--map scope_1=A --map reference=B", /reference cannot be used/],
    ["--map colour=A", /Expected <field>=<text>/],
    ["--map scope=A --map scope=B", /given twice/],
    ["--delimiter ;;", /Expected one character/],
    ["--create-facilities --country Atlantis", /Expected an ISO 3166-1 country/],
    // The name of two countries.
    ["--create-facilities --country Congo", /Expected an ISO 3166-1 country/],
  ])("with the options %j", async (args, message) => {
    await expect(importCsv(gateway.database, EXCERPT, "nobody", args)).rejects.toThrow(message);
  });

  it("that does not exist or is a folder", async () => {
    await expect(importCsv(gateway.database, "/nowhere.csv", "nobody")).rejects.toThrow(
      new OperatorError("/nowhere.csv does not exist."),
    );
    await expect(importCsv(gateway.database, folder, "nobody")).rejects.toThrow("cannot be read: EISDIR");
  });

  it("with duplicate references next to other problems, in the order of the lines", async () => {
    const lines = ["1,,,,r", "x,,,,p", "2,,,,r", "-1,,,,q", "4,,,,r"].map(
      (rest) => `2026-01-01,scope_1,${rest}`,
    );
    const file = await save(`${[HEADER, ...lines].join("\n")}\n`);
    const problems = await importProblems(gateway.database, file, await newOrganization());
    expect(problems.map((problem) => problem.replace(/: expected .*, got/, ":"))).toEqual([
      'line 3, column "co2e_tonnes": "x"',
      'line 4, column "reference": "r", as in line 2',
      'line 5, column "co2e_tonnes": "-1"',
      'line 6, column "reference": "r", as in line 2',
    ]);
  });

  it.each(["before it begins", "before it reads the file"])("if it is stopped %s", async (when) => {
    const stopped = new OperatorError("Stopped; nothing was changed.", 130);
    const controller = new AbortController();
    const stop = () => controller.abort(stopped);
    if (when === "before it begins") stop();
    const database: Database = {
      ...gateway.database,
      transaction: (work) =>
        gateway.database.transaction((sql) => {
          stop();
          return work(sql);
        }),
    };
    const interruption = { signal: controller.signal, ignore: () => undefined, end: () => undefined };
    const file = await save(`${HEADER}\n2026-01-01,scope_1,1,,,,\n`);
    const slug = await newOrganization();
    await expect(importCsv(database, file, slug, "", interruption)).rejects.toThrow(stopped);
    expect(await recordsOf(slug)).toEqual([]);
  });
});
