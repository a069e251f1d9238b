import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { askGraphql, button, confirm, useConsole } from "../support/console.js";

/** A day on which the sample has no records. */
const DAY = "2026-03-10";
const RECORDS = `/console/records?from=${DAY}&to=${DAY}`;

const field = (page: Page, label: string) => page.getByRole("dialog").getByLabel(label, { exact: true });
const search = (page: Page) => page.getByRole("combobox", { name: "Emission factor" });

/** Searches for a factor, and chooses the first one with a text. */
async function chooseFactor(page: Page, words: string, text: string): Promise<void> {
  await search(page).fill(words);
  await page.getByRole("listbox").getByRole("option").filter({ hasText: text }).first().click();
}

/** Fills in a field, and returns the note below it. */
const echoOf = async (page: Page, label: string, text: string) => {
  await field(page, label).fill(text);
  const [id = ""] = ((await field(page, label).getAttribute("aria-describedby")) ?? "").split(" ");
  return (await page.locator(`[id="${id}"]`).innerText()).replaceAll("\u00a0", " ");
};

describeInBrowser("the record form in the console", () => {
  const app = useConsole();
  beforeAll(async () => {
    await loadFactors(app.gateway.database, REFERENCE_FOLDER);
  });

  it("reads German numbers, shows the parsed number, and asks about ambiguous ones", async () => {
    const { page, faults } = await app.enter(RECORDS, "owner", "demo", "de-DE");
    await button(page, "Add record").click();
    await field(page, "Date").fill(DAY);
    await chooseFactor(page, "grid uk generation", "0,13096");
    const echoes = [];
    for (const text of ["1.250", "1250,5", "12000", "1,234.56", "1,250", "12.5", "12 kWh", "-3"]) {
      echoes.push([text, await echoOf(page, "Amount", text)]);
    }
    expect(echoes).toEqual([
      ["1.250", "1.250 kWh"],
      ["1250,5", "1.250,5 kWh"],
      ["12000", "12.000 kWh"],
      ["1,234.56", "1.234,56 kWh"],
      ["1,250", "Did you mean 1,25 kWh or 1.250 kWh?"],
      ["12.5", "Did you mean 12,5 kWh?"],
      ["12 kWh", "Expected a number such as 12.000,5, got 12 kWh."],
      ["-3", "Enter 0 or more, not -3."],
    ]);
    await field(page, "Amount").fill("1,250");
    await confirm(page, "Add");
    await page.getByText("Choose the number you mean.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await button(page, "1.250 kWh").click();
    await page.getByText("0,1637 tCO₂e = 163,7 kg").waitFor();
    await page.getByText("1250 kWh × 0,13096 kg CO2e per kWh = 163,7 kg CO2e").waitFor();
    await confirm(page, "Add");
    await page.getByText(/^0,2 tCO₂e of .* added\./).waitFor();
    const { data } = await askGraphql(
      page,
      `{ emissionRecords(range: { from: "${DAY}", to: "${DAY}" }) { nodes { activity { amountExact } co2eTonnesExact } } }`,
    );
    expect(data.emissionRecords.nodes).toEqual([
      { activity: { amountExact: "1250" }, co2eTonnesExact: "0.1637" },
    ]);

    await page.getByRole("row").getByRole("button", { name: "Edit" }).click();
    await page.getByText("0,1637 tCO₂e = 163,7 kg").waitFor();
    expect(await field(page, "Amount").inputValue()).toBe("1.250");
    expect(faults).toEqual([]);
  });

  it("preselects nothing, keeps the factor in view, and says what the factor fills in", async () => {
    const { page, faults } = await app.enter(RECORDS);
    await button(page, "Add record").click();
    await field(page, "Date").waitFor();
    const labels = await page.getByRole("dialog").locator("label").allInnerTexts();
    expect(labels).toEqual([
      "Date",
      "Facility",
      "How do you know the amount?",
      "Emission factor",
      "Amount",
      "Unit",
      "Scope",
      "Category",
      "Biogenic CO₂",
      "Source",
      "Reference",
      "Note",
    ]);
    expect(await field(page, "Scope").inputValue()).toBe("");
    await field(page, "Date").fill("2025-06-30");
    await search(page).fill("grid uk generation");
    const options = page.getByRole("listbox").getByRole("option");
    await options.first().waitFor();
    await expect.poll(() => options.and(page.locator("[aria-selected=true]")).count()).toBe(0);
    await search(page).press("Enter");
    expect(await search(page).inputValue()).toBe("grid uk generation");
    await search(page).press("Escape");
    await search(page).press("Enter");
    await expect.poll(() => page.getByText("Choose a factor from the list.").count()).toBe(0);

    await search(page).fill("grid uk generation");
    const edition2025 = options.filter({ hasText: "0.177" }).first();
    await edition2025.waitFor();
    do await search(page).press("ArrowDown");
    while ((await edition2025.getAttribute("aria-selected")) !== "true");
    await search(page).press("Enter");
    const inView = (year: number, figure: string) =>
      page.getByText(
        `Grid electricity, UK (generation) · UK · ${year} · UK DESNZ ${year} · ${figure} kg CO2e/kWh`,
      );
    await inView(2025, "0.177").waitFor();
    expect(await field(page, "Unit").inputValue()).toBe("kWh");
    expect(await field(page, "Scope").inputValue()).toBe("SCOPE_2");
    expect(await field(page, "Category").inputValue()).toBe("purchased_electricity");

    await field(page, "Date").fill(DAY);
    await page
      .getByText("This factor has another edition for 2026: UK DESNZ 2026, 0.13096 kg CO2e/kWh.")
      .waitFor();
    await inView(2025, "0.177").waitFor();
    await button(page, "Use this edition").click();
    await inView(2026, "0.13096").waitFor();
    await expect.poll(() => button(page, "Use this edition").count()).toBe(0);

    await field(page, "Unit").fill("MWh");
    await field(page, "Amount").fill("12");
    await chooseFactor(page, "natural gas uk", "0.18296");
    await page.getByText("Scope changes from 2 to 1, unit from MWh to kWh (gross CV)").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await field(page, "Unit").fill("MWh (gross CV)");
    await page.getByText("Scope changes from").waitFor({ state: "detached" });
    await page.getByText("2.19552 tCO₂e = 2,195.52 kg").waitFor();
    expect(faults).toEqual([]);
  });

  it("asks about an amount of 10 times the usual with both figures, and saves it anyway", async () => {
    const { page, faults } = await app.enter("/console/records?from=2026-03-11&to=2026-03-11");
    const days = [1, 2, 3, 4, 5].map(
      (day) => `{ recordedOn: "2026-02-0${day}", scope: SCOPE_1, category: "heat", co2eTonnes: "0.1" }`,
    );
    await askGraphql(page, `mutation { createEmissionRecords(input: [${days}]) { createdCount } }`);
    await button(page, "Add record").click();
    await field(page, "Date").fill("2026-03-11");
    await field(page, "How do you know the amount?").selectOption("I already have tCO₂e");
    await field(page, "Tonnes of CO₂e").fill("1.2");
    await confirm(page, "Add");
    await page.getByText("Choose a scope.").waitFor();
    await field(page, "Scope").selectOption("Scope 1");
    await field(page, "Category").fill("heat");
    await confirm(page, "Add");
    const question = page.getByRole("dialog", { name: "Is this amount right?" });
    await question.getByText("This record has 1.2 tCO₂e, which is 12 times the usual 0.1 tCO₂e").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Nothing was changed.").waitFor();
    await confirm(page, "Add");
    await question.getByRole("button", { name: "Save anyway" }).click();
    await page.getByText("1.2 tCO₂e of 11 Mar 2026 added.").waitFor();

    const row = page.getByRole("row").filter({ hasText: "11 Mar 2026" });
    await row.getByRole("button", { name: "Edit" }).click();
    await field(page, "Tonnes of CO₂e").fill("2.4");
    await confirm(page, "Save");
    await question.getByText("24 times the usual 0.1 tCO₂e").waitFor();
    await question.getByRole("button", { name: "Save anyway" }).click();
    await row.getByText("2.400").waitFor();
    expect(faults).toEqual([]);
  });
});
