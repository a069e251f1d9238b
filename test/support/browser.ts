import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { describe } from "vitest";

/** The shell without a window of its own needs a third of the time of a whole browser. */
const CHROMIUM = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

if (CHROMIUM === undefined)
  console.warn("no Chromium was found: the console is NOT tested (apt-get install chromium-headless-shell)");

/** `describe` for tests that need a browser; skips them if none is installed. */
export const describeInBrowser = describe.skipIf(CHROMIUM === undefined);

let browser: Promise<Browser> | undefined;

/** Starts the system's Chromium, once for all files of a process, with which it ends. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
  return browser;
}

/** A page, and what went wrong on it: violations of its policy, errors of scripts, and answers that failed. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
}

/** Opens a page that notes what goes wrong. */
export async function openPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // A refused request is logged as well; whether it was expected is for the test to say.
    const isNoise = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isNoise) faults.push(message.text());
  });
  return { page, faults };
}

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Fills in the form that signs in, and submits it. */
export async function submitSignIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs in by the form, and waits for the pages of the console. */
export async function signInOn(page: Page, credentials: Credentials): Promise<void> {
  await submitSignIn(page, credentials);
  await page.getByRole("button", { name: "Account menu" }).waitFor();
}

/** What axe-core finds against WCAG 2.2 AA on a page, with the elements. */
export async function findViolations(page: Page): Promise<string[]> {
  // Not by a script element, which the page's policy refuses.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(`${AXE}; undefined`);
  return page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }).axe;
    const { violations } = await axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
      resultTypes: ["violations"],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

/** The violations on a page as narrow as a phone's and on a wide one, and by how much its content is wider than each. */
export async function findFaults(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    found.push(...(await findViolations(page)));
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (overflow > 0) found.push(`${overflow} of more than ${width} pixels`);
  }
  return found;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
