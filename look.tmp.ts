import { chromium } from "playwright-core";
const base = "http://127.0.0.1:4505";
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const email = `a${Date.now()}@example.org`;
const reg = await fetch(`${base}/api/v1/auth/register`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ email, password: "rowing across the bay", name: "Ada", organization: { name: "Werke " + Date.now() } }) });
console.log(reg.status, (await reg.text()).slice(0, 200));
const context = await browser.newContext({ baseURL: base, viewport: { width: 1440, height: 1000 }, acceptDownloads: true });
const page = await context.newPage();
page.on("pageerror", (e) => console.log("PAGEERROR", e.message));
page.on("console", (m) => m.type() === "error" && console.log("CONSOLE", m.text()));
await page.goto("/console/records/imports");
await page.getByLabel("E-mail").fill(email);
await page.getByLabel("Password").fill("rowing across the bay");
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("button", { name: "Import a file" }).waitFor();
const shot = async (name: string) => {
  for (const [w, h] of [[1440, 1000], [390, 800]] as const) {
    await page.setViewportSize({ width: w, height: h });
    for (const scheme of ["light", "dark"] as const) {
      if (w === 390 && scheme === "dark") continue;
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForTimeout(200);
      await page.screenshot({ path: `/tmp/w5-${name}-${w}-${scheme}.png` });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 1000 });
};
await shot("imports");
await page.getByRole("button", { name: "Import a file" }).click();
await page.getByLabel("CSV file", { exact: true }).waitFor();
await shot("choose");
await page.getByLabel("CSV file", { exact: true }).setInputFiles(process.argv[2] ?? "/tmp/w5-german.csv");
await page.getByText("We understood your file like this").waitFor();
await shot("preview");
await page.getByLabel("Country of the new facilities").selectOption("DE").catch((e) => console.log(e.message.slice(0, 100)));
await page.waitForTimeout(500);
await page.getByRole("button", { name: "Check" }).click();
await page.getByRole("button", { name: /^(Import \d|Save|Check again)/ }).waitFor({ timeout: 60000 });
await shot("checked");
const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Import / }).last().click()]);
console.log(download.suggestedFilename());
await download.saveAs("/tmp/w5-left.csv");
await shot("done");
await page.getByRole("link", { name: "See the chart" }).click();
await page.waitForTimeout(2500);
await shot("chart");
await browser.close();
