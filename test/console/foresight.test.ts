import { expect, it } from "vitest";
import { describeInBrowser, findFaults, findViolations } from "../support/browser.js";
import { button, confirm, link, useConsole } from "../support/console.js";
import { addBatch, addFacility, addRecord } from "../support/fixtures.js";
import { ORGANIZATION, selectColumn } from "../support/graph-fixtures.js";
import { list } from "../support/list.js";
import { signUp } from "../support/people.js";
import { makeOrganization } from "../support/server.js";

/** Tonnes per month, November 2025 to October 2026. */
const A = [112, 108, 115, 104, 110, 101, 103, 99, 105, 96, 98, 94];
/** The same months; July 2026 is unusual. */
const WITH_OUTLIER = [41, 39, 40, 42, 38, 40, 41, 39, 95, 40, 42, 38];

describeInBrowser("forecasts and anomalies in the console", () => {
  const app = useConsole();

  /** Creates an organization with an amount in each month from November of a year on. */
  async function makeEmissions(amounts: readonly number[], year = 2025): Promise<string> {
    const { database } = app.gateway;
    const organization = await makeOrganization(database);
    const facility = await addFacility(database, organization, { code: "PUNE", name: "Pune mill" });
    for (const [index, co2eTonnes] of amounts.entries()) {
      const recordedOn = new Date(Date.UTC(year, 10 + index, 15)).toISOString().slice(0, 10);
      await addRecord(database, organization, { recordedOn, co2eTonnes, facility, scope: "scope_2" });
    }
    return organization;
  }

  it("shows the forecast of the most accurate method in words, chart and table", async () => {
    const { page, faults } = await app.enter("/console/", "owner", await makeEmissions(A));
    const forecast = page.getByRole("region", { name: "Forecast" });
    await forecast.getByText("About 538 tCO₂e in the next 6 months.").waitFor();
    await forecast
      .getByText(
        "A straight line was the most accurate method. Over the last 6 months it was off by 2.6 t (3 %)",
      )
      .waitFor();
    await forecast.getByText("emissions fell by 1.56 t a month").waitFor();
    await forecast.getByText("How this was computed").click();
    await forecast.getByText("p = 0.0003").waitFor();
    expect(
      await forecast.getByRole("row", { name: "Repeating the last month" }).locator("data").textContent(),
    ).toBe("4.5");
    const figure = page.getByRole("figure", { name: "Emissions of the next 6 months" });
    await figure.getByText("Show data").click();
    const next = figure.getByRole("row", { name: "Nov 2026" });
    expect(await next.locator("data").evaluateAll((cells) => cells.map((cell) => cell.textContent))).toEqual(
      list("93.591 87.942 99.24 84.418 102.764"),
    );
    expect(await figure.getByRole("row", { name: "Oct 2026" }).locator("data").allTextContents()).toEqual([
      "94",
    ]);
    expect(await findFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("uses the seasonal method if it was the most accurate in the last 12 months", async () => {
    const season = [60, 55, 48, 40, 33, 28, 26, 31, 38, 45, 52, 58];
    const years = [0, 1, 2].flatMap((year) =>
      season.map((amount, month) => amount + (month === year ? 1 : 0)),
    );
    const { page } = await app.enter("/console/", "owner", await makeEmissions(years, 2023));
    await page
      .getByText(
        "Repeating the same month of last year was the most accurate method. Over the last 12 months",
      )
      .waitFor();
    const figure = page.getByRole("figure", { name: "Emissions of the next 6 months" });
    await figure.getByText("Show data").click();
    expect(await figure.getByRole("row", { name: "Nov 2026" }).locator("data").first().textContent()).toBe(
      "60",
    );
  });

  it("says how many months a forecast needs", async () => {
    const { page } = await app.enter("/console/", "owner", await makeEmissions(A.slice(-5)));
    await page.getByText("A forecast needs at least 6 complete months").waitFor();
    await expect.poll(() => page.getByRole("figure", { name: "Emissions by month" }).count()).toBe(1);
  });

  it("lists an unusual month in words, with a link to its records", async () => {
    const organization = await makeEmissions(WITH_OUTLIER);
    const { page, faults } = await app.enter("/console/records", "owner", organization);
    await link(page, "Unusual months").click();
    await page.getByText("1 unusual month to review.").waitFor();
    const found = page.getByRole("row", {
      name: "July 2026: more than twice the usual month (95 t, usually about 40 t)",
    });
    await found.getByText("Pune mill, Scope 2").waitFor();
    await found.getByText("High").waitFor();
    await found.getByText("How this was computed").click();
    await found.getByText("the median is 40 tCO₂e. The robust score is 37.098").waitFor();
    expect(await findFaults(page)).toEqual([]);
    await found.getByRole("link").click();
    await page.getByText("1 record from 1 Jul 2026 to 31 Jul 2026: 95 tCO₂e").waitFor();
    expect(await page.getByLabel("Facility").inputValue()).toBe("PUNE");
    expect(await page.getByLabel("Scope").inputValue()).toBe("SCOPE_2");
    expect(faults).toEqual([]);
  });

  it("acknowledges an unusual month with a note, shows who did and why, and withdraws it", async () => {
    const organization = await makeEmissions(WITH_OUTLIER);
    const { page, user, faults } = await app.enter("/console/records/findings", "owner", organization);
    const { name } = await app.gateway.database.prisma.user.findUniqueOrThrow({ where: { id: user.id } });
    const notes = () =>
      selectColumn(
        app.gateway.database,
        `SELECT note FROM anomaly_acknowledgements WHERE organization_id = ${ORGANIZATION}`,
        organization,
      );
    const found = page.getByRole("row", { name: "July 2026" });
    const acknowledge = async () => {
      await found.getByRole("button", { name: "Acknowledge" }).click();
      const dialog = page.getByRole("dialog", { name: "Acknowledge unusual month" });
      await dialog.getByLabel("Note").fill("A boiler was tested.");
      expect(await findViolations(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Acknowledge" }).click();
      await page.getByText("No unusual months to review.").waitFor();
    };
    await acknowledge();
    await page.getByText("Acknowledged: July 2026, Pune mill, Scope 2.").waitFor();
    expect(await notes()).toEqual(["A boiler was tested."]);
    await button(page, "Undo").click();
    await page.getByText("1 unusual month to review.").waitFor();
    expect(await notes()).toEqual([]);
    await acknowledge();
    await page.getByLabel("Show acknowledged").check();
    await found.getByText(`By ${name} on 20 Nov 2026`).waitFor();
    await found.getByText("A boiler was tested.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await found.getByRole("button", { name: "Withdraw" }).click();
    await confirm(page, "Withdraw");
    await page.getByText("1 unusual month to review.").waitFor();
    expect(await notes()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("links records without a facility to those of all facilities, and lets a viewer only read", async () => {
    const organization = await makeOrganization(app.gateway.database);
    for (const [index, co2eTonnes] of WITH_OUTLIER.entries()) {
      const recordedOn = new Date(Date.UTC(2025, 10 + index, 15)).toISOString().slice(0, 10);
      await addRecord(app.gateway.database, organization, { recordedOn, co2eTonnes });
    }
    await signUp(app.gateway, { organization });
    const { page } = await app.enter("/console/records/findings", "viewer", organization);
    const found = page.getByRole("row", { name: "July 2026" });
    await found.getByText("Records without a facility").waitFor();
    await expect.poll(() => found.getByRole("button").count()).toBe(0);
    await found.getByRole("link", { name: "Show records of all facilities" }).click();
    await page.getByText("1 record from 1 Jul 2026 to 31 Jul 2026: 95 tCO₂e").waitFor();
  });

  it("shows insights whose figures each link to their page", async () => {
    const { page, faults } = await app.enter(
      "/console/",
      "owner",
      await makeEmissions([...A, ...WITH_OUTLIER], 2024),
    );
    const insights = page.getByRole("region", { name: "Insights" });
    const change = insights.getByRole("listitem").filter({ hasText: "of the reduction comes from scope 2" });
    await change.getByText("How this was computed").click();
    await change.getByRole("link", { name: "Current: " }).waitFor();
    await change.getByRole("link", { name: "Show records" }).click();
    await page.getByText(/records from \d+ Nov 2025/).waitFor();
    expect(await page.getByLabel("Scope").inputValue()).toBe("SCOPE_2");
    await page.goBack();
    const [, count = ""] =
      /^(\d+) unusual months? to review/.exec(
        (await insights.getByText(/^\d+ unusual months? to review/).textContent()) ?? "",
      ) ?? [];
    expect(await findFaults(page)).toEqual([]);
    await insights.getByRole("link", { name: "Review unusual months" }).click();
    await page.getByText(new RegExp(`^${count} unusual months? to review`)).waitFor();
    await expect.poll(() => page.getByRole("row").count()).toBe(Number(count) + 1);
    expect(faults).toEqual([]);
  });

  it("shows insights about credits on their page, and nothing if nothing stands out", async () => {
    const organization = await makeOrganization(app.gateway.database);
    await addBatch(app.gateway.database, organization);
    const { page } = await app.enter("/console/credits", "owner", organization);
    const insights = page.getByRole("region", { name: "Insights" });
    await insights.getByText("100 % of the credits are VCS").waitFor();
    await link(page, "Compliance").click();
    await page.getByRole("heading", { name: "Carbon Credit Trading Scheme, India (CCTS)" }).waitFor();
    await expect.poll(() => insights.count()).toBe(0);
  });
});
