import { chromium } from "playwright-core";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await b.newPage();
await page.goto(process.argv[2]); await page.waitForTimeout(6000);
console.log(page.url()); console.log((await page.locator("body").innerText()).slice(0,800));
await b.close();
