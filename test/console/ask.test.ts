import { expect, it } from "vitest";
import { describeInBrowser, findFaults } from "../support/browser.js";
import { button, useConsole } from "../support/console.js";

describeInBrowser("questions in the console", () => {
  const app = useConsole();

  it("are asked by keyboard, and answered with figures, queries and suggested questions", async () => {
    const { page, faults } = await app.enter("/console/", "owner");
    await button(page, "Ask").click();
    const panel = page.getByRole("dialog", { name: "Ask" });
    await panel.getByLabel("Question").fill("total last 12 months");
    await page.keyboard.press("Enter");
    await panel
      .getByText("Emissions from 21 Nov 2025 to 20 Nov 2026: 27,703 tCO2e, from 292 records.")
      .waitFor();
    expect(await panel.getByRole("row", { name: "Total" }).locator("data").textContent()).toBe(
      "27,702.957005",
    );
    await panel.getByText("Queries").click();
    await panel.getByText("query getEmissionsTrend(").waitFor();
    await panel.getByRole("button", { name: "And by facility?" }).click();
    await panel.getByText(/^Emissions from 21 Nov 2025 to 20 Nov 2026 by facility:/).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  it("show markup as text, and are about the page on which they are asked", async () => {
    const { page, faults } = await app.enter("/console/credits", "owner");
    await button(page, "Ask").click();
    const panel = page.getByRole("dialog", { name: "Ask" });
    await panel.getByRole("button", { name: "How many credits are available?" }).click();
    await panel.getByText("Credits, as of today:\nAvailable: 14,000").waitFor();
    await panel.getByLabel("Question").fill("<img src=x onerror=alert(1)> credits");
    await page.keyboard.press("Enter");
    await panel.getByText(/^I can't answer questions about "<img src/).waitFor();
    await expect.poll(() => panel.locator("img").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("are found among past conversations, and deleted", async () => {
    const { page, faults } = await app.enter("/console/compliance", "owner");
    await button(page, "Ask").click();
    const panel = page.getByRole("dialog", { name: "Ask" });
    await panel.getByLabel("Question").fill("What is CBAM?");
    await page.keyboard.press("Enter");
    await panel
      .getByRole("link", { name: "European Commission, Carbon Border Adjustment Mechanism" })
      .waitFor();
    await panel.getByRole("button", { name: "New conversation" }).click();
    await panel.getByRole("button", { name: "Past conversations" }).click();
    await panel.getByRole("button", { name: "What is CBAM?", exact: true }).click();
    await panel.getByText(/^CBAM: the EU's Carbon Border/).waitFor();
    await panel.getByRole("button", { name: "Past conversations" }).click();
    await panel.getByRole("button", { name: "Delete What is CBAM?" }).click();
    await panel.getByText("No conversations yet").waitFor();
    expect(faults).toEqual([]);
  });

  it("can be asked on every page", async () => {
    const { page } = await app.enter("/console/settings/sessions", "owner");
    await button(page, "Ask").click();
    await page.getByRole("button", { name: "What was our footprint over the last 12 months?" }).waitFor();
  });
});
