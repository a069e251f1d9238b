import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page, Request } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import type { EmissionScope } from "../../src/domain/enums.js";
import { describeInBrowser, findFaults, findViolations } from "../support/browser.js";
import { button, confirm, type Entered, link, rowOf, useConsole } from "../support/console.js";
import { addFactor } from "../support/fixtures.js";
import { makeInventory, put } from "../support/inventories.js";
import { signUp } from "../support/people.js";
import { makeOrganization } from "../support/server.js";

/** Streams of 2025: scope, category, tonnes, and the factor's category if it suggests a line. */
const STREAMS: readonly [EmissionScope, string, string, string?][] = [
  ["scope_1", "Gas", "2.19552", "stationary_combustion"],
  ["scope_1", "Diesel", "3.21481", "mobile_combustion"],
  ["scope_1", "Backup generators", "0.5", "stationary_combustion"],
  ["scope_1", "Refrigerants", "1.4", "fugitive_refrigerants"],
  ["scope_2", "Electricity", "74.34", "purchased_electricity"],
  ["scope_2", "District heating", "12", "purchased_heat_steam"],
  ["scope_3", "Steel", "400", "purchased_goods"],
  ["scope_3", "Grid losses", "7.1", "electricity_t_and_d"],
  ["scope_3", "Flights", "31.5", "business_travel"],
  ["scope_3", "Landfill", "3.25"],
  ["scope_3", "Couriers", "8"],
  ["scope_3", "Office laptops", "14.7"],
];

const field = (page: Page, label: string) => page.getByRole("dialog").getByLabel(label, { exact: true });
/** Holds back the answers to a query of the console until they are released. */
async function holdReads(page: Page, name: string) {
  const isRead = (request: Request) => request.postData()?.includes(`query ${name} `) ?? false;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/graphql", async (route) => {
    if (isRead(route.request())) await released;
    await route.continue();
  });
  return { started: page.waitForRequest(isRead), release };
}
const tile = (page: Page, title: string) =>
  page.locator("section.tile", { hasText: title }).locator(".total");

describeInBrowser("the inventory in the console", () => {
  const app = useConsole();
  let ada: Entered;
  let viewer: Entered;
  beforeAll(async () => {
    const { database } = app.gateway;
    const organization = await makeOrganization(database);
    const system = await signUp(app.gateway, { organization });
    await system.call("/v1/facilities", { json: { code: "LON", name: "London", country: "GB" } });
    const records = await Promise.all(
      STREAMS.map(async ([scope, category, tonnes, suggested]) => ({
        recorded_on: "2025-06-01",
        facility: "LON",
        scope,
        category,
        ...(category === "Electricity" && { energy_kwh: "420000" }),
        ...(suggested === undefined
          ? { co2e_tonnes: tonnes }
          : {
              activity: {
                amount: Number(tonnes) * 1_000,
                unit: "kg",
                factor_id: (
                  await addFactor(database, organization, {
                    scope,
                    category: suggested,
                    factor: "1",
                    activity: category,
                  })
                ).id,
              },
            }),
      })),
    );
    const { status, body } = await system.call("/v1/emissions/records", { json: { records } });
    expect([status, body.error]).toEqual([201, null]);
    ada = await app.enter("/console/inventory?year=2025", "owner", organization);
    viewer = await app.enter("/console/inventory?year=2025", "viewer", organization);
  });

  it("starts with the reporting policy, which only an admin or owner can set", async () => {
    const { page } = ada;
    await viewer.page
      .getByText("No reporting policy yet. Ask an admin of your organization to set one.")
      .waitFor();
    await button(page, "Set your reporting policy").click();
    await field(page, "Consolidation approach").selectOption("OPERATIONAL_CONTROL");
    await page.getByLabel("Scope 1").uncheck();
    await page.getByLabel("Scope 3").check();
    await field(page, "Applies from").fill("2020");
    await field(page, "Base year").fill("2025");
    await field(page, "Recalculation threshold").fill("5");
    await field(page, "Reason for the base year").fill("First year with records of all sites");
    await confirm(page, "Save policy");
    await page.getByText("Choose scopes 1 and 2. Every inventory includes them.").waitFor();
    await page.getByLabel("Scope 1").check();
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Save policy");
    await page.getByText("Operational control · Scope 1, Scope 2, Scope 3 · from 2020").waitFor();
    await link(page, "Map 12 streams to lines").waitFor();
  });

  it("maps twelve streams in one form, nine by accepting the suggestions of their factors", async () => {
    const { page } = ada;
    await link(page, "Map 12 streams to lines").click();
    await page.getByText("12 of 12 streams on this page are not mapped.").waitFor();
    expect(await findFaults(page)).toEqual([]);
    await button(page, "Accept 9 suggestions").click();
    await page.getByText("3 of 12 streams on this page are not mapped.").waitFor();
    await page.getByLabel("Line of Landfill").selectOption("WASTE");
    await page.getByLabel("Line of Couriers").selectOption("UPSTREAM_TRANSPORT");
    await page.getByLabel("Line of Office laptops").selectOption("CAPITAL_GOODS");
    await page.getByLabel("Method of Steel").selectOption("SPEND_BASED");
    await page.getByLabel("Activity uncertainty of Steel").fill("12");
    await page.getByLabel("Factor uncertainty of Steel").fill("sixteen");
    await button(page, "Save changes").click();
    await page.getByText("Expected a number").waitFor();
    await page.getByLabel("Factor uncertainty of Steel").fill("16");
    await button(page, "Save changes").click();
    await page.getByText("4 streams saved.").waitFor();
    await page.getByText("All streams on this page are mapped.").waitFor();
    await page.reload();
    expect(await page.getByLabel("Line of Couriers").inputValue()).toBe("UPSTREAM_TRANSPORT");
    expect(await page.getByLabel("Factor uncertainty of Steel").inputValue()).toBe("16");
  });

  it("removes a mapping with its method and its note", async () => {
    const { page } = ada;
    await page.getByLabel("Method of Landfill").selectOption("SPEND_BASED");
    await button(page, "Save changes").click();
    await page.getByText("1 stream saved.").waitFor();
    await rowOf(page, "Landfill").getByRole("button", { name: "Note" }).click();
    await field(page, "Note on the method").fill("From the invoices");
    await confirm(page, "Save");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByLabel("Line of Landfill").selectOption("Not mapped");
    await button(page, "Save changes").click();
    await page.getByText("1 of 12 streams on this page are not mapped.").waitFor();
    expect(await page.getByLabel("Method of Landfill").inputValue()).toBe("");
    await page.getByLabel("Line of Landfill").selectOption("WASTE");
    await button(page, "Save changes").click();
    await page.getByText("All streams on this page are mapped.").waitFor();
  });

  it("claims a certificate, and shows both totals", async () => {
    const { page } = ada;
    await link(page, "Electricity").click();
    await button(page, "Add instrument").click();
    for (const [label, value] of Object.entries({
      Reference: "GO-1",
      Market: "GB",
      Energy: "300",
      "Emission rate": "0",
      "Generated from": "2025-01-01",
      "Generated until": "2025-12-31",
      Registry: "REGO",
      "Certificate number": "R-1",
    }))
      await field(page, label).fill(value);
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Add");
    await button(page, "Claim").click();
    await field(page, "Facility").fill("Lon");
    await page.getByRole("option", { name: "London" }).click();
    await field(page, "Year").fill("2025");
    await field(page, "Energy").fill("301");
    await field(page, "Cancellation number").fill("C-1");
    await confirm(page, "Claim");
    await page
      .getByText("Enter the day the certificate was cancelled. It counts only once it is cancelled.")
      .waitFor();
    await field(page, "Cancelled on").fill("2026-01-10");
    await confirm(page, "Claim");
    await page.getByText("300 MWh of the instrument GO-1 are left, got 301.").waitFor();
    await field(page, "Energy").fill("300");
    await confirm(page, "Claim");
    await rowOf(page, "GO-1").getByText("0", { exact: true }).last().waitFor();
    await button(page, "Claims").click();
    await page.getByRole("dialog").getByText("C-1").waitFor();
    await confirm(page, "Close");

    await link(page, "Inventory").click();
    await expect.poll(() => tile(page, "Location-based total").innerText()).toBe("558.2 tCO₂e");
    // 74.34 t shrink to two sevenths, because 120,000 of 420,000 kWh are not covered.
    await expect.poll(() => tile(page, "Market-based total").innerText()).toBe("505.1 tCO₂e");
  });

  it("explains lines without records, and issues the inventory", async () => {
    const { page } = ada;
    await button(page, "Give a reason for 10 lines").click();
    await button(page, "Select all").click();
    await field(page, "Reason").fill("We sell services to offices nearby.");
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Save");
    await link(page, "Issue the inventory of 2025").waitFor();
    await expect.poll(() => tile(page, "Lines missing").innerText()).toBe("0 of 21");
    expect(await findFaults(page)).toEqual([]);
    await link(page, "Issue the inventory of 2025").click();
    await button(page, "Issue 2025").click();
    await confirm(page, "Issue");
    const row = rowOf(page, "1, reported");
    const digest = await row.locator("code").innerText();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      row.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(hash("sha256", await readFile(await file.path()))).toBe(digest);
    await page.getByRole("heading", { name: "Base year 2025" }).waitFor();
    await page.getByText("No restatement is needed.").waitFor();
    await button(page, "Restate 2025").click();
    await confirm(page, "Restate");
    await page.getByText("Choose at least one reason.").waitFor();
    await confirm(page, "Cancel");
    await button(page, "Request verification").click();
    await page.getByText("Issue 1 of the 2025 inventory").waitFor();
    await field(page, "Verifier's e-mail").fill("vera@example.org");
    await page.getByLabel("Submit now").uncheck();
    await confirm(page, "Request verification");
    await page.getByRole("heading", { name: "VR-2026-0001" }).waitFor();
  });

  it("lists the facts of the VSME report, and downloads them", async () => {
    const { page } = ada;
    await page.goto("/console/inventory/report?year=2025");
    await page.getByRole("heading", { name: "Missing" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      link(page, "Download the report of 2025").click(),
    ]);
    expect(file.suggestedFilename()).toBe("vsme-2025.json");
    const report = JSON.parse(await readFile(await file.path(), "utf8"));
    expect(Object.keys(report)).toEqual(["documentInfo", "facts"]);
  });

  it("shows targets with their paths", async () => {
    const { page } = ada;
    await page.goto("/console/inventory/targets?year=2025");
    await button(page, "Add target").click();
    await field(page, "Name").fill("Halve by 2030");
    await field(page, "Reduction").fill("50");
    await confirm(page, "Add");
    await page.getByRole("figure", { name: "Halve by 2030" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await button(page, "Edit").click();
    await field(page, "Reduction").fill("60");
    // The dialog stays open until the page shows the change, so that the next change is based on it.
    const reading = await holdReads(page, "ConsoleReductionTargets");
    await confirm(page, "Save");
    await reading.started;
    expect(await page.getByRole("dialog").isVisible()).toBe(true);
    reading.release();
    await button(page, "Delete").click();
    await confirm(page, "Delete");
    await page.getByText("No targets yet.").waitFor();
  });

  it("stores entities with their history", async () => {
    const { page } = ada;
    await link(page, "Entities").click();
    await button(page, "Add entity").click();
    await field(page, "Name").fill("Pune Mills");
    await field(page, "Code").fill("PM");
    await field(page, "Equity share").fill("37.5");
    await button(page, "Add a later holding").click();
    await page.getByRole("group", { name: "Holding 2" }).getByLabel("From month").fill("2026-01");
    await page.getByRole("group", { name: "Holding 2" }).getByLabel("Equity share").fill("40");
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Save");
    await rowOf(page, "Pune Mills").getByText("40 %").waitFor();
    expect(await findFaults(page)).toEqual([]);
  });

  it("names the facilities without kWh, and counts more than 100 streams without a line", async () => {
    const { ada: owner } = await makeInventory(app.gateway);
    const categories = ["electricity", ...Array.from({ length: 102 }, (_, index) => `stream ${index}`)];
    const records = categories.map((category) => ({
      recorded_on: "2025-03-31",
      facility: "LON",
      scope: "scope_2",
      category,
      co2e_tonnes: "1",
    }));
    await put(owner, "/v1/emissions/records", { records }, "POST");
    const path = "/console/inventory?year=2025";
    const { page, faults } = await app.enter(path, "owner", owner.organization.slug);
    const step = (name: string) => page.getByRole("listitem").filter({ has: link(page, name) });
    await step("Enter the electricity use in kWh for 1 facility").getByText("LON", { exact: true }).waitFor();
    const streams = step("Map 99 streams to lines");
    await streams.getByText("and 93 more. There are 3 more gaps of this kind.").waitFor();
    expect(faults).toEqual([]);
  });

  it("lets a viewer only read", async () => {
    const { page, faults } = viewer;
    for (const area of ["", "/streams", "/entities", "/electricity", "/targets", "/issues", "/report"]) {
      await page.goto(`/console/inventory${area}?year=2025`);
      await page.locator(".skeleton").first().waitFor({ state: "detached" });
      const buttons = await page.locator("main").getByRole("button").allInnerTexts();
      expect(buttons.filter((label) => !["Claims", "Download", "CSV", "Apply"].includes(label))).toEqual([]);
    }
    expect(faults).toEqual([]);
    expect(ada.faults).toEqual([]);
  });
});
