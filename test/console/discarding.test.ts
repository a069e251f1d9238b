import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { loadFactors } from "../../src/actions/factors/load-factors.js";
import { REFERENCE_FOLDER } from "../../src/paths.js";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { askGraphql, button, confirm, createKeyOn, link, PAGES, useConsole } from "../support/console.js";
import { learnKeys } from "../support/secrets.js";

const TITLE = "Discard your changes?";

const question = (page: Page) => page.getByRole("dialog", { name: TITLE, exact: true });
/** The dialog below the question. */
const filled = (page: Page) => page.locator("dialog[open]").first();
const isGone = (dialog: Locator) => dialog.waitFor({ state: "detached" });

/** Changes the first field of a dialog that can be changed. Returns false if it has none. */
async function changeAField(page: Page, dialog: Locator): Promise<boolean> {
  const fields = dialog.locator(
    "form :is(input, select, textarea)[name]:enabled:not([readonly], [role=combobox]):visible",
  );
  for (const field of await fields.all()) {
    const kind = await field.evaluate((element) => (element as unknown as { type: string }).type);
    if (kind === "select-one") {
      const options = field.locator("option:not(:checked)");
      if ((await options.count()) === 0) continue;
      await field.selectOption(await options.first().getAttribute("value"));
    } else if (kind === "checkbox" || kind === "radio") {
      if (kind === "radio" && (await field.isChecked())) continue;
      await field.click();
    } else if (kind === "date" || kind === "month")
      await field.fill(kind === "date" ? "2024-02-29" : "2024-02");
    else if (kind === "file") continue;
    else {
      await field.focus();
      await page.keyboard.type("1");
    }
    return true;
  }
  return false;
}

const valuesOf = (page: Page) =>
  page.evaluate<unknown>(
    `[...document.querySelectorAll("dialog form")].map((form) => [...new FormData(form)].map(String))`,
  );

describeInBrowser("dialogs that would discard changes", () => {
  const app = useConsole();
  beforeAll(() => loadFactors(app.gateway.database, REFERENCE_FOLDER));

  it("close at once if nothing was changed, and otherwise ask, in every dialog", async () => {
    const { page, faults } = await app.enter("/console/settings/api-keys");
    await createKeyOn(page, "Key");
    const { data } = await askGraphql(
      page,
      `mutation {
        createServiceAccount(input: { name: "Account", role: ADMIN }) { token }
        createReductionTarget(input: { name: "Target", scopes: [SCOPE_1], baseYear: 2024, targetYear: 2030, reductionPercent: "10" }) { target { id } }
      }`,
    );
    learnKeys(data.createServiceAccount.token);
    const asked: string[] = [];
    for (const path of PAGES) {
      await page.goto(`/console/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator("main .skeleton").first().waitFor({ state: "detached" });
      const opening = page.locator("main button[aria-haspopup=dialog]:enabled:visible");
      const labels = new Set(await opening.allTextContents());
      for (const label of labels) {
        const opens = opening.filter({ hasText: new RegExp(`^${label}$`) }).first();
        await opens.click();
        const dialog = filled(page);
        await dialog.waitFor();
        await dialog.locator(".skeleton").first().waitFor({ state: "detached" });
        if (!(await changeAField(page, dialog))) {
          await page.keyboard.press("Escape");
          await isGone(dialog);
          continue;
        }
        const values = await valuesOf(page);
        await page.keyboard.press("Escape");
        await question(page).waitFor();
        await page.keyboard.press("Escape");
        await isGone(question(page));
        expect([path, label, await valuesOf(page)]).toEqual([path, label, values]);
        await button(page, "Cancel").click();
        await question(page).waitFor();
        await confirm(page, "Discard");
        await isGone(dialog);

        await opens.click();
        await dialog.waitFor();
        await dialog.locator(".skeleton").first().waitFor({ state: "detached" });
        await page.keyboard.press("Escape");
        await isGone(dialog);
        asked.push(`${path}: ${label}`);
      }
    }
    expect(asked.length).toBeGreaterThan(35);
    expect(faults).toEqual([]);
  }, 300_000);

  it("ask before Back or a reload discards the choices of an import", async () => {
    const { page, faults } = await app.enter("/console/records");
    await link(page, "Imports").click();
    await page.getByRole("heading", { level: 1, name: "Imports" }).waitFor();
    await button(page, "Import a file").click();
    const buffer = Buffer.from("Date,Scope,CO2e (kg)\n03/04/2026,1,1.234\n");
    await page
      .getByLabel("CSV file", { exact: true })
      .setInputFiles({ name: "march.csv", mimeType: "text/csv", buffer });
    await page.getByLabel("Which date is 03/04/2026?").selectOption("4 Mar 2026");
    await page.getByRole("row").filter({ hasText: "4 Mar 2026" }).waitFor();
    await page.keyboard.press("Escape");
    await question(page).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Keep editing");

    for (const leave of ["history.back()", "history.back()"]) {
      await page.evaluate(leave);
      await question(page).waitFor();
      expect(new URL(page.url()).pathname).toBe("/console/records/imports");
      await confirm(page, "Keep editing");
    }
    const [unload] = await Promise.all([
      page.waitForEvent("dialog"),
      page.evaluate("void setTimeout(() => location.reload())"),
    ]);
    expect(unload.type()).toBe("beforeunload");
    await unload.dismiss();
    await page.getByRole("row").filter({ hasText: "4 Mar 2026" }).waitFor();

    await page.evaluate("history.back()");
    await confirm(page, "Discard");
    await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });
});
