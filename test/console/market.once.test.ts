import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findViolations, NO_BROWSER } from "../support/browser.js";
import { button, confirm, PASSWORD, startConsole, type TestConsole } from "../support/console.js";
import { learnPassword } from "../support/heard.js";

if (NO_BROWSER) console.warn(NO_BROWSER);

describe.skipIf(NO_BROWSER)("the market in the console", () => {
  let app: TestConsole;
  beforeAll(async () => {
    learnPassword(PASSWORD);
    app = await startConsole();
  });
  afterAll(() => app?.stop());

  it("takes a price of one's own, which the index and the instrument show at once", async () => {
    const { page, faults } = await app.enter("/console/market");
    const index = page.getByRole("row").filter({ hasText: "California-Quebec joint auction" });
    await index.getByText("No: stale").waitFor();
    await button(page, "Record a price").click();
    const dialog = page.getByRole("dialog");
    const fields = {
      "Credit type": "CCA",
      Exchange: "California-Quebec joint auction",
      Price: "29,5",
      Currency: "usd",
      Source: "Auction report",
      "Link to the source": "https://example.org/auction",
    };
    for (const [label, value] of Object.entries({ ...fields, Day: "2026-11-20" }))
      await dialog.getByLabel(label, { exact: true }).fill(value);
    await confirm(page, "Record");
    await page.getByText("Choose the number that you mean.").waitFor();
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findViolations(page)).toEqual([]);
    }
    await button(page, "29.5 USD").click();
    await confirm(page, "Record");
    await index.getByText("No: new").waitFor();
    const card = page.getByRole("region", { name: "CCA, California-Quebec joint auction" });
    await card.getByText("your own").waitFor();
    expect(await card.getByText("29.50").count()).toBe(1);
    expect(faults).toEqual([]);
  });
});
