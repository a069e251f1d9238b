import { expect, it } from "vitest";
import { describeInBrowser, findFaults } from "../support/browser.js";
import { button, confirm, useConsole } from "../support/console.js";

/** Runs in the browser. */
const readColor = (element: unknown): string =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { color: string } }).getComputedStyle(element)
    .color;

describeInBrowser("the market in the console", () => {
  const app = useConsole();

  it("groups prices by region, and states once how old an outdated price is", async () => {
    const { page, faults } = await app.enter("/console/market");
    const korea = page.getByRole("region", { name: "South Korea" });
    const card = korea.getByRole("region", { name: "Korean allowance unit (KAU), Korea Exchange (KRX)" });
    await card.getByText("Last price 4 years ago, on 15 Jul 2022").waitFor();
    await page.getByText("The index has no value today").waitFor();
    await expect.poll(() => page.getByText("The index has no value today").count()).toBe(1);
    const tax = page.getByRole("region", { name: "Singapore carbon tax, Singapore (statutory)" });
    await tax.getByText("In force until 31 Dec 2027").waitFor();
    const [grey, black] = await Promise.all([card, tax].map((one) => one.evaluate(readColor)));
    expect(grey).not.toBe(black);
    const regions = await page.locator("section > h3").allInnerTexts();
    expect(regions[0]).toBe("Singapore");
    expect(regions.slice(1)).toEqual(regions.slice(1).toSorted((one, other) => one.localeCompare(other)));
    expect(faults).toEqual([]);
  });

  it("draws prices on a time axis", async () => {
    const { page } = await app.enter("/console/market");
    const tax = page.getByRole("region", { name: "Singapore carbon tax, Singapore (statutory)" });
    await tax.getByText("Show data").click();
    const days = tax.getByRole("rowheader");
    expect(await days.allInnerTexts()).toEqual(["1 Jan 2019", "1 Jan 2024", "1 Jan 2026"]);
  });

  it("records a user's own price, which the index and the instrument show immediately", async () => {
    const { page, faults } = await app.enter("/console/market");
    const index = page.getByRole("row").filter({ hasText: "California-Quebec joint auction" });
    await page.getByText("Instruments of the index").click();
    await index.getByText("Price is out of date").waitFor();
    await button(page, "Record price").click();
    const dialog = page.getByRole("dialog");
    const fields = {
      "Credit type": "CCA",
      Exchange: "California-Quebec joint auction",
      Price: "29,5",
      Currency: "usd",
      Source: "Auction report",
      "Link to the source": "https://example.org/auction",
    };
    for (const [label, value] of Object.entries({ ...fields, Date: "2026-11-20" }))
      await dialog.getByLabel(label, { exact: true }).fill(value);
    await confirm(page, "Record");
    await page.getByText("Choose the number you mean.").waitFor();
    expect(await findFaults(page)).toEqual([]);
    await button(page, "29.5 USD").click();
    await confirm(page, "Record");
    await page.getByText("Price of CCA, California-Quebec joint auction, on 20 Nov 2026 recorded.").waitFor();
    await index.getByText("Included from tomorrow").waitFor();
    const card = page.getByRole("region", { name: "(CCA), California-Quebec joint auction" });
    await card.getByText("your own").waitFor();
    await card.getByText("20 Nov 2026").first().waitFor();
    await expect.poll(() => card.getByText("29.50").count()).toBe(1);
    expect(faults).toEqual([]);
  });
});
