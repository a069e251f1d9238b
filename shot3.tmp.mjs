import { chromium } from "playwright-core";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const ctx = await b.newContext({ baseURL: "http://127.0.0.1:4303", viewport: { width: 1440, height: 900 }, locale: "en-GB", storageState: "/tmp/h3run/state.json" });
const page = await ctx.newPage();
await page.goto("/console/records/findings");
await page.getByText("to review.").waitFor();
await page.getByRole("button", { name: "Acknowledge" }).nth(1).click();
await page.getByLabel("Note").fill("Refrigerant was refilled after the yearly service.\nSee ticket 12.");
await page.screenshot({ path: "/tmp/h3run/shots/ack-dialog.png" });
await page.getByRole("dialog").getByRole("button", { name: "Acknowledge" }).click();
await page.getByText("3 unusual months to review").waitFor();
await page.getByText("Acknowledged:").waitFor();
await page.screenshot({ path: "/tmp/h3run/shots/ack-message.png" });
await page.getByLabel("Show acknowledged").check();
await page.getByText("By ").first().waitFor();
await page.getByText("How this was computed").first().click();
for (const [scheme, width] of [["light", 1440], ["dark", 1024], ["light", 390]]) {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 900 });
  await page.waitForTimeout(300);
  await page.screenshot({ path: `/tmp/h3run/shots/all-${width}.png`, fullPage: true });
  console.log(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth));
}
await page.setViewportSize({ width: 390, height: 900 });
await page.goto("/console/");
await page.getByText("predicted best").waitFor({ timeout: 60000 });
await page.waitForTimeout(900);
await page.getByRole("region", { name: "Forecast" }).screenshot({ path: `/tmp/h3run/shots/forecast-390.png` });
await b.close();
