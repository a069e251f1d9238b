import { chromium } from "playwright-core";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const url = process.argv[2];
const ctx = await b.newContext({ baseURL: "http://127.0.0.1:4303", viewport: { width: 1440, height: 900 }, locale: "en-GB" });
const page = await ctx.newPage();
page.on("console", (m) => m.type() === "error" && console.log("console", m.text()));
await page.goto(url);
await page.getByLabel("New password").fill("rowing across the bay"); await page.getByRole("button", { name: "Set password and sign in" }).click();
await page.getByText("predicted best").waitFor({ timeout: 60000 });
await page.waitForTimeout(1500);
for (const scheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme: scheme });
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/console/records/findings");
    await page.getByText("to review.").waitFor();
    await page.waitForTimeout(300);
    if (width === 1440) await page.getByText("How this was computed").first().click();
    await page.screenshot({ path: `/tmp/h3run/shots/findings-${scheme}-${width}.png`, fullPage: true });
    await page.goto("/console/");
    await page.getByText("predicted best").waitFor({ timeout: 60000 });
    await page.waitForTimeout(700);
    await page.getByRole("region", { name: "Forecast" }).getByText("How this was computed").click();
    await page.getByRole("region", { name: "Forecast" }).screenshot({ path: `/tmp/h3run/shots/forecast-${scheme}-${width}.png` });
    await page.getByRole("region", { name: "Insights" }).screenshot({ path: `/tmp/h3run/shots/insights-${scheme}-${width}.png` });
    console.log(scheme, width, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth));
  }
}
await ctx.storageState({ path: "/tmp/h3run/state.json" });
await b.close();
