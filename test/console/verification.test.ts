import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describeInBrowser, findFaults, findViolations, submitSignIn } from "../support/browser.js";
import { button, confirm, type Entered, link, PASSWORD, rowOf, useConsole } from "../support/console.js";
import { addRecord } from "../support/fixtures.js";
import { learnKeys } from "../support/secrets.js";
import { makeOrganization, NOW } from "../support/server.js";

const says = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

/** Waits until the page shows this status of the request. */
const expectStatus = (page: Page, status: string) =>
  page.locator("dd").first().getByText(status, { exact: true }).waitFor();

/** Clicks a step of the request, and confirms it. */
async function take(page: Page, action: string): Promise<void> {
  await button(page, action).click();
  expect(await findViolations(page)).toEqual([]);
  await confirm(page, action);
}

/** Returns the path of the link for the verifier that the page shows, and closes the dialog. */
async function takeLink(page: Page): Promise<string> {
  const shown = await page.getByLabel("Link for your verifier", { exact: true }).last().inputValue();
  learnKeys(shown);
  await says(page, "This gateway doesn't send e-mails, so your verifier gets the link only from you.");
  expect(await findViolations(page)).toEqual([]);
  await button(page, "Done").click();
  const { pathname, hash } = new URL(shown);
  return pathname + hash;
}

/** Adds a finding with the open form. */
async function find(page: Page, text: string, tonnes: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Finding").fill(text);
  await dialog.getByLabel("Misstatement").fill(tonnes);
  await confirm(page, "Add");
}

describeInBrowser("verification in the console", () => {
  const app = useConsole();
  let ada: Entered;
  let vera: Entered;
  let colleague: Entered;
  let verifierLink: string;
  beforeAll(async () => {
    const { database } = app.gateway;
    const organization = await makeOrganization(database);
    const add = (record: object) => addRecord(database, organization, record);
    await add({ recordedOn: "2025-01-01", co2eTonnes: "100.5", reference: "r-1" });
    await add({ recordedOn: "2025-12-31", co2eTonnes: "200.25", scope: "scope_2", reference: "r-2" });
    ada = await app.enter("/console/verification", "owner", organization);
    colleague = await app.enter("/console/verification", "viewer", organization);
    vera = await app.enter("/console/");
  });

  it("requests it from an independent verifier, submits, and locks the records", async () => {
    const { page } = ada;
    await page.getByText("No verification requests yet. Request one for a past period.").waitFor();
    await button(page, "Request verification").click();
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await field("First day").fill("2025-01-01");
    await field("Last day").fill("2025-12-31");
    await field("Materiality").fill("five");
    await field("Verifier's e-mail").fill("nobody");
    await confirm(page, "Request verification");
    await page.getByText("Expected a number such as 12,000.5, got five.").waitFor();
    await field("Materiality").fill("5");
    await confirm(page, "Request verification");
    await page.getByText("Verifier's e-mail must be an e-mail address").waitFor();
    await field("Verifier's e-mail").fill(vera.user.email);
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Request verification");
    const link = await takeLink(page);
    await page.getByText("VR-2026-0001: submitted.").waitFor();
    await page.getByRole("heading", { name: "VR-2026-0001" }).waitFor();
    await expectStatus(page, "Submitted");
    await take(page, "Create new link");
    verifierLink = await takeLink(page);
    expect(verifierLink).not.toBe(link);
    await page.getByText("VR-2026-0001: new link created.").waitFor();
    await page.getByText("2 records, in total 300.75 tCO₂e").waitFor();
    await page.getByText("1 Jan 2025 to 31 Dec 2025").waitFor();
    await page.getByText("Limited assurance (negative conclusion)").waitFor();

    await page.goto("/console/records?from=2025-01-01&to=2025-01-01");
    const record = page.getByRole("row").filter({ hasText: "1 Jan 2025" });
    await record.getByTitle("Locked by verification request VR-2026-0001").waitFor();
    await expect.poll(() => record.getByRole("button").count()).toBe(0);
  });

  it("shows the verifier the records, and what findings add up to", async () => {
    const { page } = vera;
    await ada.page.goto(verifierLink);
    await button(ada.page, "Accept").click();
    await ada.page
      .getByText("Somebody who is or was a member of the organization cannot verify it.")
      .waitFor();
    await button(ada.page, "Not now").click();

    // In a browser without a signed-in user.
    const entering = await app.openWindow();
    await entering.page.goto(verifierLink);
    await says(entering.page, "Sign in to accept the verification request.");
    await submitSignIn(entering.page, { email: vera.user.email, password: PASSWORD });
    await entering.page.getByRole("heading", { name: "Accept a verification request" }).waitFor();
    expect(await findViolations(entering.page)).toEqual([]);
    await button(entering.page, "Accept").click();
    await entering.page.getByRole("heading", { name: "Request accepted" }).waitFor();
    await button(entering.page, "Continue").click();
    await entering.page.getByText("No requests for you.").waitFor();
    expect(entering.faults).toEqual([]);

    await link(ada.page, "Verification").click();
    await link(ada.page, "VR-2026-0001").click();
    await ada.page.getByText(vera.user.email, { exact: true }).waitFor();
    await take(ada.page, "Confirm verifier");
    await button(ada.page, "Confirm verifier").first().waitFor({ state: "detached" });

    await link(page, "Verification").click();
    await link(page, "Assigned to me").click();
    await page.getByRole("link", { name: /VR-2026-0001/ }).click();
    await take(page, "Start review");
    await expectStatus(page, "In review");
    const [file] = await Promise.all([page.waitForEvent("download"), link(page, "Export as CSV").click()]);
    expect(file.suggestedFilename()).toBe("VR-2026-0001.csv");
    const [, ...lines] = (await readFile(await file.path(), "utf8")).split("\n");
    await page.getByText(hash("sha256", lines.join("\n").replaceAll(",", "|"))).waitFor();

    await rowOf(page, "1 Jan 2025").getByRole("button", { name: "Add finding" }).click();
    await find(page, "The meter was read twice.", "10");
    await page.getByText("3.325 %").waitFor();
    await button(page, "Add finding").first().click();
    await find(page, "Losses of the grid are missing.", "-5.1");
    await page.getByText("This reaches the materiality of 5 %").waitFor();

    await button(page, "Decide").click();
    const offered = page.getByLabel("Opinion").getByRole("option");
    expect(await offered.allInnerTexts()).toEqual([
      "Choose",
      "Modified: fairly stated, with exceptions named in the statement",
      "Adverse: not fairly stated",
      "Disclaimed: too little evidence to conclude",
    ]);
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Cancel");
    await button(page, "Request changes").click();
    await page.getByLabel("Requested changes").fill("Correct the meter of January.");
    await confirm(page, "Request changes");
    await expectStatus(page, "Changes requested");
  });

  it("shows the findings to the organization, which corrects its records and submits again", async () => {
    const { page } = ada;
    await link(page, "Verification").click();
    await link(page, "VR-2026-0001").click();
    await page.getByText("Correct the meter of January.").waitFor();
    await link(page, "Show").click();
    await link(page, "1 Jan 2025").click();
    const record = page.getByRole("row").filter({ hasText: "1 Jan 2025" });
    await record.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Tonnes of CO₂e", { exact: true }).fill("90.5");
    await confirm(page, "Save");
    await record.getByText("90.500").waitFor();
    await link(page, "Verification").click();
    await link(page, "VR-2026-0001").click();
    await take(page, "Submit again");
    await page.getByText("2 records, in total 290.75 tCO₂e").waitFor();
  });

  it("decides with the password, and issues a certificate that anyone can check until it is reopened", async () => {
    await vera.page.reload();
    await take(vera.page, "Start review");
    await expectStatus(vera.page, "In review");
    await app.gateway.database.prisma.session.updateMany({
      where: { userId: vera.user.id },
      data: { authenticatedAt: new Date(NOW.getTime() - 3_600_000) },
    });
    await app.gateway.database.waitForAnnouncements();
    await button(vera.page, "Decide").click();
    await confirm(vera.page, "Decide");
    await says(vera.page, "Choose an opinion.");
    await vera.page.getByLabel("Opinion").selectOption("UNMODIFIED");
    await vera.page.getByLabel("Statement").fill("Nothing came to my attention.");
    await confirm(vera.page, "Decide");
    const asks = vera.page.getByRole("dialog", { name: "Confirm it's you" });
    await asks.getByLabel("Password").fill(PASSWORD);
    await asks.getByRole("button", { name: "Confirm" }).click();
    await expectStatus(vera.page, "Verified");
    await vera.page.getByText("You can read the records only from submission until your decision.").waitFor();

    await ada.page.reload();
    await ada.page.getByRole("heading", { name: /^Certificate CGW-2026-000001-/ }).waitFor();
    const [certificate] = await Promise.all([
      ada.page.waitForEvent("popup"),
      link(ada.page, "View or print").click(),
    ]);
    await says(certificate, "Valid");
    for (const row of [
      `Verified by ${vera.user.name}`,
      "Level Limited assurance (negative conclusion)",
      "Period 1 Jan 2025 to 31 Dec 2025",
    ])
      await certificate.getByRole("row", { name: row }).waitFor();
    await certificate
      .getByText(
        "Unmodified: nothing came to the verifier's attention that suggests the total is not fairly stated.",
      )
      .waitFor();
    expect(await findViolations(certificate)).toEqual([]);
    await button(ada.page, "Reopen").click();
    await ada.page.getByText(/CGW-2026-000001-\w{8} as superseded/).waitFor();
    await ada.page.getByLabel("Reason").fill("A late invoice.");
    await confirm(ada.page, "Reopen");
    await expectStatus(ada.page, "Changes requested");
    await says(ada.page, "Superseded");
    await certificate.reload();
    await certificate.getByText("Superseded").waitFor();

    await colleague.page.reload();
    await link(colleague.page, "VR-2026-0001").click();
    await expectStatus(colleague.page, "Changes requested");
    await expect.poll(() => button(colleague.page, "Submit again").count()).toBe(0);
    for (const { page, faults } of [ada, vera, colleague]) {
      expect(await findFaults(page)).toEqual([]);
      expect(faults).toEqual([]);
    }
  });
});
