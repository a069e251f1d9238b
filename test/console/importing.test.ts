import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { button, confirm, link, rowOf, useConsole } from "../support/console.js";
import { germanFile, WRONG_LINES } from "../support/german-file.js";
import { signUp } from "../support/people.js";
import { makeOrganization } from "../support/server.js";

const UNDERSTOOD = "Preview of your file";

const chooseCsv = (page: Page, text: string | Buffer, name = "march.csv") =>
  page
    .getByLabel("CSV file", { exact: true })
    .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

/** Presses a button that has the browser save a file; returns the file's name and text. */
async function download(page: Page, name: string) {
  const [saved] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
  return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), "utf8") };
}

describeInBrowser("importing a file in the console", () => {
  const app = useConsole();
  const enter = async (path = "/console/records/imports") =>
    app.enter(path, "owner", await makeOrganization(app.gateway.database));
  beforeAll(async () => {
    await loadFactors(app.gateway.database, REFERENCE_FOLDER);
  });

  it("leads from a German file with five invalid rows to a chart, and returns the five with reasons", async () => {
    const { page, faults } = await enter();
    await page.getByText("No imports yet.").waitFor();
    await button(page, "Import a file").click();
    await chooseCsv(page, germanFile(), "energie.csv");
    await page.getByText(UNDERSTOOD).waitFor();
    const first = page.getByRole("row").filter({ hasText: "15.01.2025 · Köln · Strom · 1.200,5 · kWh" });
    await first.getByText("15 Jan 2025").waitFor();
    await first.getByText("1,200.5 kWh").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("Country of the new facilities").selectOption("United Kingdom");
    await button(page, "Check").click();
    await page
      .getByText("295 rows can be imported. 5 rows have problems. Nothing has been imported yet.")
      .waitFor();
    const problem = page.getByRole("row", { name: /^Menge 2 a number of 0 or more "k.A.", "12,5,5" 17, 45/ });
    await problem.waitFor();
    await page.getByRole("row", { name: /^Datum 2 a date such as 31.3.2026 .* 98, 222/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);

    const { name, text } = await download(page, "Import 295 rows, and download the 5 others");
    expect(name).toBe("energie-left-out.csv");
    const lines = text.split("\r\n");
    expect(lines[0]).toBe('\uFEFFDatum;Standort;Energieträger;Menge;Einheit;"Reason"');
    expect(lines).toHaveLength(7);
    for (const [index, [column, wrong]] of Object.values(WRONG_LINES).entries()) {
      expect(lines[index + 1]).toMatch(/^[^"]*;(?:Köln|Düsseldorf);(?:Strom|Diesel);[^"]*;"/);
      expect(lines[index + 1]).toContain(`;"${column}: expected `);
      expect(lines[index + 1]).toContain(wrong);
    }
    await page.getByText("295 rows imported.").waitFor();
    await link(page, "View chart").click();
    await page.getByText("295 records").waitFor();
    expect(new URL(page.url()).search).toBe("?from=2025-01-15&to=2025-12-15");
    expect(faults).toEqual([]);

    await link(page, "Records").click();
    await link(page, "Imports").click();
    await button(page, "Import a file").click();
    await chooseCsv(page, text.replace("k.A.", "7,5"), name);
    await page.getByText(UNDERSTOOD).waitFor();
    await button(page, "Check").click();
    await page.getByText("1 row can be imported. 4 rows have problems.").waitFor();
  });

  it("asks about ambiguous dates and numbers, and reads them by the answers", async () => {
    const { page, faults } = await enter();
    await button(page, "Import a file").click();
    await chooseCsv(page, "Date,Scope,CO2e (kg)\n03/04/2026,1,1.234\n05/06/2026,2,2.345\n");
    await page.getByText(UNDERSTOOD).waitFor();
    await button(page, "Check").click();
    await page.getByText("Choose how to read the file.").first().waitFor();
    await page.getByLabel("Which date is 03/04/2026?").selectOption("4 Mar 2026");
    await page.getByRole("row").filter({ hasText: "Dates" }).waitFor({ state: "detached" });
    await page.getByLabel("Which number is 1.234?").selectOption("1,234");
    const first = page.getByRole("row").filter({ hasText: "03/04/2026 · 1 · 1.234" });
    await first.getByText("4 Mar 2026").waitFor();
    await first.getByText("1.234 tCO₂e").waitFor();
    await button(page, "Check").click();
    await page.getByText("2 rows can be imported. Nothing has been imported yet.").waitFor();
    await page.getByText("3.579 tCO₂e").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("maps an unknown column, imports, and undoes", async () => {
    const { page, faults } = await enter("/console/records?from=2026-04-09&to=2026-04-12");
    await button(page, "Import a file").click();
    await chooseCsv(page, "When;Scope;CO2e (t);Meter\n2026-04-10;1;1,5;a\n2026-04-11;2;none;b\n");
    await button(page, "Check").click();
    await page.getByText("Choose a column. Every record needs this field.").waitFor();
    await page.getByLabel("Date", { exact: true }).selectOption({ label: "When: 2026-04-10" });
    await page.getByRole("row").filter({ hasText: "10 Apr 2026" }).waitFor();
    await button(page, "Check").click();
    await page.getByRole("row", { name: /^CO2e \(t\) 1 a number of 0 or more "none" 3/ }).waitFor();

    await chooseCsv(
      page,
      "When;Scope;CO2e (t);Meter\n2026-04-10;1;1,5;a\n2026-04-11;2;2,25;b\n",
      "april.csv",
    );
    await page.getByRole("heading", { name: "Import april.csv" }).waitFor();
    await page.getByLabel("Date", { exact: true }).selectOption({ label: "When: 2026-04-10" });
    await page.getByRole("row").filter({ hasText: "10 Apr 2026" }).waitFor();
    await button(page, "Check").click();
    await button(page, "Import 2 rows").click();
    await page.getByText("2 rows imported.").waitFor();
    await button(page, "Done").click();
    await page.getByText(": 3.8 tCO₂e").waitFor();

    await link(page, "Imports").click();
    await rowOf(page, "april.csv").getByRole("button", { name: "Undo" }).click();
    await confirm(page, "Undo");
    await page.getByText("april.csv undone: 2 records removed, 0 restored").waitFor();
    await button(page, "Undo").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  it("asks about a file in euros, with its figures, and imports it anyway", async () => {
    const { page, faults } = await enter();
    await button(page, "Import a file").click();
    await chooseCsv(page, "Day;Scope;Emissions;Currency\n2026-05-10;1;1200;EUR\n2026-05-11;1;3;\n");
    await button(page, "Check").click();
    await page.getByText('column "Currency" says currency: "EUR". Line 2.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await button(page, "Import 2 rows anyway").click();
    await page.getByText("2 rows imported.").waitFor();
    expect(faults).toEqual([]);
  });

  it("asks for the emission factor of an unknown activity, saves the choice, and can skip its rows", async () => {
    const { page, faults } = await enter();
    await button(page, "Import a file").click();
    await chooseCsv(
      page,
      "Day;Energieart;kWh;Land\n2026-05-10;Strom Werk 2;1200;DE\n2026-05-11;Strom;1000;DE\n",
    );
    await page.getByText(UNDERSTOOD).waitFor();
    await page.getByLabel("Activity amount").selectOption({ label: "kWh: 1200" });
    await page.getByLabel("Activity unit").selectOption("kWh in every row");
    await page.getByRole("row").filter({ hasText: "1,200 kWh" }).waitFor();
    await button(page, "Check").click();
    await button(page, "Import 1 row, and download the other").waitFor();
    await page.getByLabel("Strom Werk 2 (kWh, DE), 1 row").selectOption({ index: 1 });
    await button(page, "Save choices and check").click();
    await page.getByText("2 rows can be imported.").waitFor();
    await button(page, "Import 2 rows").click();
    await page.getByText("2 rows imported.").waitFor();
    expect(faults).toEqual([]);
  });

  it("saves the choice of a factor for a file of which no row can be imported yet", async () => {
    const { page, faults } = await enter();
    await button(page, "Import a file").click();
    await chooseCsv(page, "Day;Energieart;kWh;Land\n2026-05-10;Strom Werk 2;1200;DE\n");
    await page.getByText(UNDERSTOOD).waitFor();
    await page.getByLabel("Activity amount").selectOption({ label: "kWh: 1200" });
    await page.getByLabel("Activity unit").selectOption("kWh in every row");
    await page.getByRole("row").filter({ hasText: "1,200 kWh" }).waitFor();
    await button(page, "Check").click();
    await button(page, "Check again").waitFor();
    await page.getByLabel("Strom Werk 2 (kWh, DE), 1 row").selectOption({ index: 1 });
    await button(page, "Save choices and check").click();
    await button(page, "Import 1 row").waitFor();
    expect(faults).toEqual([]);
  });

  it("offers a viewer no import", async () => {
    await signUp(app.gateway, { organization: "demo" });
    const { page } = await app.enter("/console/records/imports", "viewer");
    await page.getByText("No imports yet.").waitFor();
    const offers = page.getByRole("button", { name: /^(Import|Download)/ });
    await expect.poll(() => offers.count()).toBe(0);
  });

  it("offers a template that it reads without questions", async () => {
    const { page, faults } = await enter();
    const { name, text } = await download(page, "Download a template");
    await button(page, "Import a file").click();
    await chooseCsv(page, text, name);
    await page.getByText(UNDERSTOOD).waitFor();
    await page.getByLabel("Country of the new facilities").selectOption("Germany");
    await button(page, "Check").click();
    await page.getByText("2 rows can be imported. Nothing has been imported yet.").waitFor();
    expect(faults).toEqual([]);
  });
});
