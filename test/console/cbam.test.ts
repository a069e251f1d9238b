import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { describeInBrowser, findFaults, findViolations } from "../support/browser.js";
import { button, confirm, link, rowOf, useConsole } from "../support/console.js";

describeInBrowser("CBAM in the console", () => {
  const app = useConsole();

  it("estimates imports with a form that asks for a route only if nothing else determines it", async () => {
    const { page, faults } = await app.enter("/console/");
    await link(page, "CBAM").click();
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await field("Year of import").selectOption("2026");
    await field("Quarter of import").selectOption("Q3");
    await field("Goods").fill("hot-rolled flat");
    await page.getByRole("option", { name: /^7208 hot-rolled flat/ }).click();
    expect(await field("CN code").inputValue()).toBe("7208");
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
    await page.getByText("32,845.68", { exact: true }).first().waitFor();

    await field("Country of origin").selectOption("IN");
    await field("Production route").fill("");
    await button(page, "Estimate").click();
    const estimate = page.getByRole("region", { name: "Certificates for 2026" });
    await estimate.getByText("27,824.16 EUR for 338 certificates").waitFor();
    const path = page.getByRole("figure", { name: "Cost of CBAM certificates by year" });
    await path.getByText("Show data").click();
    await path.getByRole("row", { name: "2034 45,852.24" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("keeps a declaration with totals of its imports, and submits it once its year is over", async () => {
    const { page, faults } = await app.enter("/console/cbam/declarations");
    await page.getByText("No declarations yet.").waitFor();
    await button(page, "Start declaration").click();
    await page.getByLabel("Year of the imports").selectOption("2026");
    await confirm(page, "Start");
    await page.getByText("No imports yet.").waitFor();

    await button(page, "Add import").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Quarter of import").selectOption("Q3");
    await dialog.getByLabel("CN code", { exact: true }).fill("72083600");
    await dialog.getByLabel("Country of origin").selectOption("IN");
    await dialog.getByLabel("Net mass").fill("100");
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Add");
    await rowOf(page, "72083600").waitFor();
    await page.getByText("27,824.16 EUR for 338 certificates").waitFor();
    await page.getByText("30 Sept 2027").waitFor();
    await page.getByText("You can submit it from 1 Jan 2027.").waitFor();
    await expect.poll(() => button(page, "Submit").count()).toBe(0);

    const february = new Date("2027-02-01T12:00:00Z");
    app.gateway.setNow(february);
    const later = await app.enter("/console/cbam/declarations");
    await later.page.clock.setFixedTime(february);
    await link(later.page, "2026").click();
    await button(later.page, "Submit").click();
    await confirm(later.page, "Submit");
    await later.page.getByText("Submitted", { exact: true }).waitFor();
    await expect.poll(() => button(later.page, "Add import").count()).toBe(0);
    await button(later.page, "Amend").click();
    await confirm(later.page, "Amend");
    await later.page.getByText("Amended", { exact: true }).waitFor();
    await rowOf(later.page, "72083600").getByRole("button", { name: "Remove" }).click();
    await confirm(later.page, "Remove");
    await later.page.getByText("No imports yet.").waitFor();

    const viewer = await app.enter("/console/cbam/declarations", "viewer");
    await link(viewer.page, "2026").click();
    await viewer.page.getByRole("heading", { name: "Declaration of 2026" }).waitFor();
    await expect.poll(() => button(viewer.page, "Add import").count()).toBe(0);
    expect([faults, later.faults, viewer.faults]).toEqual([[], [], []]);
  });

  it("adds imports from an estimate and from a file, edits them, and exports them as one file", async () => {
    const { page, faults } = await app.enter("/console/cbam");
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await field("Year of import").selectOption("2028");
    await field("CN code").fill("72083600");
    await field("Country of origin").selectOption("TR");
    await field("Net mass").fill("100");
    await field("Basis of emissions").selectOption("ACTUAL");
    await field("Direct emissions").fill("2.1");
    await button(page, "Add precursor").click();
    await field("CN code of the precursor").fill("72071210");
    await field("Mass of the precursor").fill("105");
    await button(page, "Estimate").click();
    await page.getByText("must be C (carbon steel BF/BOF)").first().waitFor();
    await page.getByLabel("Production route").filter({ visible: true }).fill("C");
    await button(page, "Estimate").click();
    await button(page, "Add to the declaration of 2028").click();
    await page.getByRole("dialog").getByLabel("Quarter of import").selectOption("Q2");
    await confirm(page, "Add");
    await page.getByText("1 import added.").waitFor();
    await link(page, "Declaration of 2028").click();
    const rowWith = (text: string) => page.getByRole("row").filter({ hasText: text });
    await rowWith("made from 105 t of 72071210").getByText("Q2").waitFor();

    await button(page, "Import a file").click();
    const file = (rows: string) => ({
      name: "imports.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(`quarter;cn_code;country;mass_t;route;good\n${rows}`),
    });
    await field("File").setInputFiles(file("Q1;72083600;IN;1.234.5;;\nQ5;72083600;IN;3;;\n"));
    await confirm(page, "Import");
    await page.getByText("Row 1: mass_t: expected a number such as 12,000.5, got 1.234.5.").waitFor();
    await page.getByText("Row 2: quarter must be Q1, Q2, Q3 or Q4 (got Q5).").waitFor();
    await field("File").setInputFiles(file("Q1;72083600;IN;10;;\nQ1;7204;IN;3;;\n"));
    await confirm(page, "Import");
    await page.getByText(/Row 2: cn_code must be a code in Annex I/).waitFor();
    const rows = ["Q1;72083600;IN;1,234.5;;", "Q1;72083600;TR;3;C;", "Q3;7207;ZZ;5;C;semi-finished"];
    await field("File").setInputFiles(file(rows.join("\n")));
    await confirm(page, "Import");
    await page.getByText("3 imports added to the declaration of 2028. It now has 4.").waitFor();
    await page.getByText("Don't file this figure.").waitFor();

    await rowWith("1,234.5").getByRole("button", { name: "Edit" }).click();
    expect(await field("Net mass").inputValue()).toBe("1,234.5");
    await field("Net mass").fill("1,000");
    await confirm(page, "Save");
    await rowWith("1,000").waitFor();
    await rowWith("semi-finished").getByRole("button", { name: "Edit" }).click();
    await field("Country of origin").selectOption("IN");
    await confirm(page, "Save");
    await rowWith("semi-finished, rolled").waitFor();
    await button(page, "Add import").click();
    await field("CN code").fill("72083600");
    await field("Country of origin").selectOption("TR");
    await field("Net mass").fill("7.77");
    await confirm(page, "Add");
    await page.getByRole("dialog").getByLabel("Production route").fill("C");
    await confirm(page, "Add");
    await rowWith("7.77").waitFor();
    const downloading = page.waitForEvent("download");
    await button(page, "Download CSV").click();
    const lines = (await readFile(await (await downloading).path(), "utf8")).trim().split("\r\n");
    expect(lines.length).toBe(6);
    expect(lines[1]).toMatch(/^"Q1","72083600","IN",1000,"default",/);
    expect(lines[4]).toMatch(
      /^"Q2","72083600","TR",100,"actual",("C")?,,2.1,,0,"105 t of 72071210","hot-rolled flat",/,
    );
    expect(await findViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
