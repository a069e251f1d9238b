import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { undoImport } from "../../src/actions/imports/undo-import.js";
import { verifyEmissionDays } from "../../src/data/emissions/verify-days.js";
import { guessHeader } from "../../src/domain/emissions/header-words.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { importCsv, importProblems, saveCsv } from "../support/importing.js";
import { signUp, type TestPerson } from "../support/people.js";
import { makeOrganization, NOW } from "../support/server.js";
import { useFolder, useGateway } from "../support/use.js";

const folder = useFolder();
const gateway = useGateway();
beforeAll(async () => {
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});
afterAll(async () => {
  expect(await verifyEmissionDays(gateway.database)).toEqual([]);
});

async function run(slug: string, text: string, args = "") {
  const summary = await importCsv(gateway.database, await saveCsv(folder, text), slug, args);
  const { id, added, updated, unchanged } = summary;
  return { id: id ?? "", counts: [added, updated, unchanged] };
}
const dryRun = async (slug: string, text: string) => (await run(slug, text, "--dry-run")).counts;
const problems = async (slug: string, text: string, args = "") =>
  importProblems(gateway.database, await saveCsv(folder, text), slug, args);

/** Returns energy and biogenic CO2 of an organization's records, by reference or, without one, by category. */
async function energies(slug: string) {
  const rows = await gateway.database.prisma.emissionRecord.findMany({
    where: { organization: { slug } },
    orderBy: [{ reference: "asc" }, { category: "asc" }],
  });
  return Object.fromEntries(
    rows.map(({ reference, category, energyKwh, biogenicCo2Tonnes }) => [
      reference ?? category,
      [energyKwh?.toString() ?? null, biogenicCo2Tonnes?.toString() ?? null],
    ]),
  );
}

describe("the energy and the biogenic CO2 of imported records", () => {
  it("come from their own columns; without these, an import keeps them, and an undo restores them", async () => {
    const slug = await makeOrganization(gateway.database);
    const plain =
      "recorded_on,scope,co2e_tonnes,category,reference\n2025-01-31,1,5,wood,\n2025-01-31,1,6,coal,r";
    const full = `recorded_on,scope,co2e_tonnes,category,reference,energy_kwh,biogenic_co2_tonnes
2025-01-31,1,5,wood,,1200.5,0.25
2025-01-31,1,6,coal,r,300,`;
    expect((await run(slug, plain)).counts).toEqual([2, 0, 0]);
    expect(await energies(slug)).toEqual({ r: [null, null], wood: [null, null] });
    expect(await dryRun(slug, full)).toEqual([0, 2, 0]);
    const { id, counts } = await run(slug, full);
    expect(counts).toEqual([0, 2, 0]);
    const stated = { r: ["300", null], wood: ["1200.5", "0.25"] };
    expect(await energies(slug)).toEqual(stated);
    for (const again of [full, plain]) expect((await run(slug, again)).counts).toEqual([0, 0, 2]);
    expect((await run(slug, plain.replace("6,coal", "7,coal"))).counts).toEqual([0, 1, 1]);
    expect(await energies(slug)).toEqual(stated);
    expect((await run(slug, full.replace("6,coal,r,300", "7,coal,r,"))).counts).toEqual([0, 1, 1]);
    expect(await energies(slug)).toEqual({ ...stated, r: [null, null] });
    await undoImport(gateway.database, id, NOW);
    expect(await energies(slug)).toMatchObject({ wood: [null, null] });
  });

  it("follow from activities in a unit of energy, which no other value may contradict", async () => {
    const slug = await makeOrganization(gateway.database);
    const bills = `recorded_on,amount,unit,activity,region,reference,energy_kwh
2025-01-31,12000,kWh,electricity,GB,a,
2025-02-28,1.5,MWh,electricity,GB,b,1500
2025-03-31,100,litres,diesel,GB,c,1058.5`;
    const derived = { a: ["12000", null], b: ["1500", null], c: ["1058.5", null] };
    expect((await run(slug, bills)).counts).toEqual([3, 0, 0]);
    expect(await energies(slug)).toEqual(derived);
    const without = bills.replaceAll(/,[^,\n]*$/gm, "");
    expect((await run(slug, without)).counts).toEqual([0, 0, 3]);
    expect(
      (await run(slug, without.replace("12000", "12500").replace("diesel,GB,c", "diesel,GB,c"))).counts,
    ).toEqual([0, 1, 2]);
    expect((await run(slug, without.replace("100,litres", "200,litres"))).counts).toEqual([0, 2, 1]);
    expect(await energies(slug)).toEqual({ ...derived, c: [null, null] });
    expect(await problems(slug, bills.replace(",b,1500", ",b,1501"))).toEqual([
      expect.stringContaining("expected 1500 as calculated from the activity, or nothing"),
    ]);
    const tonnes = "recorded_on,scope,co2e_tonnes,reference,energy_kwh\n2025-03-31,1,5,c,";
    expect(await problems(slug, `${tonnes}-1`)).toHaveLength(1);
    expect(await problems(slug, `${tonnes}1000000000000001`)).toEqual([
      expect.stringContaining("expected 0 to 10^15 kWh with at most 6 decimals"),
    ]);
    const energy = 'column "energy_kwh": expected at most 6 decimals (or --round), got';
    expect(await problems(slug, `${tonnes}1.1234567`)).toEqual([`line 2, ${energy} "1.1234567"`]);
    const german = tonnes.replace("5,c,", '"5,1234567",c,"1,1234567"');
    expect(await problems(slug, german, "--locale de-DE")).toEqual([
      'line 2, column "co2e_tonnes": expected at most 6 decimals (or --round), got "5,1234567"',
      `line 2, ${energy} "1,1234567"`,
    ]);
    // An amount that replaces an activity does not keep the activity's energy.
    expect((await run(slug, "recorded_on,scope,co2e_tonnes,reference\n2025-01-31,2,5,a")).counts).toEqual([
      0, 1, 0,
    ]);
    expect((await run(slug, `${tonnes}77`)).counts).toEqual([0, 1, 0]);
    expect(await energies(slug)).toEqual({ ...derived, a: [null, null], c: ["77", null] });
  });

  it("survive a full export into another organization", async () => {
    const [one, other] = [await signUp(gateway), await signUp(gateway)];
    const text = `recorded_on;scope;co2e_tonnes;category;Energy kWh;Biogenic CO2 (t)
2025-01-31;1;5;wood;"1.200,5";0,25`;
    const map = "--map 'energy_kwh=Energy kWh' --map 'biogenic_co2_tonnes=Biogenic CO2 (t)'";
    await run(one.organization.slug, text, `${map} --locale de-DE --delimiter ;`);
    const session = (person: TestPerson) => ({
      headers: { Authorization: `Bearer ${person.session.token}` },
    });
    const answer = await fetch(`${gateway.url}/v1/emissions/records/export?columns=full`, session(one));
    expect((await run(other.organization.slug, await answer.text())).counts).toEqual([1, 0, 0]);
    expect(await energies(other.organization.slug)).toEqual({ wood: ["1200.5", "0.25"] });
  });

  it("are found by words in the header, separately from emissions and amounts", () => {
    const header = ["Datum", "Biogenes CO2 (t)", "Energie (kWh)", "CO2e (t)", "Energy_kWh"];
    expect(Object.fromEntries(guessHeader(header))).toMatchObject({
      biogenic_co2_tonnes: 1,
      co2e_tonnes: 3,
      energy_kwh: 4,
      activity: 2,
    });
  });
});
