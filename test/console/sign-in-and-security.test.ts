import { generateSync } from "otplib";
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { describeInBrowser, findFaults, findViolations, signInOn, submitSignIn } from "../support/browser.js";
import { button, confirm, PASSWORD, rowOf, useConsole } from "../support/console.js";
import { type NameServer, startNameServer } from "../support/name-server.js";
import { signUp } from "../support/people.js";
import { makeOrganization, NOW } from "../support/server.js";

const STEP_MS = 30_000;

/** Returns an app's code some steps from now: each code is valid only once. */
const codeAfter = (secret: string, steps: number) =>
  generateSync({ secret, epoch: Math.floor((NOW.getTime() + steps * STEP_MS) / 1_000) });

const accountMenu = (page: Page) => button(page, "Account menu");
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });

describeInBrowser("sign-in and security in the console", () => {
  let nameServer: NameServer;
  const app = useConsole(async () => {
    nameServer = await startNameServer();
    return { env: { KEY_PEPPER: "a pepper of this test", DNS_SERVERS: nameServer.address } };
  });
  afterAll(() => nameServer?.stop());

  /** Returns the shown recovery codes, and closes the dialog. */
  async function takeCodes(page: Page): Promise<string[]> {
    const shown = dialog(page, "Your recovery codes");
    const codes = (await shown.locator("pre").innerText()).trim().split("\n");
    expect([new Set(codes).size, await findViolations(page)]).toEqual([10, []]);
    const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Download").click()]);
    expect(file.suggestedFilename()).toBe("carbon-gateway-recovery-codes.txt");
    await button(page, "Done").click();
    return codes;
  }

  /** Adds an authenticator app, and returns its secret and a recovery code. */
  async function addApp(page: Page) {
    await button(page, "Add authenticator app").click();
    const secret = await page.getByLabel("Key", { exact: true }).inputValue();
    await page.getByLabel("Code", { exact: true }).fill(codeAfter(secret, -1));
    await confirm(page, "Confirm");
    const [recoveryCode = ""] = await takeCodes(page);
    return { secret, recoveryCode };
  }

  it("adds an authenticator app, and asks for its code or a recovery code at the next sign-in", async () => {
    const { page, user, faults } = await app.enter("/console/settings/security");
    await button(page, "Add authenticator app").click();
    await page.getByRole("img", { name: "QR code with the key" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Cancel");
    const { secret, recoveryCode } = await addApp(page);
    await page.getByText("10 of 10 left").waitFor();
    expect(await findFaults(page)).toEqual([]);

    const credentials = { email: user.email, password: PASSWORD };
    const other = await app.openWindow();
    await other.page.goto("/console/market");
    await submitSignIn(other.page, credentials);
    await other.page.getByLabel("Code", { exact: true }).fill(codeAfter(secret, 0));
    expect(await findFaults(other.page)).toEqual([]);
    await button(other.page, "Sign in").click();
    await other.page.getByRole("heading", { level: 1, name: "Market" }).waitFor();

    const third = await app.openWindow();
    await third.page.goto("/console/");
    await submitSignIn(third.page, credentials);
    await button(third.page, "Use a recovery code").click();
    await third.page.getByLabel("Recovery code").fill(recoveryCode.toUpperCase());
    await button(third.page, "Sign in").click();
    await accountMenu(third.page).waitFor();

    await app.gateway.database.prisma.session.updateMany({
      where: { userId: user.id },
      data: { factorAt: new Date(NOW.getTime() - 3_600_000) },
    });
    await app.gateway.database.waitForAnnouncements();
    await button(page, "Remove authenticator app").click();
    await confirm(page, "Remove");
    const asks = dialog(page, "Confirm it's you");
    await asks.getByLabel("Code", { exact: true }).fill(codeAfter(secret, 1));
    await button(page, "Confirm").click();
    await page.getByText("Authenticator app removed.").waitFor();
    await button(page, "Add authenticator app").waitFor();
    expect(faults).toEqual([]);
  });

  it("adds a passkey, and signs in with it alone", async () => {
    const { user } = await signUp(app.gateway, { organization: "demo", password: PASSWORD });
    const { page, faults } = await app.openWindow();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    // Otherwise the virtual authenticator would immediately answer the autofill of the e-mail address.
    await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
    // Browsers support no passkeys for IP addresses.
    const site = app.gateway.url.replace("127.0.0.1", "localhost");
    await page.goto(`${site}/console/settings/security`);
    await signInOn(page, { email: user.email, password: PASSWORD });
    await button(page, "Add passkey").click();
    await page.getByLabel("Name", { exact: true }).fill("Laptop");
    await confirm(page, "Add");
    await takeCodes(page);
    await rowOf(page, "Laptop").getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Old laptop");
    await confirm(page, "Save");
    await rowOf(page, "Old laptop").waitFor();
    expect(await findFaults(page)).toEqual([]);

    await accountMenu(page).click();
    await button(page, "Sign out").click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await button(page, "Use a passkey").click();
    await accountMenu(page).click();
    await page.getByText(user.email).first().waitFor();
    expect(faults).toEqual([]);
  });

  it("proves a domain with the record that it shows", async () => {
    const organization = await makeOrganization(app.gateway.database);
    const { page, faults } = await app.enter(
      "/console/settings/organization-security",
      "owner",
      organization,
    );
    await button(page, "Add domain").click();
    await page.getByLabel("Domain", { exact: true }).fill("Example.com");
    await confirm(page, "Add");
    const name = await page.getByLabel("Name", { exact: true }).inputValue();
    const value = await page.getByLabel("Value").inputValue();
    expect(name).toBe("_carbon-gateway.example.com");
    await button(page, "Check now").click();
    await page.getByText("Record not found.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await button(page, "Close").click();
    await rowOf(page, "example.com").getByText("Pending").waitFor();
    expect(await findFaults(page)).toEqual([]);

    nameServer.set(name, [[value]]);
    await button(page, "Show record").click();
    await button(page, "Check now").click();
    await page.getByText("example.com proven.").waitFor();
    await rowOf(page, "example.com").getByText("Proven").waitFor();
    expect(faults).toEqual([]);
  });

  it("requires a second factor of members, who add one before they continue", async () => {
    const organization = await makeOrganization(app.gateway.database);
    const { page } = await app.enter("/console/settings/organization-security", "owner", organization);
    await button(page, "Require a second factor").click();
    await confirm(page, "Require");
    await page
      .getByRole("dialog")
      .getByText(/second factor/i)
      .last()
      .waitFor();
    await confirm(page, "Cancel");
    await page.goto("/console/settings/security");
    await addApp(page);
    await page.goto("/console/settings/organization-security");
    await button(page, "Require a second factor").click();
    await confirm(page, "Require");
    await page.getByText("Every member needs an authenticator app or passkey").waitFor();
    expect(await findFaults(page)).toEqual([]);

    const member = await app.enter("/console/", "viewer", organization);
    await member.page.getByRole("region", { name: "Add second factor" }).waitFor();
    // As if the members' grace period were over.
    const { user } = await signUp(app.gateway, { organization, role: "viewer", password: PASSWORD });
    const { prisma } = app.gateway.database;
    const before = new Date(NOW.getTime() - 30 * 86_400_000);
    await prisma.membership.updateMany({ where: { userId: user.id }, data: { createdAt: before } });
    await prisma.organization.update({ where: { slug: organization }, data: { secondFactorFrom: NOW } });
    const late = await app.openWindow();
    await late.page.goto("/console/");
    await submitSignIn(late.page, { email: user.email, password: PASSWORD });
    await late.page.getByRole("heading", { level: 1, name: "Second factor required" }).waitFor();
    expect(await findFaults(late.page)).toEqual([]);
    await addApp(late.page);
    await button(late.page, "Continue").click();
    await late.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  it("names an address where passkeys work if they don't", async () => {
    const { page } = await app.enter("/console/settings/security");
    const { port } = new URL(app.gateway.url);
    await page.getByRole("link", { name: `http://localhost:${port}` }).waitFor();
    await expect.poll(() => button(page, "Add passkey").count()).toBe(0);
  });
});
