import { generateSync } from "otplib";
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { openDirectory } from "../scim/directory.js";
import { describeInBrowser, findFaults, findViolations } from "../support/browser.js";
import {
  askGraphql,
  button,
  confirm,
  type Entered,
  PASSWORD,
  rowOf,
  useConsole,
} from "../support/console.js";
import { type NameServer, startNameServer } from "../support/name-server.js";
import { addApp, addMember, signUp } from "../support/people.js";
import { type ScriptedProvider, startProvider } from "../support/provider.js";
import { learnKeys } from "../support/secrets.js";
import { makeOrganization, NOW } from "../support/server.js";

const SETTINGS = "/console/settings/organization-security";
const PEPPER = "a pepper of this test";
const NOW_SECONDS = NOW.getTime() / 1_000;

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const accountMenu = (page: Page) => button(page, "Account menu");

describeInBrowser("single sign-on in the console", () => {
  let nameServer: NameServer;
  let provider: ScriptedProvider;
  const app = useConsole(async () => {
    [nameServer, provider] = await Promise.all([startNameServer(), startProvider()]);
    const env = {
      KEY_PEPPER: PEPPER,
      DNS_SERVERS: nameServer.address,
      OIDC_ALLOW_NETWORKS: "127.0.0.0/8",
    };
    return { env };
  });
  afterAll(async () => {
    await nameServer?.stop();
    await provider?.stop();
  });

  /** Has the provider sign in a person with this address and these claims. */
  const signInAtProvider = (email: string, claims: object = {}) =>
    provider.setPerson({
      sub: email,
      email,
      email_verified: true,
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 300,
      auth_time: NOW_SECONDS,
      ...claims,
    });

  async function proveDomain(page: Page, domain: string): Promise<void> {
    await button(page, "Add domain").click();
    await page.getByLabel("Domain", { exact: true }).fill(domain);
    await confirm(page, "Add");
    const name = await page.getByLabel("Name", { exact: true }).inputValue();
    nameServer.set(name, [[await page.getByLabel("Value").inputValue()]]);
    await button(page, "Check now").click();
    await rowOf(page, domain).getByText("Proven").waitFor();
  }

  /** Adds a provider to a new organization, tests it and enables it. */
  async function connect(domain: string, role = "VIEWER"): Promise<Entered & { readonly slug: string }> {
    const slug = await makeOrganization(app.gateway.database);
    const owner = await app.enter(SETTINGS, "owner", slug);
    const { page } = owner;
    await proveDomain(page, domain);
    await button(page, "Set up provider").click();
    await page.getByLabel("Issuer").fill(provider.issuer);
    await page.getByLabel("Client ID").fill("gateway");
    await page.getByLabel("Client secret").fill("a secret of the client");
    await page.getByLabel("Default role").selectOption(role);
    await confirm(page, "Save");
    await page.getByRole("dialog").getByLabel("Redirect URI", { exact: true }).waitFor();
    await confirm(page, "Done");
    signInAtProvider(`owner@${domain}`);
    await button(page, "Test sign-in").click();
    await page.getByText("The test succeeded.").waitFor();
    await page.getByRole("link", { name: "Back to Carbon Gateway" }).click();
    await button(page, "Enable").click();
    await confirm(page, "Enable");
    await button(page, "Disable").waitFor();
    return { ...owner, slug };
  }

  /** Signs in through the organization's provider by e-mail address alone. */
  async function enterBy(email: string, claims?: object) {
    signInAtProvider(email, claims);
    const window = await app.openWindow();
    await window.page.goto("/console/");
    await window.page.getByLabel("E-mail").fill(email);
    await button(window.page, "Continue with your organization").click();
    return window;
  }

  it("leads from nothing to the first sign-in of a colleague", async () => {
    const { page, faults } = await connect("first.example");
    expect(await findFaults(page)).toEqual([]);
    const colleague = await enterBy("ada@first.example", { name: "Ada Colleague" });
    await accountMenu(colleague.page).click();
    await colleague.page.getByText("ada@first.example").first().waitFor();
    await colleague.page.goto("/console/settings/security");
    await colleague.page.getByRole("region", { name: "Organizations that sign you in" }).waitFor();
    expect(await findFaults(colleague.page)).toEqual([]);
    expect([faults, colleague.faults]).toEqual([[], []]);
  });

  it("shows the checks of a failed test, and the roles that claims assign", async () => {
    const slug = await makeOrganization(app.gateway.database);
    const { page } = await app.enter(SETTINGS, "owner", slug);
    await button(page, "Set up provider").click();
    await page.getByLabel("Issuer").fill(provider.issuer);
    await page.getByLabel("Client ID").fill("gateway");
    await page.getByLabel("Role claim").fill("groups");
    await page.getByLabel("Values for Admin").fill("bosses\nbosses");
    await page.getByLabel("Values for Editor").fill("staff\nbosses");
    await confirm(page, "Save");
    await page.getByText("bosses already assigns another role.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("Values for Editor").fill("staff");
    await confirm(page, "Save");
    await confirm(page, "Done");
    await page.getByText("From 2 values of the claim groups, otherwise Viewer").waitFor();
    signInAtProvider("ada@unproven.example");
    await button(page, "Test sign-in").click();
    await page.getByText("Failed: The e-mail address is verified, and its domain is proven.").waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Back to Carbon Gateway" }).click();
    await button(page, "Test sign-in").waitFor();
  });

  it("shows the same ID of a refused sign-in to the user and the owner", async () => {
    const { page: owner } = await connect("refused.example");
    const { page } = await enterBy("ada@refused.example", { email_verified: false });
    await heading(page, "Sign-in failed").waitFor();
    await page.getByText("The provider has not verified your e-mail address.").waitFor();
    const id = await page.getByLabel("Request ID").inputValue();
    expect(await findFaults(page)).toEqual([]);
    await button(page, "Back to sign in").click();
    await heading(page, "Sign in").waitFor();
    await owner.reload();
    const row = owner.getByRole("row").filter({ hasText: id });
    await row.getByText("The provider did not confirm that the e-mail address is verified.").waitFor();
    expect(await findFaults(owner)).toEqual([]);
  });

  it("is enforced except for an owner with a password and a second factor", async () => {
    const { page, slug } = await connect("enforced.example");
    const glass = await addMember(app.gateway, slug, "owner", { name: "Grace Glass", password: PASSWORD });
    await page.reload();
    await button(page, "Enforce").click();
    const dialog = page.getByRole("dialog", { name: "Enforce single sign-on" });
    await dialog.getByLabel("Grace Glass").check();
    await dialog.getByText("Has no second factor").first().waitFor();
    await confirm(page, "Enforce");
    await dialog.getByText("Choose owners who have a password and a second factor.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await confirm(page, "Cancel");
    await app.gateway.database.prisma.user.update({
      where: { id: glass.user.id },
      data: { factorSince: NOW },
    });
    await page.reload();
    await button(page, "Enforce").click();
    await dialog.getByLabel("Grace Glass").check();
    await confirm(page, "Enforce");
    await page.getByText("Break-glass owners are exempt: Grace Glass").waitFor();
    expect(await findFaults(page)).toEqual([]);
    await button(page, "Stop enforcing").click();
    await confirm(page, "Stop enforcing");
    await button(page, "Enforce").waitFor();
  });

  it("asks for the gateway's own second factor if the organization requires it", async () => {
    const { page: owner } = await connect("factor.example");
    await button(owner, "Edit").click();
    const choice = owner.getByLabel("Second factor", { exact: true });
    await choice.selectOption({ label: "Ask for the gateway's own second factor" });
    await confirm(owner, "Save");
    await owner.getByText("Identity provider saved.").waitFor();
    const email = "ada@factor.example";
    const secret = await addApp(app.gateway, await signUp(app.gateway, { email }), PEPPER);
    const { page, faults } = await enterBy(email);
    await page.getByLabel("Code", { exact: true }).fill(generateSync({ secret, epoch: NOW_SECONDS }));
    expect(await findFaults(page)).toEqual([]);
    await button(page, "Sign in").click();
    await accountMenu(page).waitFor();
    expect(faults).toEqual([]);
  });

  it("asks the provider again for sensitive actions, in a window that keeps the page unchanged", async () => {
    await connect("again.example", "ADMIN");
    const { page, faults } = await enterBy("ada@again.example");
    await accountMenu(page).waitFor();
    const { prisma, waitForAnnouncements } = app.gateway.database;
    const { id } = await prisma.user.findFirstOrThrow({ where: { email: "ada@again.example" } });
    const before = new Date(NOW.getTime() - 3_600_000);
    await prisma.session.updateMany({
      where: { userId: id },
      data: { authenticatedAt: before, factorAt: before },
    });
    await waitForAnnouncements();
    await page.goto("/console/settings/api-keys");
    await button(page, "Create key").click();
    await page.getByLabel("Name", { exact: true }).fill("ERP");
    await page.getByLabel("read:credits").check();
    await button(page, "Create").click();
    const asks = page.getByRole("dialog", { name: "Confirm it's you" });
    await asks.getByText("Sign in again with your organization's provider").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await asks.getByRole("button", { name: "Continue with your organization" }).click();
    const key = page.getByLabel("Your new API key");
    await key.waitFor();
    learnKeys(await key.inputValue());
    await expect.poll(() => page.context().pages().length).toBe(1);
    expect(faults).toEqual([]);
  });

  it("asks for the user's own password if the provider's proof does not count", async () => {
    await connect("own.example");
    const email = "ada@own.example";
    const { organization } = await signUp(app.gateway, { email, password: PASSWORD });
    const { page, faults } = await enterBy(email);
    await accountMenu(page).waitFor();
    await page.goto("/console/settings/profile");
    await button(page, `Switch to ${organization.name}`).click();
    const asks = page.getByRole("dialog", { name: "Confirm it's you" });
    await asks.getByText("one organization's identity provider. That doesn't count here").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await expect.poll(() => asks.getByRole("button").allInnerTexts()).toEqual(["Cancel", "Confirm"]);
    await asks.getByLabel("Password").fill(PASSWORD);
    await confirm(page, "Confirm");
    await heading(page, "Overview").waitFor();
    const active = async () =>
      (await askGraphql(page, "{ viewer { organization { slug } } }")).data.viewer.organization.slug;
    await expect.poll(active).toBe(organization.slug);
    expect(faults).toEqual([]);
  });

  it("assigns a role to a group of the directory, and removes it", async () => {
    const founder = await signUp(app.gateway, { pepper: PEPPER });
    const directory = await openDirectory(app.gateway, founder);
    const member = await directory.addUser();
    await directory.addGroup([member], { displayName: "Carbon team" });
    const { page, faults } = await app.enter(SETTINGS, "owner", founder.organization.slug);
    const row = rowOf(page, "Carbon team");
    await row.getByText("None").waitFor();
    expect(await findFaults(page)).toEqual([]);
    const choose = async (role: string) => {
      await row.getByRole("button", { name: "Change role" }).click();
      await page.getByLabel("Role", { exact: true }).selectOption({ label: role });
      expect(await findViolations(page)).toEqual([]);
      await confirm(page, "Save");
      await row.getByText(role, { exact: true }).waitFor();
      const memberships = { where: { userId: member.id } };
      return (await app.gateway.database.prisma.membership.findFirstOrThrow(memberships)).role;
    };
    expect([await choose("Editor"), await choose("None"), faults]).toEqual(["editor", "viewer", []]);
  });
});
