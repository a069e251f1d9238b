import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { describe } from "vitest";
import { isMissing } from "./missing-program.js";

/** Browsers in order of preference: the headless shell takes a third of the time of a full browser. */
const CHROMIUM = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** `describe` for tests that need a browser; skips them if none is installed. */
export const describeInBrowser = describe.skipIf(
  isMissing("chromium-headless-shell", CHROMIUM !== undefined, "the console is"),
);

let browser: Promise<Browser> | undefined;

/** Starts the system's Chromium, once per process. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
  return browser;
}

/** A page with its problems: policy violations, script errors, and failed requests. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
}

/** Opens a page and records its problems. */
export async function openPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // The browser also logs refused requests, which a test may expect.
    const isNoise = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isNoise) faults.push(message.text());
  });
  return { page, faults };
}

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Fills in and submits the sign-in form. */
export async function submitSignIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs in with the form, and waits for the console. */
export async function signInOn(page: Page, credentials: Credentials): Promise<void> {
  await submitSignIn(page, credentials);
  await page.getByRole("button", { name: "Account menu" }).waitFor();
}

/** Returns axe-core's violations of WCAG 2.2 AA on a page, with their elements. */
export async function findViolations(page: Page): Promise<string[]> {
  // Evaluated, because the page's policy blocks script elements.
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

/** Returns the violations on a phone and on a wide screen, and by how much the content is wider than each. */
export async function findFaults(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    found.push(...(await findViolations(page)));
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (overflow > 0) found.push(`content is ${overflow} pixels wider than the screen of ${width}`);
  }
  return found;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
