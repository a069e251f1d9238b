import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { addFacility } from "../support/fixtures.js";
import { importCsv, importProblems, saveCsv } from "../support/importing.js";
import { makeFolder } from "../support/process.js";
import { type Gateway, makeOrganization, startGateway } from "../support/server.js";

let gateway: Gateway;
const folder = makeFolder();
beforeAll(async () => {
  gateway = await startGateway();
  await loadFactors(gateway.database, REFERENCE_FOLDER);
});
afterAll(async () => {
  folder.remove();
  await gateway.stop();
});

/** An organization with plants in Great Britain, Germany and India. */
async function makePlants(): Promise<string> {
  const slug = await makeOrganization(gateway.database);
  for (const country of ["GB", "DE", "IN"])
    await addFacility(gateway.database, slug, { code: country, country });
  return slug;
}
const save = (text: string) => saveCsv(folder.path, text);
const run = async (slug: string, text: string, args: string[] = []) =>
  importCsv(gateway.database, await save(text), slug, args);

describe("an import of activities", () => {
  it("calculates each row by the factor of its name, its facility's country and its year", async () => {
    const slug = await makePlants();
    const file = `recorded_on,amount,unit,activity,facility,reference
2025-01-31,12000,kWh,electricity,GB,a
2025-02-28,50000,kWh (gross CV),gas,GB,b
2025-03-31,1250.5,litre,diesel,GB,c
2025-04-30,8.5,MWh,electricity,IN,d
2025-05-31,320,passenger.km,taxi,GB,e
`;
    const summary = await run(slug, file, ["--dry-run"]);
    console.log(JSON.stringify(summary.activities, null, 1));
    expect(summary.co2eTonnes).toEqual({ total: "20.583815" });
  });
});
