import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findViolations, NO_BROWSER } from "../support/browser.js";
import {
  button,
  confirm,
  link,
  PASSWORD,
  rowOf,
  startConsole,
  type TestConsole,
} from "../support/console.js";
import { learnPassword } from "../support/heard.js";

if (NO_BROWSER) console.warn(NO_BROWSER);

describe.skipIf(NO_BROWSER)("CBAM in the console", () => {
  let app: TestConsole;
  beforeAll(async () => {
    learnPassword(PASSWORD);
    app = await startConsole();
  });
  afterAll(() => app?.stop());

  it("estimates imports by a form that asks for a route where nothing decides on it", async () => {
    const { page, faults } = await app.enter("/console/");
    await link(page, "CBAM").click();
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await field("Year of import").selectOption("2026");
    await field("Quarter of import").selectOption("Q3");
    await field("CN code").fill("7208 36 00");
    await field("Country of origin").selectOption("ZZ");
    await field("Net mass").fill("100 t");
    await button(page, "Estimate").click();
    await page.getByText("Expected a number such as 12,000.5, got 100 t.").waitFor();
    await field("Net mass").fill("100");
    expect(await field("Production route").isVisible()).toBe(false);
    await button(page, "Estimate").click();
    await page.getByText("Production route must be C (carbon steel BF/BOF)").waitFor();
    await field("Production route").fill("d");
    await button(page, "Estimate").click();
    await page.getByText("32,803.94", { exact: true }).first().waitFor();

    await field("Country of origin").selectOption("IN");
    await field("Production route").fill("");
    await button(page, "Estimate").click();
    const estimate = page.getByRole("region", { name: "Certificates for 2026" });
    await estimate.getByText("27,760.36", { exact: true }).first().waitFor();
    await estimate.getByText("338 whole certificates").waitFor();
    const path = page.getByRole("figure", { name: "Cost of CBAM certificates by year" });
    await path.getByText("Show data").click();
    await path.getByRole("row", { name: "2034 45,802.85" }).waitFor();
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    }
    expect(faults).toEqual([]);
  });

  it("keeps a declaration, whose totals follow from its imports, and submits it once its year is over", async () => {
    const { page, faults } = await app.enter("/console/cbam/declarations");
    await page.getByText("There are no declarations yet.").waitFor();
    await button(page, "Begin declaration").click();
    await page.getByLabel("Year of the imports").selectOption("2026");
    await confirm(page, "Begin");
    await page.getByText("Nothing was imported yet.").waitFor();

    await button(page, "Add import").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Quarter of import").selectOption("Q3");
    await dialog.getByLabel("CN code", { exact: true }).fill("72083600");
    await dialog.getByLabel("Country of origin").selectOption("IN");
    await dialog.getByLabel("Net mass").fill("100");
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Add");
    await rowOf(page, "72083600").waitFor();
    await page.getByText("27,760.36 EUR").waitFor();
    await page.getByText("2027-09-30").waitFor();

    await page.getByText("It can be submitted from 2027-01-01 on.").waitFor();
    expect(await button(page, "Submit").count()).toBe(0);

    const february = new Date("2027-02-01T12:00:00Z");
    app.gateway.setNow(february);
    const later = await app.enter("/console/cbam/declarations");
    await later.page.clock.setFixedTime(february);
    await link(later.page, "2026").click();
    await button(later.page, "Submit").click();
    await confirm(later.page, "Submit");
    await later.page.getByText("Submitted", { exact: true }).waitFor();
    expect(await button(later.page, "Add import").count()).toBe(0);
    await button(later.page, "Amend").click();
    await confirm(later.page, "Amend");
    await later.page.getByText("Amended", { exact: true }).waitFor();
    await rowOf(later.page, "72083600").getByRole("button", { name: "Remove" }).click();
    await confirm(later.page, "Remove");
    await later.page.getByText("Nothing was imported yet.").waitFor();

    const viewer = await app.enter("/console/cbam/declarations", "viewer");
    await link(viewer.page, "2026").click();
    await viewer.page.getByRole("heading", { name: "Declaration of 2026" }).waitFor();
    expect(await button(viewer.page, "Add import").count()).toBe(0);
    expect([faults, later.faults, viewer.faults]).toEqual([[], [], []]);
  });
});
