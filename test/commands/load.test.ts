import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LoadError, type LoadedFile, loadFiles } from "../../src/actions/bundle/load.js";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { describeFailures, describeLoaded, reportFailures } from "../../src/commands/load.js";
import { FRAMEWORKS } from "../../src/domain/enums.js";
import { lastTwelveMonths } from "../../src/domain/window.js";
import { readBundle } from "../../src/files/bundle/bundle.js";
import { REFERENCE_FOLDER, SAMPLE_FOLDER } from "../../src/paths.js";
import { openTestDatabase } from "../support/database.js";
import { useDatabase, useFolder } from "../support/use.js";

const NOW = new Date("2026-11-20T12:00:00.000Z");

const database = useDatabase();
const folder = useFolder();
let names = 0;

/** Returns a new slug. */
function newSlug(): string {
  names += 1;
  return `load-${names}`;
}

async function save(content: object | string | Uint8Array): Promise<string> {
  names += 1;
  const file = join(folder, `bundle-${names}.json`);
  const raw = typeof content === "string" || content instanceof Uint8Array;
  await writeFile(file, raw ? content : JSON.stringify(content));
  return file;
}

async function load(content: object | string, now = NOW): Promise<LoadedFile["sections"]> {
  const [loaded] = await loadFiles(database, [await save(content)], now);
  return loaded?.sections ?? {};
}

/** Returns the problems of a bundle, one per line. */
async function problemsOf(content: object | string | Uint8Array): Promise<string[]> {
  const file = await save(content);
  const [title, ...problems] = (await failuresOf(file)).split("\n");
  expect(title).toContain(file);
  return problems;
}

/** Returns the command's error about a file. */
async function failuresOf(file: string): Promise<string> {
  const error = await loadFiles(database, [file], NOW).then(
    () => new Error("it was loaded"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LoadError)) throw error;
  return describeFailures(error);
}

function query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  return database.transaction((session) => session.query<Row>(sql, parameters));
}

const columnsOf = async (slug: string, columns: string, from: string) => {
  const rows = await query<{ text: string }>(
    `SELECT concat_ws('|', ${columns}) AS text FROM ${from}
     WHERE r.organization_id = (SELECT id FROM organizations WHERE slug = $1) ORDER BY 1`,
    [slug],
  );
  return rows.map(({ text }) => text);
};
const orDash = (...columns: string[]) => columns.map((column) => `coalesce(${column}::text, '-')`).join(", ");

/** Returns an organization's records: date, scope, tonnes, facility, category, source and reference. */
const recordsOf = (slug: string) =>
  columnsOf(
    slug,
    `recorded_on, scope, co2e_tonnes, ${orDash("f.code", "category", "source", "reference")}`,
    "emission_records r LEFT JOIN facilities f ON f.id = r.facility_id",
  );

/** Returns an organization's batches: reference, type, vintage, quantity, sold, retired and available. */
const batchesOf = (slug: string) =>
  columnsOf(
    slug,
    `reference, credit_type, ${orDash("vintage")}, quantity, sold, retired, available`,
    "credit_batches r",
  );

async function isThere(slug: string): Promise<boolean> {
  return (await query("SELECT 1 FROM organizations WHERE slug = $1", [slug])).length > 0;
}

const added = (count: number) => ({ added: count, updated: 0, unchanged: 0 });
const updated = (count: number) => ({ added: 0, updated: count, unchanged: 0 });
const unchanged = (count: number) => ({ added: 0, updated: 0, unchanged: count });

const record = { recorded_on: "2026-03-01", scope: "scope_1", co2e_tonnes: 1 };
const batch = { reference: "B", credit_type: "VCS", quantity: 100 };
const price = { credit_type: "EUA", exchange: "EEX", price: 70, currency: "EUR", source: "a publication" };

const full = {
  facilities: [{ code: "IN-PUNE", name: "Pune plant", country: "IN" }],
  emission_records: [
    {
      ...record,
      reference: "r-1",
      co2e_tonnes: 12.5,
      facility: "IN-PUNE",
      category: "fuel",
      source: "a meter",
    },
    { ...record, recorded_on: "2026-04-30", scope: "scope_3", co2e_tonnes: "0.000001" },
  ],
  frameworks: [
    {
      framework: "CCTS",
      status: "pending_review",
      last_updated: "2026-11-01T09:30:00+05:30",
      note: "Verified",
    },
  ],
  deadlines: [
    {
      framework: "SBTi",
      title: "Targets",
      due_date: "2026-12-31",
      status: "completed",
      completed_on: "2026-11-02",
      evidence: "Letter 7",
      recurrence: "annual",
      source: "SBTi",
      source_url: "https://sciencebasedtargets.org",
    },
  ],
  credit_batches: [
    {
      ...batch,
      vintage: 2024,
      sold: 30,
      retirements: [
        { reference: "ret-1", quantity: 20, retired_on: "2026-05-05", beneficiary: "A buyer" },
        { reference: "ret-2", quantity: 5, retired_on: "2026-06-06" },
      ],
    },
  ],
  market_prices: [
    {
      ...price,
      change_pct_24h: "-1.25",
      price_type: "exchange_feed",
      source_url: "https://example.com/p",
      as_of: "2026-11-19",
      updated_at: "2026-11-19T18:00:00Z",
    },
  ],
};
const organizationOf = (slug: string, name = "Acme") => ({ organization: { slug, name } });
const fullBundle = (slug: string) => ({ ...organizationOf(slug, "Everything Ltd"), ...full });
/** Returns the counts of loading it if each row has this count. */
const countsOfFull = (count: (rows: number) => object) =>
  Object.fromEntries([
    ["organization", count(1)],
    ...Object.entries(full).map(([section, rows]) => [section, count(rows.length)]),
    ["retirements", count(2)],
  ]);

describe("gateway load", () => {
  it("loads every section of an organization, which reads back exactly, and changes nothing when loaded again", async () => {
    const slug = newSlug();
    expect(await load(fullBundle(slug))).toEqual(countsOfFull(added));
    expect(await recordsOf(slug)).toEqual([
      "2026-03-01|scope_1|12.500000|IN-PUNE|fuel|a meter|r-1",
      "2026-04-30|scope_3|0.000001|-|-|-|-",
    ]);
    expect(await batchesOf(slug)).toEqual(["B|VCS|2024|100|30|25|45"]);
    const inUtc = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')`;
    for (const [columns, table, rows] of [
      ["code, name, country", "facilities", ["IN-PUNE|Pune plant|IN"]],
      [
        `framework, status, ${inUtc("last_updated")}, note`,
        "compliance_statuses",
        ["CCTS|pending_review|2026-11-01 04:00|Verified"],
      ],
      [
        "framework, title, due_date, status, completed_on, evidence, recurrence, source, source_url",
        "compliance_deadlines",
        ["SBTi|Targets|2026-12-31|completed|2026-11-02|Letter 7|annual|SBTi|https://sciencebasedtargets.org"],
      ],
      [
        `reference, quantity, retired_on, ${orDash("beneficiary")}`,
        "credit_retirements",
        ["ret-1|20|2026-05-05|A buyer", "ret-2|5|2026-06-06|-"],
      ],
      [
        `price, currency, change_pct_24h, price_type, source_url, as_of, ${inUtc("recorded_at")}`,
        "market_prices",
        ["70.000000000|EUR|-1.250000000|exchange_feed|https://example.com/p|2026-11-19|2026-11-19 18:00"],
      ],
    ] as const)
      expect(await columnsOf(slug, columns, `${table} r`)).toEqual(rows);
    expect(await load(fullBundle(slug), new Date("2027-01-01"))).toEqual(countsOfFull(unchanged));
  });

  it("updates objects with a natural key and leaves absent ones", async () => {
    const slug = newSlug();
    await load(fullBundle(slug));
    expect(
      await load({
        ...organizationOf(slug, "Everything Inc"),
        facilities: [{ code: "IN-PUNE", name: "Pune works", country: "IN" }],
        emission_records: [{ ...record, reference: "r-1", co2e_tonnes: 13 }],
        frameworks: [{ framework: "CCTS", status: "compliant", last_updated: "2026-11-01T04:00:00Z" }],
        deadlines: [{ framework: "SBTi", title: "Targets", due_date: "2026-12-31", status: "met" }],
        credit_batches: [{ ...batch, credit_type: "EUA" }],
      }),
    ).toEqual({
      organization: updated(1),
      facilities: updated(1),
      emission_records: updated(1),
      frameworks: updated(1),
      deadlines: updated(1),
      credit_batches: updated(1),
    });
    expect(await batchesOf(slug)).toEqual(["B|EUA|-|100|30|25|45"]);
    expect(await recordsOf(slug)).toEqual([
      "2026-03-01|scope_1|13.000000|-|-|-|r-1",
      "2026-04-30|scope_3|0.000001|-|-|-|-",
    ]);
  });

  it("loads a facility without a country, and clears a country that the bundle no longer has", async () => {
    const organization = { slug: newSlug(), name: "Afloat" };
    const facility = { code: "F", name: "F" };
    const { slug } = organization;
    for (const [country, counts] of [
      [undefined, added(1)],
      [null, unchanged(1)],
      ["IN", updated(1)],
      [undefined, updated(1)],
    ] as const)
      expect(await load({ organization, facilities: [{ ...facility, country }] })).toMatchObject({
        facilities: counts,
      });
    expect(await columnsOf(slug, orDash("country"), "facilities r")).toEqual(["-"]);
  });

  it("adds only new rows of a file that has grown, including identical records", async () => {
    const organization = { slug: newSlug(), name: "Growing" };
    const emission_records = [record, record, { ...record, co2e_tonnes: 2 }];
    await load({ organization, emission_records });
    const grown = [
      { ...record, co2e_tonnes: 2 },
      record,
      record,
      { ...record, co2e_tonnes: "1.0" },
      { ...record, category: "x" },
    ];
    expect(await load({ organization, emission_records: grown })).toEqual({
      organization: unchanged(1),
      emission_records: { added: 2, updated: 0, unchanged: 3 },
    });
    expect(await recordsOf(organization.slug)).toHaveLength(5);
  });

  it("loads more than one chunk of records, and recognizes all of them again", async () => {
    const organization = { slug: newSlug(), name: "Bulk" };
    const emission_records = Array.from({ length: 5_003 }, (_, index) => ({
      ...record,
      reference: `r-${index}`,
    }));
    expect((await load({ organization, emission_records })).emission_records).toEqual(added(5_003));
    expect((await load({ organization, emission_records })).emission_records).toEqual(unchanged(5_003));
  });

  it("keeps two organizations with the same references separate", async () => {
    const [one, other] = [newSlug(), newSlug()];
    await load(fullBundle(one));
    expect((await load(fullBundle(other))).emission_records).toEqual(added(2));
    expect(await batchesOf(one)).toEqual(await batchesOf(other));
  });

  it("returns the counts of each file, printed on one line", async () => {
    const slug = newSlug();
    const file = await save({
      ...organizationOf(slug, "Counted"),
      emission_records: [record, { ...record, co2e_tonnes: 2 }],
    });
    const other = await save({});
    const loaded = await loadFiles(database, [file, file, other], NOW);
    expect(loaded.map(describeLoaded)).toEqual([
      `${file} (${slug}): 1 organization added; 2 emission records added`,
      `${file} (${slug}): 1 organization unchanged; 2 emission records unchanged`,
      `${other} (reference data): nothing to load`,
    ]);
  });

  it("reports a file that is missing, not a file or not UTF-8", async () => {
    const missing = join(folder, "missing.json");
    const binary = await save(new Uint8Array([0x7b, 0xff, 0x7d]));
    expect(await failuresOf(missing)).toBe(`${missing} does not exist.`);
    expect(await failuresOf(folder)).toBe(`${folder} cannot be read: EISDIR.`);
    expect(await failuresOf(binary)).toBe(`${binary} is not valid UTF-8.`);
  });

  it("lists the problems of every file, then loads none", async () => {
    const [good, wrong] = [newSlug(), newSlug()];
    const of = (slug: string, rest: object = {}) => save({ ...organizationOf(slug, "Several"), ...rest });
    const files = [
      await of(good),
      join(folder, `${wrong}.json`),
      await of(wrong, {
        emission_records: [
          { ...record, facility: "NOWHERE" },
          { ...record, scope: 1 },
        ],
      }),
      await of(wrong),
      await save("{"),
      await of(good, { emission_records: [{ ...record, facility: "NOWHERE" }] }),
    ];
    const facility = (index: number) =>
      `emission_records[${index}].facility: expected the code of a facility of the bundle or the database, got "NOWHERE"`;
    const error = await loadFiles(database, files, NOW).catch((thrown: unknown) => thrown);
    if (!(error instanceof LoadError)) throw error;
    const report = reportFailures(error);
    expect(report).toEqual({
      failed: [
        { file: files[1], problems: [`${files[1]} does not exist.`] },
        { file: files[2], problems: [expect.stringMatching(/^emission_records\[1\]\.scope: /), facility(0)] },
        { file: files[4], problems: [expect.stringMatching(/^bundle: expected valid JSON/)] },
        { file: files[5], problems: [facility(0)] },
      ],
      notLoaded: [files[0], files[3]],
    });
    const lines = describeFailures(error).split("\n");
    expect(lines).toEqual(expect.arrayContaining(report.failed.flatMap(({ problems }) => problems)));
    expect(lines.at(-1)).toBe("None of the 6 files was loaded.");
    expect(await database.prisma.organization.count({ where: { name: "Several" } })).toBe(0);
  });

  it("loads a file that depends on an earlier one", async () => {
    const slug = newSlug();
    const organization = { slug, name: "Parts" };
    const files = [
      await save({ organization, facilities: [{ code: "A", name: "A", country: "IN" }] }),
      await save({ organization, emission_records: [{ ...record, facility: "A" }] }),
    ];
    await loadFiles(database, files, NOW);
    expect(await recordsOf(slug)).toEqual(["2026-03-01|scope_1|1.000000|A|-|-|-"]);
  });

  it("reads a file with a byte order mark, as written by spreadsheets and editors", async () => {
    const slug = newSlug();
    const text = `\ufeff${JSON.stringify({ ...organizationOf(slug, "Marked") })}`;
    expect(await load(text)).toEqual({ organization: added(1) });
  });

  it("refuses a file of more than 256 MB before reading it", async () => {
    const file = await save("{}");
    await truncate(file, 256 * 2 ** 20 + 1);
    expect(await failuresOf(file)).toBe(
      `${file} is larger than 256 MB. Split it, or import its emission records from a CSV file of any size.`,
    );
  });

  it("makes concurrent loads of several files wait for each other in any order", async () => {
    const slugs = [newSlug(), newSlug()];
    const files = await Promise.all(slugs.map((slug) => save(fullBundle(slug))));
    const run = (order: string[]) => loadFiles(database, order, NOW);
    await Promise.all([run(files), run(files.toReversed()), run(files), run(files.toReversed())]);
    for (const slug of slugs) expect(await recordsOf(slug)).toHaveLength(2);
  });
});

describe("amounts of a bundle", () => {
  const withAmount = (slug: string, written: string) =>
    JSON.stringify({
      ...organizationOf(slug),
      emission_records: [{ ...record, co2e_tonnes: "HERE" }],
    }).replace('"HERE"', written);

  it.each([
    ["0.1", "0.100000"],
    ['"0.2"', "0.200000"],
    ["123456789012345678", "123456789012345678.000000"],
    ["123456789012.345678", "123456789012.345678"],
    ["999999999999999999.999999", "999999999999999999.999999"],
    ["1e3", "1000.000000"],
    ["1.5E-5", "0.000015"],
    ["2.50000000", "2.500000"],
    ["-0", "0.000000"],
    ['"007"', "7.000000"],
  ])("keeps every digit of %s", async (written, stored) => {
    const slug = newSlug();
    await load(withAmount(slug, written));
    expect(await recordsOf(slug)).toEqual([`2026-03-01|scope_1|${stored}|-|-|-|-`]);
  });

  const numbers = ["-1", "1e18", "1e400", "1e-400", "1.5E-6", "0.0000001", "true", "null", "{}"];
  const texts = ["1e3", "NaN", "Infinity", "", " 1", "1,5", ".5"].map((text) => JSON.stringify(text));
  it.each([...numbers, ...texts])("refuses %s as co2e_tonnes", (written) => {
    expect(readBundle(withAmount("refused", written)).problems).toEqual([
      expect.stringMatching(/^emission_records\[0\]\.co2e_tonnes: expected a decimal of 0 or more, .*, got /),
    ]);
  });

  it("hold quantities far above 2^31, up to 2^53 - 1", async () => {
    const slug = newSlug();
    const retirements = [{ reference: "most", quantity: 5_000_000_000, retired_on: "2026-01-01" }];
    await load({
      ...organizationOf(slug, "Large"),
      credit_batches: [{ ...batch, quantity: Number.MAX_SAFE_INTEGER, sold: 4_000_000_000, retirements }],
    });
    expect(await batchesOf(slug)).toEqual([
      "B|VCS|-|9007199254740991|4000000000|5000000000|9007190254740991",
    ]);
  });
});

describe("market prices and benchmarks of a bundle", () => {
  it("belong to the platform if they have no organization, and are recognized again", async () => {
    const source = { source: "S", source_url: "https://example.com", source_year: 2024 };
    const intensity = { intensity: 1.91, unit: "t/t", ...source };
    const bundle = {
      market_prices: [
        { ...price, exchange: newSlug() },
        { ...price, exchange: newSlug(), as_of: "2026-10-01" },
      ],
      benchmarks: [{ ...intensity, sector: newSlug() }, { sector: newSlug() }],
    };
    expect(await load(bundle)).toEqual({ market_prices: added(2), benchmarks: added(2) });
    expect(await load(bundle)).toEqual({ market_prices: unchanged(2), benchmarks: unchanged(2) });
    const [benchmark] = bundle.benchmarks;
    expect(await load({ benchmarks: [{ ...benchmark, intensity: "1.92" }] })).toEqual({
      benchmarks: updated(1),
    });
  });

  it("are recorded at the time of loading only if they are new or different", async () => {
    const exchange = newSlug();
    const recordedAt = async () => {
      const rows = await query<{ at: string }>(
        "SELECT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS at FROM market_prices WHERE exchange = $1",
        [exchange],
      );
      return rows[0]?.at;
    };
    await load({ market_prices: [{ ...price, exchange }] }, new Date("2026-01-01"));
    expect(await load({ market_prices: [{ ...price, exchange }] }, new Date("2026-01-02"))).toEqual({
      market_prices: unchanged(1),
    });
    expect(await recordedAt()).toBe("2026-01-01");
    await load({ market_prices: [{ ...price, exchange, price: 71 }] }, new Date("2026-01-03"));
    expect(await recordedAt()).toBe("2026-01-03");
    const timed = { market_prices: [{ ...price, exchange, price: 71, updated_at: "2025-12-31T00:00:00Z" }] };
    expect(await load(timed)).toEqual({ market_prices: updated(1) });
    expect(await recordedAt()).toBe("2025-12-31");
  });
});

describe("credits of a bundle", () => {
  const retirement = (reference: string, quantity: number) => ({
    reference,
    quantity,
    retired_on: "2026-01-01",
  });

  it("set what is sold, undo it at 0 and keep it if absent", async () => {
    const organization = { slug: newSlug(), name: "Seller" };
    const sell = (sold?: number) => load({ organization, credit_batches: [{ ...batch, sold }] });
    const sold = async () => (await batchesOf(organization.slug))[0]?.split("|")[4];
    await sell(40);
    expect((await sell(30)).credit_batches).toEqual(updated(1));
    expect(await sold()).toBe("30");
    expect((await sell()).credit_batches).toEqual(unchanged(1));
    expect(await sold()).toBe("30");
    expect((await sell(0)).credit_batches).toEqual(updated(1));
    expect(await sold()).toBe("0");
    expect((await sell(0)).credit_batches).toEqual(unchanged(1));
  });

  it("reach every valid end state from any valid start, in any order of changes", async () => {
    const organization = { slug: newSlug(), name: "Full" };
    const ends = [
      [{ ...batch, quantity: 100, sold: 60, retirements: [retirement("one", 40)] }],
      [{ ...batch, quantity: 50, sold: 10, retirements: [retirement("one", 40)] }],
      [{ ...batch, quantity: 50, sold: 49, retirements: [retirement("one", 1)] }],
      [{ ...batch, quantity: 200, sold: 0, retirements: [retirement("one", 150), retirement("two", 50)] }],
      [{ ...batch, quantity: 200, sold: 0, retirements: [retirement("two", 150), retirement("one", 50)] }],
    ];
    for (const credit_batches of ends) {
      await load({ organization, credit_batches });
      const [row] = await batchesOf(organization.slug);
      expect(row).toMatch(new RegExp(`\\|${credit_batches[0]?.quantity}\\|\\d+\\|\\d+\\|0$`));
    }
  });

  it("move retirements between two batches that have nothing left", async () => {
    const organization = { slug: newSlug(), name: "Swap" };
    const swap = (a: string, b: string) =>
      load({
        organization,
        credit_batches: [
          { ...batch, reference: "A", retirements: [retirement(a, 100)] },
          { ...batch, reference: "B", retirements: [retirement(b, 100)] },
        ],
      });
    await swap("one", "two");
    expect(await swap("two", "one")).toEqual({
      organization: unchanged(1),
      credit_batches: unchanged(2),
      retirements: updated(2),
    });
    expect(await batchesOf(organization.slug)).toEqual(["A|VCS|-|100|0|100|0", "B|VCS|-|100|0|100|0"]);
  });

  it("are refused by name if the database has already assigned them", async () => {
    const organization = { slug: newSlug(), name: "Overdrawn" };
    await load({
      organization,
      credit_batches: [{ ...batch, sold: 30, retirements: [retirement("one", 50)] }],
    });
    const before = await batchesOf(organization.slug);
    expect(
      await problemsOf({
        organization,
        credit_batches: [
          { ...batch, reference: "C" },
          { ...batch, retirements: [retirement("two", 30)] },
        ],
        emission_records: [{ ...record, facility: "NOWHERE" }],
      }),
    ).toEqual([
      'emission_records[0].facility: expected the code of a facility of the bundle or the database, got "NOWHERE"',
      'credit_batches[1].quantity: expected at least 110 for "B" (sold 30, retired 80, including what is in the database), got 100',
    ]);
    expect(await batchesOf(organization.slug)).toEqual(before);
  });

  it("are refused if all batches together exceed a JSON number", async () => {
    const organization = { slug: newSlug(), name: "Infinite" };
    const max = Number.MAX_SAFE_INTEGER;
    const bundleOf = (quantities: Record<string, number>) => ({
      organization,
      credit_batches: Object.entries(quantities).map(([reference, quantity]) => ({
        ...batch,
        reference,
        quantity,
      })),
    });
    const tooMany = `credit_batches: expected quantities that add up to at most ${max}, including what is in the database, got 9007199254740992`;
    expect(await problemsOf(bundleOf({ A: max, B: 1 }))).toEqual([tooMany]);
    await load(bundleOf({ A: max - 10, B: 9 }));
    expect(await problemsOf(bundleOf({ C: 2 }))).toEqual([tooMany]);
    expect((await load(bundleOf({ A: max - 11, C: 2 }))).credit_batches).toEqual({
      added: 1,
      updated: 1,
      unchanged: 0,
    });
  });
});

describe("problems of a bundle", () => {
  it("are all found at once, each on a line with its path, and nothing is loaded", async () => {
    const slug = newSlug();
    const problems = await problemsOf({
      organization: { slug, name: "Ten mistakes", owner: "x" },
      facilities: [{ code: "A", name: "A", country: "Atlantis" }],
      emission_records: [
        record,
        { ...record, recorded_on: "2026-02-30" },
        { ...record, scope: "scope_9" },
        { scope: "scope_1", co2e_tonnes: -1, recorded_on: "2026-01-01", facility: "NOWHERE" },
      ],
      frameworks: [{ framework: "ISO", status: "compliant", last_updated: "2026-11-01T09:00:00" }],
      deadlines: [{ framework: "CDP", title: " ", due_date: "2026-12-31" }],
    });
    expect(problems).toEqual([
      'organization.owner: unknown key, expected one of slug, name; got "x"',
      `facilities[0].country: expected an ISO 3166-1 country code, or a country's English, French, German or Spanish name, got "Atlantis"`,
      'emission_records[1].recorded_on: expected a calendar date YYYY-MM-DD from 1000 to 2999, got "2026-02-30"',
      'emission_records[2].scope: expected one of scope_1, scope_2, scope_3, got "scope_9"',
      "emission_records[3].co2e_tonnes: expected a decimal of 0 or more, under 1e18, with at most 6 decimals, got -1",
      `frameworks[0].framework: expected one of ${FRAMEWORKS.join(", ")}, got "ISO"`,
      'frameworks[0].last_updated: expected an ISO 8601 time with a zone, such as 2026-11-20T09:00:00Z, got "2026-11-01T09:00:00"',
      'deadlines[0].title: expected a string of 1 to 1000 characters without NUL, got " "',
      "deadlines[0].status: expected a string of 1 to 200 characters without NUL, got nothing",
      'emission_records[3].facility: expected the code of a facility of the bundle or the database, got "NOWHERE"',
    ]);
    expect(await isThere(slug)).toBe(false);
  });

  const json = (at: string, got: string) => `bundle: expected valid JSON, got an error at ${at}: ${got}`;
  const benchmark = (values: string) => `{"benchmarks": [{"sector": "a", ${values}}]}`;
  const sector = (text: string, got = text): [string, string] => [
    `{"benchmarks": [{"sector": "${text}"}]}`,
    `benchmarks[0].sector: expected a string of 1 to 200 characters without NUL, got "${got}"`,
  ];
  it.each<[string, string | RegExp]>([
    ["[1]", "bundle: expected an object, got a list"],
    ["", json("line 1, column 1", "JSON value expected but reached end of input")],
    ['{\n  "a": x}', json("line 2, column 8", "Object value expected after ':'")],
    ["[".repeat(200_000), json("line 1, column 1", "it is nested too deeply")],
    ['{"facilities": [], "facilities": []}', "facilities: expected the key once, got a duplicate"],
    ['{"facilities": {}}', "facilities: expected a list, got an object"],
    [
      '{"benchmarks": [7]}',
      /^benchmarks\[0\]: expected an object with sector, intensity, unit, .*source_year, got 7$/,
    ],
    [benchmark('"sector": "b"'), "benchmarks[0].sector: expected the key once, got a duplicate"],
    [
      '{"__proto__": 1}',
      /^__proto__: unknown key, expected one of organization, facilities, .*, benchmarks; got 1$/,
    ],
    sector("a\\u0000"),
    sector("\\ud800"),
    sector("é".repeat(500), `${"é".repeat(59)}…`),
    [
      JSON.stringify(organizationOf("a", "x".repeat(201))),
      `organization.name: expected a string of 1 to 200 characters without NUL, got "${"x".repeat(59)}…"`,
    ],
    [
      benchmark('"source_url": "ftp://x"'),
      /^benchmarks\[0\]\.source_url: expected an absolute http or https URL .*, got "ftp:\/\/x"$/,
    ],
    [
      benchmark('"source_year": "2024"'),
      'benchmarks[0].source_year: expected a whole number from 1900 to 2100, got "2024"',
    ],
    [
      JSON.stringify(organizationOf("A b")),
      'organization.slug: expected 1 to 63 lower-case letters and digits, with single hyphens between them, got "A b"',
    ],
  ])("of %.40s are one line", (text, problem) => {
    expect(readBundle(text).problems).toEqual([
      typeof problem === "string" ? problem : expect.stringMatching(problem),
    ]);
  });

  it("name the first of duplicates", async () => {
    const twice = <Row>(row: Row) => [row, row];
    const retired = (reference: string) => [{ reference, quantity: 1, retired_on: "2026-01-01" }];
    const problems = await problemsOf({
      ...organizationOf(newSlug(), "Twice"),
      facilities: twice({ code: "A", name: "A", country: "IN" }),
      emission_records: [...twice({ ...record, reference: "r" }), ...twice(record)],
      frameworks: twice({ framework: "CDP", status: "compliant", last_updated: "2026-11-01T00:00:00Z" }),
      deadlines: [
        ...twice({ framework: "CDP", title: "T", due_date: "2026-12-31", status: "pending" }),
        { framework: "CDP", title: "T", due_date: "2027-12-31", status: "pending" },
      ],
      credit_batches: [
        { ...batch, retirements: retired("x") },
        { ...batch, reference: "C", retirements: retired("x") },
        batch,
      ],
      market_prices: [...twice(price), { ...price, as_of: "2026-01-01" }],
    });
    expect(problems).toEqual([
      'facilities[1].code: expected a unique value, got "A" as in facilities[0]',
      'emission_records[1].reference: expected a unique value, got "r" as in emission_records[0]',
      'frameworks[1].framework: expected a unique value, got "CDP" as in frameworks[0]',
      "deadlines[1]: expected a unique framework, title, due_date, got the same as deadlines[0]",
      'credit_batches[2].reference: expected a unique value, got "B" as in credit_batches[0]',
      'credit_batches[1].retirements[0].reference: expected a unique value, got "x" as in credit_batches[0].retirements[0]',
      "market_prices[1]: expected a unique credit_type, exchange, as_of, got the same as market_prices[0]",
    ]);
    expect(readBundle(JSON.stringify({ benchmarks: twice({ sector: "a" }) })).problems).toEqual([
      "benchmarks[1]: expected a unique sector, unit, source, source_year, got the same as benchmarks[0]",
    ]);
  });

  const retirements = [{ reference: "x", quantity: 41, retired_on: "2026-01-01" }];
  const [only, got] = ["expected only in a bundle", "got one without"];
  it.each([
    [
      { ...organizationOf("over"), credit_batches: [{ ...batch, sold: 60, retirements }] },
      ["credit_batches[0].quantity: expected at least 101 (sold 60, retired 41), got 100"],
    ],
    [
      { facilities: full.facilities, emission_records: [record], market_prices: [price] },
      [
        `facilities: ${only} with an organization, ${got}`,
        `emission_records: ${only} with an organization, ${got}`,
      ],
    ],
    [
      { ...organizationOf("a"), benchmarks: [{ sector: "a" }] },
      [
        `benchmarks: ${only} without an organization (all organizations share them), got one with an organization`,
      ],
    ],
  ])("include what does not fit together: %#", (bundle, problems) => {
    expect(readBundle(JSON.stringify(bundle)).problems).toEqual(problems);
  });

  it("include a facility of another organization", async () => {
    await load(fullBundle(newSlug()));
    const slug = newSlug();
    const bundle = {
      ...organizationOf(slug, "Other"),
      emission_records: [{ ...record, facility: "IN-PUNE" }],
    };
    expect(await problemsOf(bundle)).toEqual([
      'emission_records[0].facility: expected the code of a facility of the bundle or the database, got "IN-PUNE"',
    ]);
    expect(await isThere(slug)).toBe(false);
  });
});

describe("the database's own rules", () => {
  let slug: string;

  beforeAll(async () => {
    slug = newSlug();
    await load(fullBundle(slug));
  });

  const owner = "(SELECT id FROM organizations WHERE slug = $1)";
  const insertRecord = (values: string) =>
    `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes, facility_id) VALUES (${values})`;

  const ours = `WHERE organization_id = ${owner}`;
  const foreign = `(SELECT id FROM facilities WHERE organization_id <> ${owner} LIMIT 1)`;
  it.each([
    [
      "fewer credits than were sold and retired",
      `UPDATE credit_batches SET quantity = 54 ${ours}`,
      /available_not_negative/,
    ],
    [
      "a sale of more than is available",
      `INSERT INTO credit_sales (organization_id, batch_id, reference, quantity)
       SELECT organization_id, id, 'more', 46 FROM credit_batches ${ours}`,
      /available_not_negative/,
    ],
    [
      "a record of nobody",
      insertRecord("NULLIF($1, $1)::uuid, '2026-01-01', 'scope_1', 1, NULL"),
      /null value/,
    ],
    ["NaN", insertRecord(`${owner}, '2026-01-01', 'scope_1', 'NaN', NULL`), /not_negative/],
    ["an amount below zero", insertRecord(`${owner}, '2026-01-01', 'scope_1', -1, NULL`), /not_negative/],
    [
      "a facility of another organization",
      insertRecord(`${owner}, '2026-01-01', 'scope_1', 1, ${foreign}`),
      /facility_id_fkey/,
    ],
    [
      "an unknown scope of a key",
      `INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes)
       VALUES (${owner}, 'k', repeat('a', 64), 'd', 'free', ARRAY['read:everything'])`,
      /scopes_known/,
    ],
    [
      "two rows for one framework of an organization",
      `INSERT INTO compliance_statuses (organization_id, framework, status, last_updated)
       VALUES (${owner}, 'CCTS', 'compliant', now())`,
      /duplicate key/,
    ],
  ])("refuse %s", async (_, sql, message) => {
    await load(fullBundle(newSlug()));
    await expect(query(sql, [slug])).rejects.toThrow(message);
  });
});

describe("the sample data", () => {
  it.each(["2026-11-20", "2028-02-29", "2027-01-01", "2027-01-31"])("is complete on %s", async (day) => {
    const today = new Date(`${day}T10:00:00Z`);
    const fresh = await openTestDatabase();
    const read = <Row>(sql: string, parameters: unknown[] = []) =>
      fresh.transaction((session) => session.query<Row>(sql, parameters));
    onTestFinished(() => fresh.close());
    const [reference, demonstration] = await loadSample(fresh, SAMPLE_FOLDER, today);
    expect(reference?.organization).toBeNull();
    expect(demonstration).toMatchObject({ organization: "demo", sections: { frameworks: added(8) } });

    const { from, to } = lastTwelveMonths(today);
    const inWindow = "FROM emission_records WHERE recorded_on BETWEEN $1::date AND $2::date";
    expect(
      await read(
        `SELECT count(DISTINCT recorded_on)::int AS months, count(DISTINCT scope)::int AS scopes ${inWindow}`,
        [from, to],
      ),
    ).toEqual([{ months: 12, scopes: 3 }]);
    expect(await read("SELECT count(DISTINCT recorded_on)::int AS months FROM emission_records")).toEqual([
      { months: 24 },
    ]);
    expect(await read("SELECT framework::text FROM compliance_statuses s ORDER BY s.framework")).toEqual(
      FRAMEWORKS.map((framework) => ({ framework })),
    );
    expect(
      await read(
        `SELECT sector FROM benchmarks WHERE intensity IS NULL OR unit IS NULL OR unit LIKE '%\\%%' OR source IS NULL OR source_url IS NULL OR source_year IS NULL`,
      ),
    ).toEqual([]);
    expect(await read("SELECT 1 FROM market_prices WHERE source_url IS NULL OR as_of IS NULL")).toEqual([]);
    expect(await read("SELECT 1 FROM compliance_deadlines WHERE source_url IS NOT NULL")).toHaveLength(33);
  });

  it("calculates each record with a factor of the reference data, in the factor's unit", async () => {
    const fresh = await openTestDatabase();
    onTestFinished(() => fresh.close());
    await loadFactors(fresh, REFERENCE_FOLDER);
    await loadSample(fresh, SAMPLE_FOLDER, NOW);
    const read = <Row>(sql: string) => fresh.transaction((session) => session.query<Row>(sql));
    const joined = "FROM emission_records r LEFT JOIN emission_factors f ON f.id = r.factor_id";
    const [counted] = await read<{ records: number; right: number }>(
      `SELECT count(*)::int AS records, (count(*) FILTER (WHERE
         r.co2e_tonnes = round((r.activity->>'amount')::numeric * f.factor / 1000, 6) AND r.scope = f.scope
         AND r.category = f.category AND r.source = f.source AND r.calculation->'factor'->>'id' = f.id::text))::int AS right
       ${joined}`,
    );
    expect(counted?.records).toBeGreaterThan(500);
    expect(counted?.right).toBe(counted?.records);
  });
});
