import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashKey } from "../../src/access/api-key.js";
import { generateToken } from "../../src/access/token.js";
import { loadSample } from "../../src/actions/sample.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import { findViolations, NO_BROWSER, openBrowser, openPage, signInOn } from "../support/browser.js";
import { learnKeys, learnPassword } from "../support/heard.js";
import { signUp } from "../support/people.js";
import { type Gateway, type GraphqlBody, NOW, startGateway } from "../support/server.js";

if (NO_BROWSER) console.warn(NO_BROWSER);

const PASSWORD = "rowing across the bay";
const OTHER_PASSWORD = "a kettle and two spoons";

describe.skipIf(NO_BROWSER)("the console in a browser", () => {
  let gateway: Gateway;
  let browser: Browser;

  beforeAll(async () => {
    for (const password of [PASSWORD, OTHER_PASSWORD]) learnPassword(password);
    gateway = await startGateway();
    await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  /** Opens a window of its own, as another person's browser would be. */
  const openWindow = async () =>
    openPage(await browser.newContext({ baseURL: gateway.url, viewport: { width: 1280, height: 900 } }));

  /** Opens a page of the console as a new member of the demonstration organization. */
  async function enter(path: string, role: "viewer" | "owner" = "owner") {
    const { user } = await signUp(gateway, { organization: "demo", role, password: PASSWORD });
    const window = await openWindow();
    await window.page.goto(path);
    await signInOn(window.page, { email: user.email, password: PASSWORD });
    return { ...window, user };
  }

  const statusOf = async (key: string) => (await gateway.rest("/emissions", key)).status;
  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  const confirm = (page: Page, name: string) =>
    page.getByRole("dialog").getByRole("button", { name }).click();

  /** What GraphQL answers to a query of the page itself. */
  const askGraphql = (page: Page, query: string): Promise<GraphqlBody> =>
    page.evaluate(async (body) => {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch("/graphql", { method: "POST", headers, body });
      return (await answer.json()) as GraphqlBody;
    }, JSON.stringify({ query }));

  /** The new key that the page shows, which is then put away. */
  async function takeKey(page: Page): Promise<string> {
    const key = await page.getByLabel("Your new API key").inputValue();
    learnKeys(key);
    await button(page, "I have kept it").click();
    return key;
  }

  it("takes a person from the first link to a key that works, is rotated and revoked, and to a colleague who may not", async () => {
    const { prisma } = gateway.database;
    const organization = await prisma.organization.findUniqueOrThrow({ where: { slug: "demo" } });
    const user = await prisma.user.create({
      data: {
        email: "first@example.org",
        name: "First Owner",
        memberships: { create: { organizationId: organization.id, role: "owner" } },
      },
    });
    const token = generateToken("link");
    learnKeys(token);
    await prisma.signInLink.create({
      data: {
        userId: user.id,
        tokenHash: hashKey(token, undefined),
        expiresAt: new Date(NOW.getTime() + 900_000),
      },
    });

    const { page, faults } = await openWindow();
    await page.goto(`/console/#sign-in=${token}`);
    await page.getByLabel("New password").fill("too short");
    expect(page.url()).toBe(`${gateway.url}/console/`);
    await button(page, "Set password and sign in").click();
    await page.getByText("Expected 12 to 200 characters, got 9.").waitFor();
    await page.getByLabel("New password").fill(PASSWORD);
    await button(page, "Set password and sign in").click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();

    await link(page, "Settings").click();
    await link(page, "API keys").click();
    await button(page, "Create key").click();
    await page.getByLabel("Name", { exact: true }).fill("Reports");
    await button(page, "Create").click();
    await page.getByText("Choose at least one scope.").waitFor();
    await page.getByLabel("read:emissions").check();
    await button(page, "Create").click();
    const key = await takeKey(page);
    expect(await statusOf(key)).toBe(200);

    const row = page.getByRole("row", { name: /^Reports/ });
    await row.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("The old key goes on").selectOption("1");
    await confirm(page, "Rotate");
    const second = await takeKey(page);
    expect([await statusOf(key), await statusOf(second)]).toEqual([200, 200]);

    const rows = page.getByRole("row", { name: /^Reports .*Active/ });
    await rows.getByRole("button", { name: "Revoke" }).click();
    await confirm(page, "Revoke");
    await rows.waitFor({ state: "detached" });
    expect([await statusOf(key), await statusOf(second)]).toEqual([200, 401]);

    await link(page, "Members").click();
    await page.getByLabel("E-mail").fill("second@example.org");
    await button(page, "Invite").click();
    const invitation = await page.getByLabel("Link of the invitation").inputValue();
    learnKeys(invitation);
    await button(page, "Done").click();
    await page.getByRole("cell", { name: "Viewer" }).waitFor();

    const colleague = await openWindow();
    await colleague.page.goto(invitation);
    await colleague.page.getByLabel("Your name").fill("Second Reader");
    await colleague.page.getByLabel("Password").fill(OTHER_PASSWORD);
    await button(colleague.page, "Join").click();
    await link(colleague.page, "Settings").click();
    await link(colleague.page, "Members").waitFor();
    expect(await link(colleague.page, "API keys").count()).toBe(0);
    const mutation = `mutation { revokeApiKey(id: "${user.id}") { id } }`;
    const refusal = await askGraphql(colleague.page, mutation);
    expect(refusal).toMatchObject({ errors: [{ extensions: { code: "FORBIDDEN" } }] });

    await button(page, "Sign out").click();
    await button(page, "Sign in").waitFor();
    await page.goBack();
    await button(page, "Sign in").waitFor();
    expect(await page.getByText("Reports").count()).toBe(0);
    expect([faults, colleague.faults]).toEqual([[], []]);
  });

  it("draws charts whose tables are what GraphQL answers", async () => {
    const { page, faults } = await enter("/console/?from=2026-01-01&to=2026-06-30");
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

  it("asks for the sign-in where it is needed again, and keeps what was typed", async () => {
    const { page, user } = await enter("/console/settings/members");
    await page.getByLabel("E-mail").fill("third@example.org");
    await gateway.database.prisma.session.updateMany({
      where: { userId: user.id },
      data: { revokedAt: NOW },
    });
    await gateway.database.heard();
    await button(page, "Invite").click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await button(page, "Sign in").click();
    const invitation = page.getByLabel("Link of the invitation");
    learnKeys(await invitation.inputValue());
    await page.getByRole("heading", { name: "The invitation of third@example.org" }).waitFor();
  });

  it("asks for the password again before what is sensitive, and goes on", async () => {
    const { page, user } = await enter("/console/settings/api-keys");
    await gateway.database.prisma.session.updateMany({
      where: { userId: user.id },
      data: { authenticatedAt: new Date(NOW.getTime() - 3_600_000) },
    });
    await gateway.database.heard();
    await button(page, "Create key").click();
    await page.getByLabel("Name", { exact: true }).fill("Sensitive");
    await page.getByLabel("read:market").check();
    await button(page, "Create").click();
    await page.getByRole("dialog", { name: "Confirm that it is you" }).getByLabel("Password").fill(PASSWORD);
    await button(page, "Confirm").click();
    await takeKey(page);
    await page.getByRole("row", { name: /^Sensitive/ }).waitFor();
  });

  it("tells the second of two people who change the same key", async () => {
    const first = await enter("/console/settings/api-keys");
    await button(first.page, "Create key").click();
    await first.page.getByLabel("Name", { exact: true }).fill("Contested");
    await first.page.getByLabel("read:credits").check();
    await button(first.page, "Create").click();
    await takeKey(first.page);
    const second = await enter("/console/settings/api-keys");
    const open = async ({ page }: { page: Page }) =>
      page
        .getByRole("row", { name: /^Contested/ })
        .getByRole("button", { name: "Rotate" })
        .click();
    await open(first);
    await open(second);
    await confirm(first.page, "Rotate");
    await takeKey(first.page);
    await confirm(second.page, "Rotate");
    await second.page
      .getByRole("alert")
      .getByText(/version/i)
      .first()
      .waitFor();
  });

  it("says that it is offline, and goes on by itself", async () => {
    const { page } = await enter("/console/");
    await page.context().setOffline(true);
    await link(page, "Records").click();
    await page.getByText("Offline: the gateway does not answer.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("table").waitFor();
    await page.getByText("Offline").waitFor({ state: "detached" });
  });

  it.each([1280, 360])(
    "is accessible, fits and breaks no policy on every page, %i pixels wide",
    async (width) => {
      const { page, faults } = await enter("/console/");
      await page.setViewportSize({ width, height: 900 });
      const areas = ["api-keys", "members", "sessions", "audit-trail", "organization"];
      const pages = [
        "",
        "records",
        "compliance",
        "credits",
        "market",
        ...areas.map((area) => `settings/${area}`),
      ];
      for (const path of pages) {
        await page.goto(`/console/${path}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.locator(".skeleton").first().waitFor({ state: "detached" });
        expect([path, await findViolations(page)]).toEqual([path, []]);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([path, overflow]).toEqual([path, 0]);
      }
      expect(faults).toEqual([]);
    },
  );

  it("takes at most 150 kB to show the Overview for the first time", async () => {
    const { page } = await enter("/console/records");
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
    expect(bytes).toBeLessThan(150_000);
  });
});
