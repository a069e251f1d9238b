import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findFaults } from "../support/browser.js";
import { button, confirm, rowOf, useConsole } from "../support/console.js";

const TITLE = "File the yearly report";

/** Fills in a form's fields by label. */
async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    await page.getByRole("dialog").last().getByLabel(label, { exact: true }).fill(value);
  }
}

describeInBrowser("compliance and credits in the console", () => {
  const app = useConsole();

  it("lets users set a status, and shows the second of two users the current one", async () => {
    const { page, faults } = await app.enter("/console/compliance");
    const other = await app.enter("/console/compliance");
    for (const window of [page, other.page]) await button(window, "Set status").first().click();
    const row = page.getByRole("row").nth(1);
    await page.getByLabel("Status", { exact: true }).selectOption("Action required");
    await fill(page, { Note: "The plan is missing." });
    expect(await findFaults(page)).toEqual([]);
    await confirm(page, "Save");
    await row.getByText("The plan is missing.").waitFor();
    await row.getByText("Action required").waitFor();

    await fill(other.page, { Note: "The plan was sent." });
    await confirm(other.page, "Save");
    const present = other.page.getByRole("region", { name: "Current values" });
    await present.getByText("The plan is missing.").waitFor();
    expect(await findFaults(other.page)).toEqual([]);
    expect(await other.page.getByLabel("Note", { exact: true }).inputValue()).toBe("The plan was sent.");
    await confirm(other.page, "Save");
    await other.page.getByRole("cell", { name: "The plan was sent." }).waitFor();
    expect([faults, other.faults]).toEqual([[], []]);
  });

  it("shows an agenda from today: overdue duties first, with owner and status, separate from news", async () => {
    const { page, faults } = await app.enter("/console/compliance");
    await button(page, "Add deadline").click();
    await confirm(page, "Add");
    await page.getByText("Enter what is due.").waitFor();
    await fill(page, { "What is due": TITLE, "Due date": "2026-03-31", Source: "The act" });
    await page.getByLabel("Framework", { exact: true }).selectOption("BRSR");
    await page.getByLabel("Repeats").selectOption("every year");
    await confirm(page, "Add");
    await page.getByText(`"${TITLE}" added, due on 31 Mar 2026.`).waitFor();
    const overdue = page.getByRole("region", { name: "Overdue" }).getByRole("listitem");
    const item = overdue.filter({ hasText: TITLE });
    await item.getByText("Business Responsibility and Sustainability Report, India (BRSR)").waitFor();
    const groups = page.locator("section:has(> .agenda) > h3");
    expect((await groups.allInnerTexts()).slice(0, 3)).toEqual(["Overdue", "December 2026", "March 2027"]);

    await item.getByRole("button", { name: "Assign" }).click();
    await page.locator("datalist option").first().waitFor({ state: "attached" });
    await fill(page, { Owner: "Asha Rao", "Due date": "2026-04-30" });
    await confirm(page, "Save");
    await item.getByText("Asha Rao").waitFor();
    await item.getByText("30 Apr 2026").waitFor();

    const price = "Publication of the CBAM certificate price for Q4 2026";
    await page.getByRole("region", { name: "News" }).first().getByText(price).waitFor();
    await expect.poll(() => page.locator(".agenda").getByText(price).count()).toBe(0);

    await item.getByRole("button", { name: "Complete" }).click();
    await fill(page, { "Completed on": "2026-04-29", Evidence: "Receipt 17" });
    expect(await findFaults(page)).toEqual([]);
    await confirm(page, "Complete");
    await page.getByText(`"${TITLE}" completed. The next one is due on 30 Apr 2027.`).waitFor();
    await item.waitFor({ state: "detached" });
    await button(page, "View by year").click();
    const completed = page.getByRole("listitem").filter({ hasText: "Completed on 29 Apr 2026: Receipt 17" });
    await completed.getByText(TITLE).waitFor();
    await expect.poll(() => completed.getByRole("button").count()).toBe(0);
    await button(page, "Add deadline").click();
    await fill(page, { "What is due": "Answer the auditor", "Due date": "2026-05-31", Source: "The act" });
    await confirm(page, "Add");
    await overdue.filter({ hasText: "Answer the auditor" }).waitFor();
    expect((await groups.allInnerTexts()).slice(0, 2)).toEqual(["Overdue", "April 2026"]);
    await button(page, "2027 →").click();
    const next = page.getByRole("region", { name: "April 2027" }).getByRole("listitem");
    await next.filter({ hasText: TITLE }).getByText("Asha Rao").waitFor();
    await button(page, "Upcoming").click();
    await page.getByRole("heading", { name: "Agenda", exact: true }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("lets users add a framework's deadlines from the catalogue, each with its source", async () => {
    const { page, faults } = await app.enter("/console/compliance");
    await button(page, "Add from the catalogue").click();
    await page
      .getByLabel("Framework", { exact: true })
      .selectOption("CDP, formerly the Carbon Disclosure Project");
    const entry = page.getByRole("dialog").getByRole("listitem").first();
    await entry.getByText("News, expected").waitFor();
    await entry.getByRole("link").waitFor();
    expect(await findFaults(page)).toEqual([]);
    await confirm(page, "Add");
    await page
      .getByText("CDP, formerly the Carbon Disclosure Project: 0 dates added. You already had 1.")
      .waitFor();
    expect(faults).toEqual([]);
  });

  it("leads from a recorded CCTS period to surrendered certificates", async () => {
    const { page, faults } = await app.enter("/console/credits");
    await button(page, "Issue credits").click();
    await fill(page, { Reference: "CCC-1", Type: "CCC", Vintage: "2025", Quantity: "40000" });
    await confirm(page, "Issue");
    await page.getByText("40,000 credits issued as CCC-1.").waitFor();
    await rowOf(page, "CCC-1").getByText("Carbon credit certificate, India (CCC)").waitFor();

    await page.goto("/console/compliance");
    await button(page, "Record period").click();
    await fill(page, { Entity: "Works", "Financial year": "2025-26", "Target intensity": "13,2" });
    await fill(page, { "Achieved intensity": "13.3111", "Equivalent output": "450000" });
    await fill(page, { "Source of the target": "https://example.org/target" });
    await confirm(page, "Record");
    await page.getByText("Choose the number you mean.").waitFor();
    await fill(page, { "Target intensity": "13.2260" });
    expect(await findFaults(page)).toEqual([]);
    await confirm(page, "Record");
    const row = rowOf(page, "Works, 2025-26");
    await row.getByRole("cell", { name: "38,295", exact: true }).waitFor();

    await row.getByRole("button", { name: "Edit" }).click();
    await fill(page, { "Average price of the cycle": "800" });
    await confirm(page, "Save");
    await row.getByText("61,272,000").waitFor();

    await row.getByRole("button", { name: "Surrender" }).click();
    await fill(page, { Certificates: "38296" });
    await confirm(page, "Surrender …");
    await page
      .getByText("Enter at most 38,295, not 38,296: only 38,295 are still to be surrendered.")
      .waitFor();
    await fill(page, { Certificates: "38000" });
    await confirm(page, "Surrender …");
    const question = page.getByRole("dialog", { name: "Surrender permanently?" });
    await question.getByText("38,000").waitFor();
    await question.getByRole("button", { name: "Surrender" }).click();
    await page.getByText("38,000 certificates surrendered for Works, 2025-26.").waitFor();
    await row.getByRole("cell", { name: "38,000" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("lets users issue, sell and retire credits, after a final confirmation", async () => {
    const { page, faults } = await app.enter("/console/credits");
    await button(page, "Issue credits").click();
    await fill(page, { Reference: "SERIAL-1", Type: "VCS", Quantity: "100" });
    await confirm(page, "Issue");
    const row = rowOf(page, "SERIAL-1");
    const other = await app.enter("/console/credits");
    await rowOf(other.page, "SERIAL-1").getByRole("button", { name: "Retire" }).click();

    await row.getByRole("button", { name: "Sell" }).click();
    await fill(page, { Quantity: "101", Buyer: "A Buyer", Price: "12.5", Currency: "eur" });
    await confirm(page, "Sell");
    await page.getByText("Enter at most 100, not 101: only 100 are available.").waitFor();
    await fill(page, { Quantity: "60" });
    expect(await findFaults(page)).toEqual([]);
    await confirm(page, "Sell");
    await page.getByText("60 credits of SERIAL-1 sold.").waitFor();
    await row.getByRole("cell", { name: "40", exact: true }).waitFor();

    const question = other.page.getByRole("dialog", { name: "Retire permanently?" });
    const retire = async (quantity: string) => {
      await fill(other.page, { Quantity: quantity });
      await confirm(other.page, "Retire …");
      await question.getByText(`${quantity} credits of SERIAL-1 will be retired for The Museum.`).waitFor();
      await question.getByRole("button", { name: "Retire" }).click();
    };
    await fill(other.page, { Beneficiary: "The Museum" });
    await retire("50");
    await other.page.getByText("Too few credits: 40 of the batch SERIAL-1 are available, got 50.").waitFor();
    expect(await findFaults(other.page)).toEqual([]);
    await retire("30");
    await other.page.getByText("30 credits of SERIAL-1 retired.").waitFor();
    const retired = rowOf(other.page, "SERIAL-1");
    await retired.getByRole("cell", { name: "10", exact: true }).waitFor();
    await retired.getByText("2 transactions").click();
    await retired.getByText("30 retired on").getByText("The Museum").waitFor();
    await retired.getByText("60 sold on").getByText("A Buyer").waitFor();
    expect(await findFaults(other.page)).toEqual([]);
    expect([faults, other.faults]).toEqual([[], []]);
  });

  it("shows viewers all data, and no way to change it", async () => {
    const { page } = await app.enter("/console/compliance", "viewer");
    for (const path of ["compliance", "credits"]) {
      await page.goto(`/console/${path}`);
      await page.getByRole("table").first().waitFor();
      const names = await page.getByRole("main").getByRole("button").allInnerTexts();
      expect(names.filter((name) => !/View by year|CSV|page|explorer|Dismiss/.test(name))).toEqual([]);
    }
  });
});
