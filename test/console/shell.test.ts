import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { button, createKeyOn, link, PAGES, useConsole } from "../support/console.js";

/** Opens the search by its keys, and types. */
async function search(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Pages, facilities, records and keys" }).fill(text);
}

const option = (page: Page, group: string, name: string | RegExp) =>
  page.getByRole("group", { name: group }).getByRole("option", { name });

const focused = (page: Page) => page.evaluate("document.activeElement.textContent");

describeInBrowser("the frame of the console's pages", () => {
  const app = useConsole();

  it("groups the pages, shows the areas of the current one, and moves the focus to their headings", async () => {
    const { page, faults } = await app.enter("/console/");
    const pages = page.getByRole("navigation", { name: "Pages" });
    expect(
      await pages.locator("ul[aria-label]").evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel)),
    ).toEqual(["Measure", "Comply", "Trade", "Assure", "Settings"]);
    await expect.poll(() => link(page, "Facilities").count()).toBe(0);
    await link(page, "Records").click();
    await expect.poll(() => focused(page)).toBe("Records");
    await link(page, "Unusual months").click();
    await expect.poll(() => page.title()).toBe("Unusual months · Carbon Gateway");
    expect(await link(page, "Unusual months").getAttribute("aria-current")).toBe("page");
    expect(await link(page, "Records").getAttribute("aria-current")).toBe("true");
    await link(page, "Settings").click();
    await link(page, "Sessions").click();
    await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
    await expect.poll(() => link(page, "Facilities").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("marks one link of the navigation on every page, and names it like the heading, title and menus", async () => {
    const { page, faults } = await app.enter("/console/");
    const nav = page.getByRole("navigation", { name: "Pages" });
    const names = new Map<string, string>();
    for (const path of [...PAGES.filter((path) => path !== "notifications"), "settings"]) {
      await page.goto(`/console/${path}`);
      const name = (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
      await expect.poll(() => page.title()).toBe(`${name} · Carbon Gateway`);
      const marked = await nav.locator("[aria-current=page]").allTextContents();
      expect({ path, marked }).toEqual({ path, marked: [name] });
      names.set(`/console/${path}`, name);
    }
    expect(new Set(names.values()).size).toBe(names.size - 1);
    const links = await nav.locator("ul ul a").all();
    const inMenus = await page.locator("header [popover] a").all();
    expect(links.length + inMenus.length).toBeGreaterThan(15);
    for (const each of [...links, ...inMenus]) {
      const [href, text] = [await each.getAttribute("href"), await each.textContent()];
      expect([href, text]).toEqual([href, names.get(href ?? "")]);
    }
    expect(faults).toEqual([]);
  });

  it("opens its pages from one bar on a phone, by keyboard alone", async () => {
    const { page, faults } = await app.enter("/console/");
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => link(page, "Market").count()).toBe(0);
    await button(page, "Menu").focus();
    await page.keyboard.press("Enter");
    await link(page, "Market").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await link(page, "Market").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Menu");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Overview");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("Records");
    await expect.poll(() => link(page, "Market").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("has menus for the account and organization that Escape and their links close", async () => {
    const { page, user, faults } = await app.enter("/console/");
    await button(page, "Account menu").click();
    await page.getByText(user.email).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await button(page, "Sign out").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Organization: / }).click();
    expect(await findViolations(page)).toEqual([]);
    const settings = page.locator(".organization").getByRole("link", { name: "Organization", exact: true });
    await settings.click();
    await page.getByRole("heading", { level: 1, name: "Organization" }).waitFor();
    await settings.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  it("finds pages, actions, facilities, records and keys", async () => {
    const { page, faults } = await app.enter("/console/settings/api-keys");
    await createKeyOn(page, "Pune dashboards");
    await search(page, "pune");
    expect(await option(page, "Facilities", /Pune/).getAttribute("href")).toBe(
      "/console/records?facility=IN-PUNE",
    );
    await option(page, "API keys", /^Pune dashboards/).waitFor();
    await expect.poll(() => page.getByRole("group", { name: "Records" }).getByRole("option").count()).toBe(8);
    expect(await findViolations(page)).toEqual([]);

    await search(page, "gb-coventry-business_travel-rail-uk-2026-10");
    await option(page, "Records", /^GB-COVENTRY-business_travel-rail-uk-2026-10/).click();
    await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
    expect(new URL(page.url()).searchParams.get("from")).toBe("2026-10-31");
    await page.getByRole("dialog", { name: "Search" }).waitFor({ state: "detached" });
    await page.getByRole("dialog").getByText("GB-COVENTRY-business_travel-rail-uk-2026-10").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await search(page, "anomal");
    await option(page, "Pages", "Unusual months Records").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Unusual months" }).waitFor();
    await search(page, "question");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Ask" }).waitFor();
    await page.keyboard.press("Control+k");
    await expect.poll(() => page.getByRole("dialog", { name: "Search" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Ask" }).waitFor({ state: "detached" });
    await search(page, "no such thing");
    await page.getByText("Nothing found").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  it("offers a viewer only what the role allows", async () => {
    const { page, faults } = await app.enter("/console/", "viewer");
    await search(page, "a");
    await option(page, "Actions", "Ask a question").waitFor();
    const offered = await page.getByRole("option").allTextContents();
    expect(offered.filter((name) => /API keys|Audit trail|Add a record|Create/.test(name))).toEqual([]);
    await page.goto("/console/settings/api-keys");
    await page.getByText("Page not found, or your role doesn't include it.").waitFor();
    expect(faults).toEqual([]);
  });

  it("shifts nothing while a page loads", async () => {
    const { page } = await app.enter("/console/records");
    await page.addInitScript(`
      globalThis.shifts = [];
      new PerformanceObserver((list) => {
        for (const { sources } of list.getEntries())
          for (const { node } of sources) if (node?.closest?.(".bar, .sidebar, h1")) shifts.push(node.outerHTML);
      }).observe({ type: "layout-shift", buffered: true });
    `);
    await page.reload();
    await page.getByRole("table").waitFor();
    expect(await page.evaluate("shifts")).toEqual([]);
  });
});
