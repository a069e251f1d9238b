import { beforeAll, expect, it } from "vitest";
import { countPlatform } from "../../src/data/platform/count-platform.js";
import { describeInBrowser, findFaults, signInOn } from "../support/browser.js";
import { link, PASSWORD, useConsole } from "../support/console.js";
import { giveFactor, signUpSuperAdmin } from "../support/people.js";
import { NOW } from "../support/server.js";

describeInBrowser("the platform in the console", () => {
  const app = useConsole();
  beforeAll(async () => {
    await countPlatform(app.gateway.database, NOW);
  });

  it("is the first page of a super admin without an organization, who sees no organization's pages", async () => {
    const { user } = await signUpSuperAdmin(app.gateway, PASSWORD);
    const { page, faults } = await app.openWindow();
    await page.goto("/console/");
    await signInOn(page, { email: user.email, password: PASSWORD });
    await giveFactor(app.gateway, user);
    await page.goto("/console/");
    await page.getByRole("heading", { name: "Monitoring" }).waitFor();
    const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    expect(await links.allTextContents()).toEqual(["Platform", "Monitoring", "Announcements", "Settings"]);
    const records = page.getByRole("figure", { name: "Emission records" });
    await records.getByText("Show data").click();
    const count = await app.gateway.database.prisma.emissionRecord.count();
    await records
      .getByRole("row", { name: new RegExp(`20 Nov 2026.*${count.toLocaleString("en")}`) })
      .waitFor();
    expect(await findFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("is hidden from everyone else", async () => {
    const { page } = await app.enter("/console/platform");
    await page.getByText("Page not found, or your role doesn't include it.").waitFor();
    await expect.poll(() => link(page, "Platform").count()).toBe(0);
  });
});
