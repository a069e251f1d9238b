import { beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { undoImport } from "../../src/actions/imports/undo-import.js";
import { setMappings } from "../../src/actions/mappings/set-mappings.js";
import { computeCo2e } from "../../src/domain/ghg/compute-co2e.js";
import { readUnit } from "../../src/domain/ghg/units.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { addFacility } from "../support/fixtures.js";
import { importCsv, importProblems, saveCsv } from "../support/importing.js";
import { makeOrganization, NOW } from "../support/server.js";
import { useFolder, useGateway } from "../support/use.js";

const folder = useFolder();
const gateway = useGateway();
beforeAll(async () => {
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});

/** Creates an organization with plants in Great Britain, Germany and India. */
async function makePlants(): Promise<string> {
  const slug = await makeOrganization(gateway.database);
  for (const country of ["GB", "DE", "IN"])
    await addFacility(gateway.database, slug, { code: country, country });
  return slug;
}
const save = (text: string) => saveCsv(folder, text);
const run = async (slug: string, text: string, args = "") =>
  importCsv(gateway.database, await save(text), slug, args);
const problems = async (slug: string, text: string, args = "") =>
  importProblems(gateway.database, await save(text), slug, args);
const totals = (total: string, scope_1: string, scope_2: string, scope_3: string) => ({
  scope_1,
  scope_2,
  scope_3,
  total,
});
const recordsOf = (slug: string) =>
  gateway.database.prisma.emissionRecord.findMany({
    where: { organization: { slug } },
    orderBy: { reference: "asc" },
    select: {
      reference: true,
      scope: true,
      co2eTonnes: true,
      category: true,
      factorId: true,
      activity: true,
      calculation: true,
    },
  });
const idOf = async (where: {
  activity: string;
  unit?: string;
  sourceYear?: number;
  sourceFactorId?: string;
}) =>
  (
    await gateway.database.prisma.emissionFactor.findFirstOrThrow({
      where: { ...where, organizationId: null },
    })
  ).id;
const mapText = async (slug: string, text: string, unit: string, factorId: string, more: object = {}) => {
  const { id: organizationId } = await gateway.database.prisma.organization.findUniqueOrThrow({
    where: { slug },
  });
  const [mapping] = await setMappings(
    gateway.database,
    { writer: "mappings set", organizationId, now: NOW },
    [{ text, unit, factorId, ...more }],
  );
  return mapping?.id;
};

const UK = `recorded_on,amount,unit,activity,facility,reference
2025-01-31,12000,kWh,electricity,GB,a
2025-02-28,50000,kWh (gross CV),gas,GB,b
2025-03-31,1250.5,litre,diesel,GB,c
2025-04-30,8.5,MWh,electricity,IN,d
2025-05-31,320,passenger.km,taxi,GB,e
`;

describe("an import of activities", () => {
  it("calculates each row by its text, its facility's country and its year, once, and can be undone", async () => {
    const slug = await makePlants();
    const dry = await run(slug, UK, "--dry-run");
    const done = await run(slug, UK);
    expect(dry.co2eTonnes).toEqual(totals("20.583815", "12.36281", "8.17345", "0.047555"));
    expect(done.co2eTonnes).toEqual(totals("20.583815", "12.36281", "8.17345", "0.047555"));
    expect(dry.added).toBe(5);
    expect(done.added).toBe(5);
    expect(done.activities).toMatchObject({ distinct: 5, resolved: 5, unresolved: 0, unresolved_rows: 0 });
    const [electricity, , diesel] = await recordsOf(slug);
    const factorId = await idOf({ activity: "Grid electricity, UK (generation)", sourceYear: 2025 });
    expect(electricity).toEqual({
      reference: "a",
      scope: "scope_2",
      co2eTonnes: expect.objectContaining({}),
      category: "purchased_electricity",
      factorId,
      activity: { amount: "12000", unit: "kWh", factorId, gwp: "AR6" },
      calculation: {
        kg: "2124",
        tonnes: "2.124",
        formula: "12000 kWh × 0.177 kg CO2e per kWh = 2124 kg CO2e",
        factor: expect.objectContaining({ id: factorId, factorExact: "0.177", sourceYear: 2025 }),
        reason: 'name "electricity" (kWh, GB)',
        precedence: [{ source: expect.stringMatching(/^UK DESNZ/), chosen: true }],
        notices: [],
      },
    });
    expect(diesel).toMatchObject({
      calculation: { formula: "1250.5 litre × 2.57082 kg CO2e per litre = 3214.81041 kg CO2e" },
    });
    expect(await run(slug, UK)).toMatchObject({ added: 0, updated: 0, unchanged: 5 });
    expect(await run(slug, UK.replace("12000", "6000"))).toMatchObject({
      added: 0,
      updated: 1,
      unchanged: 4,
    });
    const undone = await undoImport(gateway.database, done.id ?? "", NOW);
    expect(undone).toMatchObject({ removed: 4, kept: 1 });
  });

  it("reads numbers and units as written in a locale", async () => {
    const slug = await makePlants();
    const file = `Datum;Menge;Einheit;Energieart;Werk
31.01.2025;12.000,5;kWh;Strom;DE
28.02.2025;11.250;kWh;Strom;DE
31.03.2025;5.000;kWh Hs;Erdgas;GB
30.04.2025;1.250,5;Liter;Diesel;GB
`;
    const map = ["recorded_on=Datum", "amount=Menge", "unit=Einheit", "activity=Energieart", "facility=Werk"];
    const maps = map.map((one) => `--map ${one}`).join(" ");
    const { co2eTonnes } = await run(
      slug,
      file,
      `${maps} --delimiter ; --date-format DD.MM.YYYY --locale de-DE`,
    );
    expect(co2eTonnes).toEqual(totals("12.082676", "4.12961", "7.953066", "0"));
  });

  it("accepts tonnes and activities in one file, and a unit of CO2e for tonnes", async () => {
    const slug = await makePlants();
    const file = `recorded_on,scope,amount,unit,activity,region,co2e_tonnes
2025-01-31,scope_1,4.5,tCO2e,,,
2025-01-31,,1000,kWh,electricity,UK,
2025-01-31,scope_3,250,kgCO2e,,,
`;
    expect((await run(slug, file)).co2eTonnes).toEqual(totals("4.927", "4.5", "0.177", "0.25"));
    const tonnes = file.replace("4.5,tCO2e,,,", ",,,,4.5");
    expect((await run(slug, tonnes, "--dry-run")).co2eTonnes.total).toBe("4.927");
    expect(
      await problems(slug, file.replace("1000,kWh,electricity,UK,", "1000,kWh,electricity,UK,2")),
    ).toEqual(['line 3, column "amount": expected nothing, because co2e_tonnes has a value, got "1000"']);
  });

  it("lists uncertain rows with their candidates, once for equal rows, and imports nothing", async () => {
    const slug = await makePlants();
    const rows = (count: number) =>
      Array.from({ length: count }, () => "2025-06-30,100,kWh,Strom Werk 2,DE\n").join("");
    const file = `recorded_on,amount,unit,activity,facility\n${rows(4)}2025-06-30,10,kWh,gas,GB\n2025-06-30,10,kWh,electricity,\n2025-06-30,10,kWh,electricity,GB\n`;
    const expected = {
      distinct: 4,
      resolved: 1,
      unresolved: 3,
      unresolved_rows: 6,
      items: [
        {
          text: "Strom Werk 2",
          unit: "kWh",
          region: "DE",
          rows: 4,
          first_lines: [2, 3, 4],
          status: "unresolved",
          by: null,
          factors: [],
        },
        { text: "gas", region: "GB", rows: 1, first_lines: [6], status: "unresolved" },
        { text: "electricity", region: null, rows: 1, first_lines: [7], status: "unresolved" },
        { text: "electricity", region: "GB", status: "resolved", candidates: [] },
      ],
    };
    const dry = await run(slug, file, "--dry-run");
    expect(dry).toMatchObject({ added: 1, activities: expected });
    const [strom, gas] = dry.activities?.items ?? [];
    expect(strom?.candidates[0]).toEqual({
      id: expect.any(String),
      activity: "Grid electricity, Germany (Ember, life-cycle)",
      factor_exact: "0.34206",
      unit: "kWh",
      source: expect.stringMatching(/^Ember/),
      source_year: 2025,
    });
    expect(gas?.candidates.map(({ unit }) => unit)).toContain("kWh (gross CV)");
    await expect(run(slug, file)).rejects.toMatchObject({
      code: "UNRESOLVED_ACTIVITIES",
      activities: expected,
    });
    expect(await recordsOf(slug)).toEqual([]);
  });

  it("uses the organization's mapping, for its region first, in the edition of the year, and says so", async () => {
    const slug = await makePlants();
    const file = `recorded_on,amount,unit,activity,facility,reference
2024-06-30,1,MWh,Strom  WERK 2,GB,a
2026-06-30,1000,kWh,Strom Werk 2,GB,b
2026-06-30,1000,kWh,Strom Werk 2,DE,c
2026-06-30,1000,kWh,Gas,GB,d
`;
    const uk = await idOf({ activity: "Grid electricity, UK (generation)", sourceYear: 2025 });
    const germany = await idOf({ activity: "Grid electricity, Germany (Ember, life-cycle)" });
    const gas = await idOf({ activity: "Natural gas", unit: "kWh (gross CV)", sourceYear: 2025 });
    const id = await mapText(slug, "Strom Werk 2", "kWh", uk);
    await mapText(slug, "Strom Werk 2", "kWh", germany, { region: "DE" });
    await mapText(slug, "Gas", "kWh", gas, { fixedYear: true });
    await run(slug, file);
    const calculated = (await recordsOf(slug)).map(
      ({ calculation }) => calculation as Record<string, unknown>,
    );
    expect(calculated).toMatchObject([
      {
        mappingId: id,
        reason: 'mapping "Strom Werk 2" (kWh), set by an operator on 2026-11-20',
        notices: ["FACTOR_NEWER_THAN_ACTIVITY"],
        formula: "1 MWh × 3600 / 3.6 × 0.177 kg CO2e per kWh = 177 kg CO2e",
      },
      { mappingId: id, formula: "1000 kWh × 0.13096 kg CO2e per kWh = 130.96 kg CO2e", notices: [] },
      { reason: 'mapping "Strom Werk 2" (kWh, DE), set by an operator on 2026-11-20' },
      { formula: "1000 kWh (gross CV) × 0.18296 kg CO2e per kWh (gross CV) = 182.96 kg CO2e" },
    ]);
  });

  it("accepts a factor id, a publisher's id and a gas; inexact figures match those of a single record", async () => {
    const slug = await makePlants();
    const id = await idOf({ activity: "Grid electricity, UK (generation)", sourceYear: 2025 });
    const diesel = await idOf({ activity: "Diesel fuel (motor)", unit: "US gallon", sourceYear: 2025 });
    const file = `recorded_on,scope,amount,unit,factor_id,source_factor_id,gas,reference
2026-01-31,,10,kWh,${id},,,a
2025-01-31,scope_3,10,kWh,,7_400_4000_5_1,,b
2025-01-31,scope_1,10,kg,,,CH4,c
2025-01-31,scope_1,378.5411784,litre,${diesel},,,d
2025-01-31,scope_1,1,litre,${diesel},,,e
`;
    const { items = [] } = (await run(slug, file)).activities ?? {};
    expect(items.map(({ by, rows }) => [by, rows])).toEqual([
      ["factor_id", 2],
      ["factor_id", 1],
      ["source_factor_id", 1],
      ["name", 1],
    ]);
    const inexact = computeCo2e("1", readUnit("litre"), {
      factor: "10.21",
      gas: "CO2e",
      unit: readUnit("US gallon"),
    });
    expect(
      (await recordsOf(slug)).map(({ scope, calculation }) => [scope, (calculation as { kg: string }).kg]),
    ).toEqual([
      ["scope_2", "1.77"],
      ["scope_3", "1.77"],
      ["scope_1", "270"],
      ["scope_1", "1021"],
      ["scope_1", inexact.kg],
    ]);
  });

  it("reports what it cannot read, with the line", async () => {
    const slug = await makePlants();
    const file = `recorded_on,amount,unit,activity,region
2025-01-31,"1,250",kWh,electricity,GB
2025-01-31,x,kWh,electricity,GB
2025-01-31,1,,electricity,GB
2025-01-31,1,kWh,,GB
2025-01-31,1,kWh,electricity,Atlantis
`;
    expect(await problems(slug, file, "--locale de-DE")).toEqual([
      'line 2, column "amount": expected an unambiguous number, or one elsewhere in its column, got AMBIGUOUS_NUMBER: "1,250" can be read as 1.25 or 1250',
      'line 3, column "amount": expected a number as in de-DE, got "x"',
      'line 4, column "unit": expected a unit, such as kWh, got nothing',
      'line 5, column "activity": expected an activity, a gas, or the id of an emission factor; or the amount in co2e_tonnes, if it is CO2e, got nothing',
      'line 6, column "region": expected a country\'s code or name, EU or Global, got "Atlantis"',
    ]);
    const header = file.slice(0, file.indexOf("\n"));
    const precise = `${header}\n2025-01-31,"1,1234567890123",kWh,electricity,GB\n`;
    expect(await problems(slug, precise, "--locale de-DE")).toEqual([
      'line 2, column "amount": expected 0 to 10^15 with at most 12 decimals, got "1,1234567890123"',
    ]);
    const settled = file.split("\n").slice(0, 2).join("\n");
    const { co2eTonnes } = await run(
      slug,
      `${settled}\n2025-01-31,"12,5",kWh,electricity,GB\n`,
      "--locale de-DE",
    );
    expect(co2eTonnes.total).toBe("0.002434");
  });
});
