import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { askGraphql, button, confirm, link, rowOf, useConsole } from "../support/console.js";

/** Days on which the sample has no records. */
const DAYS = "/console/records?from=2026-03-09&to=2026-03-12";

/** Enters an activity in the open form; `words` finds factors, of which `factor` identifies one. */
async function describeActivity(page: Page, words: string, factor: string, amount: string): Promise<void> {
  await page.getByLabel("Date").fill("2026-03-10");
  await page.getByLabel("Emission factor").fill(words);
  await page.getByRole("listbox").getByRole("option").filter({ hasText: factor }).first().click();
  await page.getByLabel("Amount", { exact: true }).fill(amount);
}

describeInBrowser("an office manager in the console", () => {
  const app = useConsole();
  beforeAll(async () => {
    await loadFactors(app.gateway.database, REFERENCE_FOLDER);
  });

  it("enters gas, electricity and travel, sees each calculation, adds them up, and corrects them", async () => {
    const { page, faults } = await app.enter(DAYS);
    await page.getByText("No matching records from").waitFor();

    await button(page, "Add record").click();
    await button(page, "Add").click();
    await page.getByText("Choose a factor from the list.").waitFor();
    await describeActivity(page, "natural gas uk", "0.18296", "12000");
    await page.getByText("Choose a factor from the list.").waitFor({ state: "detached" });
    await page
      .getByText("12000 kWh (gross CV) × 0.18296 kg CO2e per kWh (gross CV) = 2195.52 kg CO2e")
      .waitFor();
    await page.getByText("2.19552 tCO₂e = 2,195.52 kg").waitFor();
    await page.getByLabel("Unit").fill("litre");
    await page.getByText("Unit: expected a unit that converts to kWh (gross CV), got litre.").waitFor();
    await page.getByLabel("Unit").fill("MWh (gross CV)");
    await page.getByLabel("Amount", { exact: true }).fill("12");
    await page.getByText("2.19552 tCO₂e = 2,195.52 kg").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await button(page, "New facility…").click();
    const facility = page.getByRole("dialog", { name: "Create facility" });
    await facility.getByLabel("Name").fill("Head office");
    await facility.getByLabel("Code").fill("HQ");
    await facility.getByLabel("Country").selectOption("United Kingdom");
    await facility.getByRole("button", { name: "Create" }).click();
    await expect
      .poll(() => page.getByRole("dialog").getByLabel("Facility", { exact: true }).inputValue())
      .toBe("Head office");
    await button(page, "Add").click();
    await page.getByText("2.2 tCO₂e of Head office, 10 Mar 2026 added.").waitFor();

    await button(page, "Add record").click();
    await describeActivity(page, "grid uk generation", "0.177 kg", "4200");
    await page.getByText("0.7434 tCO₂e = 743.4 kg").waitFor();
    await page.getByLabel("Market-based emissions").fill("0.1");
    await page.getByRole("dialog").getByLabel("Facility", { exact: true }).fill("head");
    await page.getByRole("listbox").getByText("Head office").click();
    await button(page, "Add").click();
    await page.getByText("0.7 tCO₂e of Head office, 10 Mar 2026 added.").waitFor();

    await button(page, "Add record").click();
    await describeActivity(page, "flight short-haul economy", "0.12576", "3200");
    await page.getByText("0.402432 tCO₂e").waitFor();
    await button(page, "Add").click();
    await page.getByText("3 records from 9 Mar 2026 to 12 Mar 2026: 3.3 tCO₂e").waitFor();
    await page.getByText("0.4 tCO₂e of 10 Mar 2026 added.").waitFor();

    const travel = page.getByRole("row").filter({ hasText: "0.402" });
    await travel.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Amount", { exact: true }).fill("1600");
    await page.getByText("0.201216 tCO₂e").waitFor();
    const { data } = await askGraphql(
      page,
      `{ emissionRecords(range: { from: "2026-03-10", to: "2026-03-10" }, filter: { scopes: [SCOPE_3] }) { nodes { id } } }`,
    );
    const [{ id }] = data.emissionRecords.nodes as [{ id: string }];
    const change = `mutation { updateEmissionRecord(input: { id: "${id}", note: "by rail" }) {
      emissionRecord { version } } }`;
    expect(await askGraphql(page, change)).toMatchObject({
      data: { updateEmissionRecord: { emissionRecord: { version: 2 } } },
    });
    await confirm(page, "Save");
    await page.getByRole("alert").getByText("Someone else has changed this in the meantime.").waitFor();
    await page.getByRole("region", { name: "Current values" }).getByText("by rail").waitFor();
    expect(await page.getByLabel("Amount", { exact: true }).inputValue()).toBe("1600");
    await confirm(page, "Save");
    await page.getByText("12 Mar 2026: 3.1 tCO₂e").waitFor();
    await page.getByText("0.2 tCO₂e of 10 Mar 2026 saved.").waitFor();

    const corrected = page.getByRole("row").filter({ hasText: "0.201" });
    await corrected.getByRole("link", { name: "10 Mar 2026" }).click();
    await page.getByRole("dialog").getByText("by rail", { exact: true }).waitFor();
    await confirm(page, "Close");
    await corrected.getByRole("button", { name: "Delete" }).click();
    await page.getByLabel("Reason").fill("It was a private journey");
    await confirm(page, "Delete");
    await page.getByText("2 records from 9 Mar 2026 to 12 Mar 2026: 2.9 tCO₂e").waitFor();

    await link(page, "Facilities").click();
    await rowOf(page, "Head office").getByRole("button", { name: "Archive" }).click();
    await confirm(page, "Archive");
    await rowOf(page, "Head office").waitFor({ state: "detached" });
    await page.getByLabel("Show archived facilities").check();
    await rowOf(page, "Head office").getByText("Archived").waitFor();
    expect(faults).toEqual([]);
  });

  it("as a viewer sees no button that writes", async () => {
    const { page } = await app.enter("/console/records", "viewer");
    for (const [path, content] of [
      ["records", "Oct 2026"],
      ["records/facilities", "Active"],
    ] as const) {
      await page.goto(`/console/${path}`);
      await page.getByRole("row").filter({ hasText: content }).first().waitFor();
      const writing = page.getByRole("button", { name: /^(Add|Import|Edit|Delete|Create|Archive|Undo)/ });
      expect([path, await writing.count()]).toEqual([path, 0]);
    }
  });
});
