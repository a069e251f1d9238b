import type { Route } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { askGraphql, button, createKeyOn, link, PAGES, useConsole } from "../support/console.js";
import { learnKeys } from "../support/secrets.js";

/** Answers with 429, like a gateway whose limit resets in a second. */
const refuseOnce = (route: Route) =>
  route.fulfill({
    status: 429,
    headers: { "Retry-After": "1" },
    json: {
      errors: [{ message: "The limit resets in 1 seconds.", extensions: { code: "RATE_LIMIT_EXCEEDED" } }],
    },
  });

/** Lists tables wider than the page, and buttons beyond its right edge. */
const LIST_HIDDEN = `[
  ...[...document.querySelectorAll(".scroll")].filter(
    (scroller) => scroller.checkVisibility({ contentVisibilityAuto: true }) && scroller.scrollWidth > scroller.clientWidth,
  ),
  ...[...document.querySelectorAll("main button")].filter(
    (button) => button.checkVisibility() && button.getBoundingClientRect().right > innerWidth,
  ),
].map((element) => element.ariaLabel ?? element.textContent)`;

/** Lists texts that start left of their scroller, where users cannot scroll. */
const LIST_CUT_TEXTS = `[...document.querySelectorAll(".scroll")].flatMap((scroller) => {
  const { left } = scroller.getBoundingClientRect();
  const texts = document.createTreeWalker(scroller, NodeFilter.SHOW_TEXT);
  const cut = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    if (box.width > 0 && box.left < left - 0.5) cut.push(text.textContent);
  }
  return cut;
})`;

describeInBrowser("the pages of the console", () => {
  const app = useConsole();

  it("draws charts whose tables match the GraphQL response", async () => {
    const { page, faults } = await app.enter("/console/?from=2026-01-01&to=2026-06-30");
    const figure = page.getByRole("figure", { name: "Largest facilities" });
    await figure.getByText("Show data").click();
    const shown = await figure
      .locator("tbody data")
      .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute("value"))));
    const { data } = await askGraphql(
      page,
      `{ emissions(range: { from: "2026-01-01", to: "2026-06-30" }) { byFacility(first: 10) { co2eTonnes } } }`,
    );
    const answered = data.emissions.byFacility as { co2eTonnes: number }[];
    expect(shown).toEqual(answered.map(({ co2eTonnes }) => co2eTonnes));
    expect(shown.length).toBeGreaterThan(2);

    const colors = await page.evaluate(`(() => {
      const canvas = document.querySelectorAll("canvas")[1];
      return new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size;
    })()`);
    expect(colors).toBeGreaterThan(10);

    const [file] = await Promise.all([page.waitForEvent("download"), button(page, "CSV").nth(1).click()]);
    expect(file.suggestedFilename()).toBe("largest-facilities.csv");
    expect(faults).toEqual([]);
  });

  it("writes every change with its sign, and a decrease with a minus sign instead of a hyphen", async () => {
    const { page } = await app.enter("/console/");
    const changes: string[] = [];
    for (const path of ["", "records/findings?all=yes", "market"]) {
      await page.goto(`/console/${path}`);
      await page.locator("main :is(table, figure)").first().waitFor();
      await page.locator(".skeleton").first().waitFor({ state: "detached" });
      const text = await page.locator("main").evaluate((main) => main.textContent ?? "");
      const cells = await page.locator("td[data-title^=Change]").allTextContents();
      const inText = text.matchAll(/(?:Change: |a year earlier: |\. )(\S+) (?:% since|tCO₂e|%)/g);
      changes.push(...cells, ...Array.from(inText, ([, change = ""]) => change));
    }
    expect(changes.length).toBeGreaterThan(15);
    expect(changes.filter((change) => !/^(?:[+−](?:< )?\d|0|New$|None now$)/.test(change))).toEqual([]);
  });

  it("pages forwards and backwards, also after a reload, and the browser's Back returns to the page before", async () => {
    const { page, faults } = await app.enter("/console/records");
    const pagination = page.getByRole("navigation", { name: "Pagination" });
    const first = () => page.locator("main tbody th a").first().getAttribute("href");
    const idOf = (href: string | null) => new URL(href ?? "", page.url()).searchParams.get("record");
    const shown = async () => idOf(await first());
    const pages = [await shown()];
    for (const step of ["Next page", "Next page", "Next page"]) {
      await pagination.getByRole("button", { name: step }).click();
      await expect.poll(shown).not.toBe(pages.at(-1));
      pages.push(await shown());
    }
    expect(new Set(pages).size).toBe(4);
    await pagination.getByRole("button", { name: "Previous page" }).click();
    await expect.poll(shown).toBe(pages[2]);
    await page.reload();
    await expect.poll(shown).toBe(pages[2]);
    await pagination.getByRole("button", { name: "Previous page" }).click();
    await expect.poll(shown).toBe(pages[1]);
    await page.goBack();
    await expect.poll(shown).toBe(pages[2]);
    await page.goForward();
    await pagination.getByRole("button", { name: "Previous page" }).click();
    await expect.poll(shown).toBe(pages[0]);
    expect(await pagination.getByRole("button", { name: "Previous page" }).isDisabled()).toBe(true);
    expect(new URL(page.url()).search).toBe("");
    expect(faults).toEqual([]);
  });

  it("reports that it is offline or over its limit, and continues automatically", async () => {
    const { page } = await app.enter("/console/");
    await page.context().setOffline(true);
    await link(page, "Records").click();
    await page.getByText("Connection lost. Reconnecting…").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("table").waitFor();
    await page.getByText("Connection lost").waitFor({ state: "detached" });

    await page.context().setOffline(true);
    await link(page, "Market").click();
    await page.getByText("Connection lost. Reconnecting…").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Market" }).waitFor();

    await page.route("**/graphql", refuseOnce, { times: 1 });
    await link(page, "Credits").click();
    await page.getByText("Continues automatically at").waitFor();
    await page.getByRole("table").last().waitFor();
    await page.getByText("Continues automatically").waitFor({ state: "detached" });
  });

  it("is accessible, fits every width and violates no policy on every page, with the heading at the top", async () => {
    const { page, faults } = await app.enter("/console/settings/api-keys");
    await createKeyOn(page, "Key");
    const made = await askGraphql(
      page,
      `mutation { createServiceAccount(input: { name: "Account", role: ADMIN }) { token } }`,
    );
    learnKeys(made.data.createServiceAccount.token);
    for (const path of PAGES) {
      await page.setViewportSize({ width: 390, height: 900 });
      await page.goto(`/console/${path}`);
      const heading = page.getByRole("heading", { level: 1 });
      await heading.waitFor();
      for (const width of [390, 1024, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        expect([path, width, (await heading.boundingBox())?.y]).toEqual([
          path,
          width,
          expect.toSatisfy((y) => y <= 100),
        ]);
        await page.locator(".skeleton").first().waitFor({ state: "detached" });
        // This takes half of the test's time.
        const violations = width === 1024 ? [] : await findViolations(page);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        const hidden = await page.evaluate(LIST_HIDDEN);
        const cut = await page.evaluate(LIST_CUT_TEXTS);
        const found = { path, width, violations, overflow, hidden, cut };
        expect(found).toEqual({ path, width, violations: [], overflow: 0, hidden: [], cut: [] });
      }
    }
    expect(faults).toEqual([]);
  }, 300_000);

  it("loads at most 160 kB to show the Overview for the first time", async () => {
    const { page } = await app.enter("/console/records");
    const network = await page.context().newCDPSession(page);
    let bytes = 0;
    network.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await network.send("Network.enable");
    await network.send("Network.setCacheDisabled", { cacheDisabled: true });
    await page.goto("/console/");
    await page.getByRole("figure").nth(3).waitFor();
    await page.waitForLoadState("networkidle");
    console.info(`Overview: ${bytes} bytes`);
    expect(bytes).toBeLessThan(160_000);
  });
});
