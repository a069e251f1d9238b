import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { readCookie } from "../../src/access/cookie.js";
import { SESSION_COOKIE } from "../../src/access/credentials.js";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import { openBrowser, openPage, type WatchedPage } from "./browser.js";
import { signUp } from "./people.js";
import { learnKeys, learnPassword } from "./secrets.js";
import { type GatewayOptions, type GraphqlBody, NOW, startGateway } from "./server.js";

/** Addresses of the pages of an organization, without `/console/`. */
export const PAGES = [
  "",
  "records",
  "records/findings",
  "records/facilities",
  "records/imports",
  "records/mappings",
  "inventory",
  "inventory/streams",
  "inventory/entities",
  "inventory/electricity",
  "inventory/targets",
  "inventory/issues",
  "inventory/report",
  "verification",
  "verification/assigned",
  "compliance",
  "cbam",
  "cbam/declarations",
  "credits",
  "market",
  "notifications",
  "settings/profile",
  "settings/security",
  "settings/api-keys",
  "settings/service-accounts",
  "settings/webhooks",
  "settings/members",
  "settings/notifications",
  "settings/sessions",
  "settings/audit-trail",
  "settings/organization",
  "settings/organization-security",
];

export const PASSWORD = "rowing across the bay";

export interface Entered extends WatchedPage {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
}

/** The session cookie without its value. */
const SESSION = { name: SESSION_COOKIE, secure: true, httpOnly: true, sameSite: "Strict" } as const;

type TestConsole = Awaited<ReturnType<typeof startConsole>>;

/** Starts a gateway with the sample data, and a browser for its console. */
async function startConsole(options: GatewayOptions) {
  const gateway = await startGateway(options);
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
  const browser = await openBrowser();
  const contexts: BrowserContext[] = [];

  /** Opens a separate browser window, without shared cookies. */
  const openWindow = async (locale = "en-US"): Promise<WatchedPage> => {
    const viewport = { width: 1280, height: 900 };
    const options = { baseURL: gateway.url, viewport, locale, reducedMotion: "reduce" } as const;
    const context = await browser.newContext(options);
    contexts.push(context);
    return openPage(context);
  };

  return {
    gateway,
    openWindow,
    /** Opens a page of the console as a new member of an organization, by default the demo's. */
    async enter(
      path: string,
      role: "viewer" | "admin" | "owner" = "owner",
      organization = "demo",
      locale = "en-US",
    ): Promise<Entered> {
      const { user } = await signUp(gateway, { organization, role, password: PASSWORD });
      const window = await openWindow(locale);
      const { headers } = await gateway.call("/v1/auth/login", {
        method: "POST",
        headers: { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" },
        body: JSON.stringify({ email: user.email, password: PASSWORD, transport: "cookie" }),
      });
      const value = readCookie(headers.get("set-cookie") ?? "", SESSION.name) ?? "";
      learnKeys(value);
      // Playwright sets secure cookies only for https, but the browser also sends them to this machine without it.
      const url = gateway.url.replace("http:", "https:");
      await window.page.context().addCookies([{ ...SESSION, value, url }]);
      await window.page.goto(path);
      await button(window.page, "Account menu").waitFor();
      return { ...window, user };
    },
    async stop(): Promise<void> {
      await Promise.all(contexts.map((context) => context.close()));
      await gateway.stop();
    },
  };
}

/** Provides a console to the tests of a `describe`, from `beforeAll` on. */
export function useConsole(options: GatewayOptions | (() => Promise<GatewayOptions>) = {}): TestConsole {
  const app = {} as TestConsole;
  beforeAll(async () => {
    learnPassword(PASSWORD);
    Object.assign(app, await startConsole(typeof options === "function" ? await options() : options));
  });
  afterAll(() => app.stop?.());
  return app;
}

export const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Locates the table row whose name begins with `name`. */
export const rowOf = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) });

/** Presses a button of the open dialog. */
export const confirm = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

/** Sends a GraphQL query from the page. */
export const askGraphql = (page: Page, query: string): Promise<GraphqlBody> =>
  page.evaluate(async (body) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch("/graphql", { method: "POST", headers, body });
    return (await answer.json()) as GraphqlBody;
  }, JSON.stringify({ query }));

/** Returns the new key that the page shows, and closes it. */
export async function takeKey(page: Page): Promise<string> {
  const key = await page.getByLabel("Your new API key").inputValue();
  learnKeys(key);
  await button(page, "Done").click();
  return key;
}

/** Creates a key on the page of API keys; returns it. */
export async function createKeyOn(page: Page, name: string): Promise<string> {
  await button(page, "Create key").click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("read:credits").check();
  await button(page, "Create").click();
  return takeKey(page);
}
