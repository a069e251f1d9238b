import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { listCatalogue } from "../../src/actions/compliance/adopt.js";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { describeInBrowser, findFaults } from "../support/browser.js";
import { button, link, useConsole } from "../support/console.js";
import { addDeadline, addFacility, addPrice, addRecord } from "../support/fixtures.js";
import { signUp } from "../support/people.js";
import { makeOrganization, NOW } from "../support/server.js";

describeInBrowser("the Overview", () => {
  const app = useConsole();
  beforeAll(async () => {
    await loadFactors(app.gateway.database, REFERENCE_FOLDER);
  });

  /** Creates an organization with monthly electricity from November 2024 to October 2026, and coal in 2025. */
  async function makeEmitter(): Promise<string> {
    const { database } = app.gateway;
    const organization = await makeOrganization(database);
    const facility = await addFacility(database, organization, { code: "PUNE", name: "Pune mill" });
    const electricity = { facility, scope: "scope_2", category: "purchased_electricity" } as const;
    for (let month = 0; month < 24; month += 1) {
      const recordedOn = new Date(Date.UTC(2024, 10 + month, 10)).toISOString().slice(0, 10);
      await addRecord(database, organization, {
        recordedOn,
        co2eTonnes: recordedOn < "2026" ? 100 : 75,
        ...electricity,
      });
      if (recordedOn.startsWith("2025"))
        await addRecord(database, organization, { recordedOn, co2eTonnes: 10, category: "coal" });
    }
    return organization;
  }

  /** Opens a page of the console with the tests' date. */
  async function open(path: string, organization: string, role: "owner" | "viewer" = "owner") {
    if (role === "viewer") await signUp(app.gateway, { organization });
    const entered = await app.enter("/console/settings", role, organization);
    await entered.page.clock.setFixedTime(NOW);
    await entered.page.goto(path);
    return entered;
  }

  async function expectAccessible(page: Page) {
    expect(await findFaults(page)).toEqual([]);
  }

  it("compares an unfinished year with the same days a year earlier, and says what changed", async () => {
    const { page, faults } = await open("/console/", await makeEmitter());
    await link(page, "This year").click();
    const total = page.locator("section", { hasText: "Total emissions" });
    // 750 t in 10 months, after 1,100 t in the same 10 months.
    await total.getByText("−31.8 %").waitFor();
    await total.getByText("1 Jan 2026 – 31 Oct 2026 vs. 1 Jan 2025 – 31 Oct 2025").waitFor();
    expect(new URL(page.url()).search).toBe("?from=2026-01-01&to=2026-12-31");
    const changed = page.getByRole("region", { name: "What changed" }).first();
    const rows = changed.getByRole("row");
    const cells = await rows.nth(1).getByRole("cell").allTextContents();
    expect(cells).toEqual(["Purchased electricity", "1,000 t", "750 t", "−250 t", "−25 %"]);
    expect(await rows.nth(2).getByRole("cell").allTextContents()).toEqual([
      "Coal",
      "100 t",
      "0 t",
      "−100 t",
      "None now",
    ]);
    await expectAccessible(page);
    await changed.getByRole("link", { name: "Pune mill" }).click();
    await page.getByText("10 records").waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      from: "2026-01-01",
      to: "2026-10-31",
      facility: "PUNE",
      category: "purchased_electricity",
    });
    expect(faults).toEqual([]);
  });

  it("names the unfinished month, and links each bar and number to its records", async () => {
    const { page } = await open("/console/?from=2026-10-01&to=2026-11-30", await makeEmitter());
    const figure = page.getByRole("figure", { name: "Emissions by month and scope" });
    await figure.getByText("Show data").click();
    await figure.getByRole("link", { name: "Nov 2026 so far" }).waitFor();
    await page.goto("/console/?from=2026-10-05&to=2026-10-20");
    await figure.getByText("Show data").click();
    await figure.getByRole("link", { name: "5 Oct 2026 – 20 Oct 2026" }).waitFor();
    await page.goBack();
    await figure.getByText("Show data").click();
    const number = figure.getByRole("row", { name: "Oct 2026" }).getByRole("link", { name: "75" });
    const address = "/console/records?from=2026-10-01&to=2026-10-31&scope=SCOPE_2";
    expect(await number.getAttribute("href")).toBe(address);
    // October's bar is in the middle of the left half of the chart, right of the axis.
    const canvas = figure.locator("canvas");
    const { width = 0, height = 0 } = (await canvas.boundingBox()) ?? {};
    const axis = 55;
    await canvas.click({ position: { x: axis + (width - axis) / 4, y: height / 2 } });
    await page.getByRole("heading", { name: "Records" }).waitFor();
    expect(page.url().endsWith(address)).toBe(true);
  });

  it("offers financial years by their first month, in an address that can be shared", async () => {
    const { page } = await open("/console/", await makeEmitter());
    await page.getByText("Other dates, financial year").click();
    await page.getByLabel("Financial year starts in").selectOption("April");
    await page.getByText("1 Apr 2026 – 31 Mar 2027").waitFor();
    expect(new URL(page.url()).search).toBe("?fy=04&from=2026-04-01&to=2027-03-31");
    await link(page, "Last financial year").click();
    await page.getByText("1 Apr 2025 – 31 Mar 2026").first().waitFor();
    expect(await link(page, "Last financial year").getAttribute("aria-current")).toBe("true");
  });

  it("shows prices and credits only to an organization that has them", async () => {
    const organization = await makeEmitter();
    const { page } = await open("/console/", organization);
    await page.getByRole("heading", { name: "Forecast" }).waitFor();
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("heading", { name: "Your latest prices" }).count()).toBe(0);
    await expect.poll(() => page.getByRole("figure", { name: "Available credits" }).count()).toBe(0);
    await addPrice(app.gateway.database, organization, { asOf: "2026-11-19" });
    await page.reload();
    await page.getByRole("heading", { name: "Your latest prices" }).waitFor();
  });

  it("shows the next pending duty after 20 completed ones, ignoring the case of its status", async () => {
    const organization = await makeEmitter();
    const { database } = app.gateway;
    for (let day = 1; day <= 20; day += 1)
      await addDeadline(database, organization, {
        dueDate: `2026-12-${String(day).padStart(2, "0")}`,
        status: "completed",
      });
    await addDeadline(database, organization, {
      title: "File the yearly report",
      dueDate: "2026-12-31",
      status: "Pending",
    });
    const { page } = await open("/console/", organization);
    const tile = page.locator("section", { hasText: "Next deadline" });
    await tile.getByText("File the yearly report").waitFor();
    await tile.getByText("31 Dec 2026").waitFor();
  });

  it("shows an overdue duty before upcoming ones, and neither behind 100 events", async () => {
    const organization = await makeEmitter();
    const { database } = app.gateway;
    const [event] = (await listCatalogue("SBTi")).filter((entry) => !entry.is_duty);
    const { title = "" } = event ?? {};
    for (let day = 0; day < 101; day += 1)
      await addDeadline(database, organization, {
        framework: "SBTi",
        title,
        dueDate: new Date(Date.UTC(2026, 10, 25 + day)).toISOString().slice(0, 10),
      });
    await addDeadline(database, organization, { title: "File the yearly report", dueDate: "2027-12-31" });
    const { page } = await open("/console/", organization);
    const tile = page.locator("section", { hasText: "Next deadline" });
    await tile.getByText("File the yearly report").waitFor();
    await addDeadline(database, organization, { title: "Surrender certificates", dueDate: "2026-11-01" });
    await addDeadline(database, organization, { title: "Pay the levy", dueDate: "2026-11-02" });
    await page.reload();
    await tile.getByText("Surrender certificates").waitFor();
    await tile.getByText("2 overdue").waitFor();
  });

  it("leads an empty organization through its first steps, and ticks off finished ones", async () => {
    const organization = await makeOrganization(app.gateway.database);
    const { page, faults } = await open("/console/", organization);
    await page.getByText("0 of 5 done").waitFor();
    await expectAccessible(page);
    for (const way of [
      "Add a record",
      "Import a file",
      "Choose a framework",
      "Create an API key",
      "Add a facility",
    ]) {
      await button(page, way).click();
      await page.getByRole("dialog").waitFor();
      expect([way, new URL(page.url()).search]).toEqual([way, ""]);
      if (way === "Add a facility") break;
      await page.keyboard.press("Escape");
      await link(page, "Overview").click();
    }
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Pune mill");
    await dialog.getByLabel("Code").fill("PUNE");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.waitFor({ state: "detached" });
    await link(page, "Overview").click();
    await page.getByText("1 of 5 done").waitFor();
    await expect
      .poll(() => page.getByRole("row", { name: "Add a facility" }).getByText("Done").count())
      .toBe(1);
    expect(faults).toEqual([]);
  });

  it("loads sample data with one button, says that it is invented, and removes it with another", async () => {
    const organization = await makeOrganization(app.gateway.database);
    const { page, faults } = await open("/console/", organization);
    await button(page, "Load sample data").click();
    await page.getByText("These figures include made-up sample data.").waitFor();
    await page.getByRole("figure", { name: "Emissions by month" }).waitFor();
    await expectAccessible(page);
    await button(page, "Remove sample data").click();
    await page.getByText("0 of 5 done").waitFor();
    await page.getByText("Sample data removed.").waitFor();
    expect(
      await app.gateway.database.prisma.emissionRecord.count({
        where: { organization: { slug: organization }, deletedAt: null },
      }),
    ).toBe(0);
    expect(faults).toEqual([]);
  });

  it("asks a viewer for nothing that they may not do", async () => {
    const organization = await makeOrganization(app.gateway.database);
    const { page } = await open("/console/", organization, "viewer");
    await page.getByText("has no records yet. Ask a colleague").waitFor();
    await expect.poll(() => button(page, "Load sample data").count()).toBe(0);
    await expect.poll(() => button(page, "Add a record").count()).toBe(0);
  });
});
