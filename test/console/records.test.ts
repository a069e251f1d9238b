import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { askGraphql, button, confirm, link, useConsole } from "../support/console.js";
import { signUp, type TestPerson } from "../support/people.js";
import { completeStep, draft } from "../support/verification.js";

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint answers is for its test to say
type Body = any;

/** Days on which the sample has no records. */
const DAYS = "/console/records?from=2026-03-09&to=2026-03-12";
const ALL = "3 records from 9 Mar 2026 to 12 Mar 2026: 55.5 tCO₂e";
const PUNE = "Demonstration Components Plant, Pune";

const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
const amounts = (page: Page) => page.locator("tbody td.number").allInnerTexts();

/** Returns the records of DAYS by date. */
async function readRecords(page: Page): Promise<Body[]> {
  const { data } = await askGraphql(
    page,
    `{ emissionRecords(range: { from: "2026-03-09", to: "2026-03-12" }, order: ASC) { nodes {
      id reference recordedOn scope co2eTonnesExact facility { code } category source note
      calculation { factor { sourceYear } } } } }`,
  );
  return data.emissionRecords.nodes as Body[];
}

describeInBrowser("the records in the console", () => {
  const app = useConsole();
  let ada: TestPerson;
  beforeAll(async () => {
    await loadFactors(app.gateway.database, REFERENCE_FOLDER);
    ada = await signUp(app.gateway, { organization: "demo" });
    const records = [
      {
        recorded_on: "2026-03-09",
        scope: "scope_1",
        co2e_tonnes: 12.5,
        reference: "inv-1",
        note: "by Meera",
      },
      {
        recorded_on: "2026-03-10",
        scope: "scope_2",
        co2e_tonnes: 3,
        reference: "inv-2",
        source: "Bill, 3/26",
      },
      { recorded_on: "2026-03-11", scope: "scope_1", co2e_tonnes: 40, reference: "meter-3" },
    ].map((record) => ({ ...record, facility: "IN-PUNE", category: "heat" }));
    const { status, body } = await ada.call<Body>("/v1/emissions/records", {
      json: { records, accept: ["RECORD_UNUSUAL"] },
    });
    expect([status, body.error]).toEqual([201, null]);
    const vera = await signUp(app.gateway);
    const day = { from: "2026-03-11", to: "2026-03-11" };
    const { path } = await draft(ada, vera, { period: day, scopes: ["scope_1"] });
    await completeStep(ada, path, "submit");
  });

  it("are searched and sorted, which the address keeps", async () => {
    const { page, faults } = await app.enter(DAYS);
    await page.getByText(ALL).waitFor();
    expect(await amounts(page)).toEqual(["40.000", "3.000", "12.500"]);
    await page.getByRole("columnheader", { name: "tCO₂e" }).getByRole("button").press("Enter");
    await expect.poll(() => amounts(page)).toEqual(["40.000", "12.500", "3.000"]);
    await page.getByRole("columnheader", { name: "tCO₂e" }).getByRole("button").press("Enter");
    await expect.poll(() => amounts(page)).toEqual(["3.000", "12.500", "40.000"]);
    expect(await page.locator("th[aria-sort=ascending]").innerText()).toMatch("tCO₂e");
    await page.getByLabel("Search").fill("INV-");
    await page.getByText("2 records from 9 Mar 2026 to 12 Mar 2026 with “INV-”").waitFor();
    expect(await amounts(page)).toEqual(["3.000", "12.500"]);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("search"), searchParams.get("sort")]).toEqual(["INV-", "amount"]);
    expect(await findViolations(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => amounts(page)).toEqual(["3.000", "12.500"]);
    expect(await page.getByLabel("Search").inputValue()).toBe("INV-");
    expect(faults).toEqual([]);
  });

  it("are searched on all dates unless a range is chosen", async () => {
    const { page } = await app.enter("/console/records?search=meter-3");
    await page.getByText("1 record across all dates with “meter-3”").waitFor();
  });

  it("are deleted together except for the locked one, and Undo restores them", async () => {
    const { page, faults } = await app.enter(DAYS);
    const locked = row(page, "11 Mar 2026");
    await locked.getByRole("link", { name: "Locked" }).waitFor();
    await expect.poll(() => locked.getByRole("button").count()).toBe(0);
    const before = await readRecords(page);
    await page.getByLabel("Select all on this page").check();
    await page.getByText("Selected: 3 records, 55.5 tCO₂e. 1 locked and left out", { exact: true }).waitFor();
    await button(page, "Delete selected").click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 records, 15.5 tCO₂e?" });
    await dialog.getByText(PUNE).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("Reason").fill("Entered twice");
    await confirm(page, "Delete");
    await page.getByText("2 records, 15.5 tCO₂e deleted.").waitFor();
    await page.getByText("1 record from 9 Mar 2026").waitFor();
    await button(page, "Undo").click();
    await page.getByText(ALL).waitFor();
    const again = await readRecords(page);
    expect(again.map(({ id: _, ...record }) => record)).toEqual(before.map(({ id: _, ...record }) => record));
    expect(faults).toEqual([]);
  });

  it("are named in messages about deletes and edits, which say if Undo is no longer possible", async () => {
    const { page, faults } = await app.enter(DAYS);
    const name = `12.5 tCO₂e of ${PUNE}, 9 Mar 2026`;
    const first = row(page, "9 Mar 2026");
    await first.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: `Delete ${name}?` }).waitFor();
    await page.keyboard.press("Escape");
    const edit = async (source: string) => {
      await first.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Source").fill(source);
      await confirm(page, "Save");
      await page.getByText(`${name} saved.`).waitFor();
      await first.getByText(source).waitFor();
    };
    await edit("Delivery note");
    await button(page, "Undo").click();
    await page.getByText("Undone.").waitFor();
    await first.getByText("Delivery note").waitFor({ state: "detached" });
    expect((await readRecords(page))[0]).toMatchObject({ source: null, note: "by Meera" });

    await edit("Weighbridge");
    const [{ id }] = (await readRecords(page)) as [Body];
    const change = `mutation { updateEmissionRecord(input: { id: "${id}", note: "checked" }) { emissionRecord { id } } }`;
    expect((await askGraphql(page, change)).errors).toBeUndefined();
    await button(page, "Undo").click();
    await page.getByText("This can't be undone, because someone has changed it since.").waitFor();
    expect((await readRecords(page))[0]).toMatchObject({ source: "Weighbridge", note: "checked" });
    expect(faults).toEqual([]);
  });

  it("open in a panel with their history and lock, from a link that can be shared", async () => {
    const { page, faults } = await app.enter(DAYS);
    await link(page, "9 Mar 2026").click();
    const panel = page.getByRole("dialog");
    await panel.getByText("Source: Weighbridge").or(panel.getByText("Source: none → Weighbridge")).waitFor();
    await panel.getByText("Note: by Meera → checked").waitFor();
    expect(await findViolations(page)).toEqual([]);
    const shared = page.url();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(page.url()).not.toContain("record=");

    await page.goto(shared);
    await panel.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog", { name: /^Edit 12\.5 tCO₂e/ }).waitFor();
    await page.keyboard.press("Escape");

    await link(page, "11 Mar 2026").click();
    await panel.getByText("by verification request VR-2026-0001.").waitFor();
    expect(await panel.getByRole("button").allInnerTexts()).toEqual(["Close"]);
    expect(faults).toEqual([]);
  });

  it("are recalculated with another edition of their factors after a preview, and Undo restores the amounts", async () => {
    const activity = {
      amount: 1000,
      unit: "kWh",
      selector: { activity: "Grid electricity, UK (generation)", region: "UK", year: 2025 },
    };
    const json = { recorded_on: "2026-03-12", scope: "scope_2", activity, reference: "grid-4" };
    const added = await ada.call<Body>("/v1/emissions/records", { json });
    expect(added.body.error).toBeNull();
    const { page, faults } = await app.enter(DAYS);
    const grid = row(page, "grid-4");
    await grid.getByText("0.177").waitFor();
    await grid.getByRole("checkbox").check();
    await button(page, "Recalculate selected").click();
    await page.getByLabel("Edition of the factors").selectOption("UK DESNZ 2026");
    await page.getByText("1 of 1 records: 0.2 → 0.1 tCO₂e (−26 %).").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Recalculate");
    await grid.getByText("0.131").waitFor();
    await button(page, "Undo").click();
    await grid.getByText("0.177").waitFor();
    expect(faults).toEqual([]);
  });

  it("are exported to a file that an import reads", async () => {
    const { page } = await app.enter(`${DAYS}&sort=day`);
    await button(page, "Export").click();
    const [download] = await Promise.all([page.waitForEvent("download"), confirm(page, "Export")]);
    await page.getByText("Exported 4 records to emission-records.csv.").waitFor();
    const body = await readFile(await download.path(), "utf8");
    const names =
      "recorded_on,facility,scope,category,amount,unit,factor_id,gas,co2e_tonnes,calculated_co2e_tonnes,source,reference";
    expect(body.split("\r\n").slice(0, 3)).toEqual([
      `\ufeff${names.replace(/\w+/g, '"$&"')}`,
      '"2026-03-09","IN-PUNE","scope_1","heat",,,,,"12.5",,"Weighbridge","inv-1"',
      '"2026-03-10","IN-PUNE","scope_2","heat",,,,,"3",,"Bill, 3/26","inv-2"',
    ]);
    expect(body).toMatch(/^"2026-03-12",,"scope_2",,"1000","kWh","[\da-f-]{36}",,,"0\.177",,"grid-4"\r$/m);
    const headers = { "Content-Type": "text/csv" };
    const answer = await ada.call<Body>("/v1/emissions/import?dry_run=true", {
      method: "POST",
      headers,
      body,
    });
    // The file has the id of the factor with which the record was recalculated, and the import uses it.
    expect(answer.body).toMatchObject({ error: null, data: { already_present: 3, inserted: 0, updated: 1 } });
  });
});
