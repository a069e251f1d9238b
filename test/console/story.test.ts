import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { hashKey } from "../../src/access/secrets/api-key.js";
import { generateToken } from "../../src/access/secrets/token.js";
import { describeInBrowser, findViolations, signInOn } from "../support/browser.js";
import {
  askGraphql,
  button,
  confirm,
  createKeyOn,
  link,
  PASSWORD,
  rowOf,
  takeKey,
  useConsole,
} from "../support/console.js";
import { signUp } from "../support/people.js";
import { learnKeys, learnPassword } from "../support/secrets.js";
import { NOW } from "../support/server.js";

const OTHER_PASSWORD = "a kettle and two spoons";

describeInBrowser("users in the console", () => {
  const app = useConsole();
  beforeAll(async () => {
    learnPassword(OTHER_PASSWORD);
  });

  const statusOf = async (key: string) => (await app.gateway.rest("/emissions", key)).status;

  it("leads a user from the first link to a key that works, is rotated and revoked, and to a colleague without that right", async () => {
    const { prisma } = app.gateway.database;
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

    const { page, faults } = await app.openWindow();
    await page.goto(`/console/#sign-in=${token}`);
    await page.getByText("Choose a password for signing in to").waitFor();
    expect(await page.getByLabel("E-mail").inputValue()).toBe("first@example.org");
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("New password").fill("too short");
    expect(page.url()).toBe(`${app.gateway.url}/console/`);
    await button(page, "Set password and sign in").click();
    await page.getByText("Use at least 12 characters. This password has 9.").waitFor();
    await page.getByLabel("New password").fill("password1234");
    await button(page, "Set password and sign in").click();
    await page.getByText("This password is too common. Try a longer phrase.").waitFor();
    await page.getByLabel("New password").fill(PASSWORD);
    await button(page, "Set password and sign in").click();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.getByText("Your password is set.").waitFor();

    const again = await app.openWindow();
    await again.page.goto(`/console/#sign-in=${token}`);
    await again.page.getByRole("heading", { name: "This link no longer works" }).waitFor();
    expect(await findViolations(again.page)).toEqual([]);
    await button(again.page, "Sign in").click();
    await again.page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();

    await link(page, "Settings").click();
    await link(page, "API keys").click();
    await button(page, "Create key").click();
    await page.getByLabel("Name", { exact: true }).fill("Reports");
    await button(page, "Create").click();
    await page.getByText("Choose at least one scope.").waitFor();
    expect(await page.getByLabel("Tier").getByRole("option").allInnerTexts()).toContain(
      "Free: 100 requests an hour",
    );
    await button(page, "Select all").click();
    for (const scope of ["compliance", "credits", "benchmarks", "market"])
      await page.getByLabel(`read:${scope}`).uncheck();
    await button(page, "Create").click();
    const key = await takeKey(page);
    expect(await statusOf(key)).toBe(200);

    const row = rowOf(page, "Reports");
    await row.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("read:credits").check();
    await page.getByLabel("Expires").fill("");
    await confirm(page, "Save");
    await row.getByText("never expires").waitFor();
    await row.getByText("Details").click();
    await row.getByText("read:credits").waitFor();
    expect((await app.gateway.rest("/credits", key)).status).toBe(200);

    await row.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("The old key keeps working").selectOption("1");
    await confirm(page, "Rotate");
    const second = await takeKey(page);
    expect([await statusOf(key), await statusOf(second)]).toEqual([200, 200]);

    const rows = rowOf(page, "Reports .*Active");
    await rows.getByRole("button", { name: "Revoke" }).click();
    await confirm(page, "Revoke");
    await rows.waitFor({ state: "detached" });
    expect([await statusOf(key), await statusOf(second)]).toEqual([200, 401]);

    await link(page, "Members").click();
    await page.getByLabel("E-mail").fill("second@example.org");
    await button(page, "Invite").click();
    const invitation = await page.getByLabel("Invitation link").inputValue();
    learnKeys(invitation);
    await button(page, "Done").click();
    await page.getByRole("cell", { name: "Viewer" }).waitFor();

    const colleague = await app.openWindow();
    await colleague.page.goto(invitation);
    await colleague.page.getByText(`First Owner invited you to ${organization.name}.`).waitFor();
    expect(await colleague.page.getByLabel("E-mail").inputValue()).toBe("second@example.org");
    expect(await findViolations(colleague.page)).toEqual([]);
    await colleague.page.getByLabel("Your name").fill("Second Reader");
    await colleague.page.getByLabel("Password").fill(OTHER_PASSWORD);
    await button(colleague.page, "Join").click();
    await colleague.page
      .getByText(`Welcome to ${organization.name}. As viewer you can see all data.`)
      .waitFor();
    await link(colleague.page, "Settings").click();
    await link(colleague.page, "Members").waitFor();
    await expect.poll(() => link(colleague.page, "API keys").count()).toBe(0);
    const mutation = `mutation { revokeApiKey(input: { id: "${user.id}" }) { apiKey { id } } }`;
    const refusal = await askGraphql(colleague.page, mutation);
    expect(refusal).toMatchObject({ errors: [{ extensions: { code: "FORBIDDEN" } }] });

    await button(page, "Account menu").click();
    await button(page, "Sign out").click();
    await button(page, "Sign in").waitFor();
    await page.goBack();
    await button(page, "Sign in").waitFor();
    await expect.poll(() => page.getByText("Reports").count()).toBe(0);
    expect([faults, colleague.faults]).toEqual([[], []]);
  });

  it("asks for a sign-in when needed, and keeps typed values", async () => {
    const { page, user } = await app.enter("/console/settings/members");
    await page.getByLabel("E-mail").fill("third@example.org");
    await app.gateway.database.prisma.session.updateMany({
      where: { userId: user.id },
      data: { revokedAt: NOW },
    });
    await app.gateway.database.waitForAnnouncements();
    await button(page, "Invite").click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await button(page, "Sign in").click();
    const invitation = page.getByLabel("Invitation link");
    learnKeys(await invitation.inputValue());
    await page.getByRole("heading", { name: "Invitation for third@example.org" }).waitFor();
  });

  /** Opens a page as a user who entered the password an hour ago. */
  const enterLate = async (path: string) => {
    const entered = await app.enter(path);
    await app.gateway.database.prisma.session.updateMany({
      where: { userId: entered.user.id },
      data: { authenticatedAt: new Date(NOW.getTime() - 3_600_000) },
    });
    await app.gateway.database.waitForAnnouncements();
    return entered;
  };
  const givePasswordAgain = async (page: Page) => {
    await page.getByRole("dialog", { name: "Confirm it's you" }).getByLabel("Password").fill(PASSWORD);
    await button(page, "Confirm").click();
  };

  it("asks for the password again before a sensitive action, then completes it", async () => {
    const { page } = await enterLate("/console/settings/api-keys");
    await button(page, "Create key").click();
    await page.getByLabel("Name", { exact: true }).fill("Sensitive");
    await page.getByLabel("read:market").check();
    await button(page, "Create").click();
    await givePasswordAgain(page);
    await takeKey(page);
    await page.getByRole("row", { name: /^Sensitive/ }).waitFor();
  });

  it("asks for it before inviting, and over the dialog that changes a role", async () => {
    await signUp(app.gateway, { organization: "demo", role: "viewer", name: "Vivian Viewer" });
    const { page } = await enterLate("/console/settings/members");
    await rowOf(page, "Vivian Viewer").getByRole("button", { name: "Change role" }).click();
    await page.getByRole("dialog").getByLabel("Role").selectOption("EDITOR");
    await confirm(page, "Change role");
    await givePasswordAgain(page);
    await rowOf(page, "Vivian Viewer").getByText("Editor").waitFor();

    const other = await enterLate("/console/settings/members");
    await other.page.getByLabel("E-mail").fill("fourth@example.org");
    await button(other.page, "Invite").click();
    await givePasswordAgain(other.page);
    learnKeys(await other.page.getByLabel("Invitation link").inputValue());
  });

  it("warns the second of two users who edit the same key, and shows its current values", async () => {
    const first = await app.enter("/console/settings/api-keys");
    await createKeyOn(first.page, "Contested");
    const second = await app.enter("/console/settings/api-keys");
    for (const { page } of [first, second]) {
      await rowOf(page, "Contested").getByRole("button", { name: "Edit" }).click();
    }
    expect(await findViolations(first.page)).toEqual([]);
    await first.page.getByLabel("Name", { exact: true }).fill("Contested by two");
    await confirm(first.page, "Save");
    await second.page.getByLabel("read:market").check();
    await confirm(second.page, "Save");
    const conflict = second.page
      .getByRole("alert")
      .getByText("Someone else has changed this in the meantime.");
    await conflict.waitFor();
    const present = second.page.getByRole("region", { name: "Current values" });
    await present.getByText("Contested by two").waitFor();
    expect(await second.page.getByLabel("read:market").isChecked()).toBe(true);
    await confirm(second.page, "Save");
    await rowOf(second.page, "Contested by two").getByText("Details").click();
    await rowOf(second.page, "Contested by two").getByText("read:market").waitFor();
    await first.page.reload();

    for (const { page } of [first, second]) {
      await rowOf(page, "Contested by two").getByRole("button", { name: "Rotate" }).click();
    }
    await confirm(first.page, "Rotate");
    await takeKey(first.page);
    await confirm(second.page, "Rotate");
    await conflict.waitFor();
  });

  it("lets users manage their account, sessions and organizations", async () => {
    const { page, user, faults } = await app.enter("/console/settings/profile");
    const { prisma } = app.gateway.database;
    const membership = { userId: user.id, role: "owner" } as const;
    await prisma.organization.create({
      data: { slug: `second-works-${user.id}`, name: "Second Works", memberships: { create: membership } },
    });
    await page.reload();
    await page.getByLabel("Your name").fill("Grace Renamed");
    await button(page, "Save").click();
    await page.getByText("Name saved.").waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel("Your name").inputValue()).toBe("Grace Renamed");

    await page.getByRole("button", { name: /^Organization: Demonstration/ }).click();
    await button(page, "Second Works").click();
    await button(page, "Organization: Second Works").waitFor();
    await page.goto("/console/settings/organization");
    await page.getByLabel("New name").fill("Second Works Ltd");
    await button(page, "Rename").click();
    await button(page, "Organization: Second Works Ltd").waitFor();

    await link(page, "Audit trail").click();
    await page
      .getByText('Grace Renamed changed the name of organization "Second Works Ltd" from "Second Works" to')
      .waitFor();
    await page.getByLabel("Subject").selectOption("Members");
    await page.getByLabel("Person").selectOption("Grace Renamed");
    await button(page, "Filter").click();
    await page.getByText("No matching entries.").waitFor();
    await page.getByLabel("Subject").selectOption("Organizations");
    await button(page, "Filter").click();
    await page.getByText("Grace Renamed changed the name of organization").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      link(page, "Export all entries").click(),
    ]);
    expect(await readFile(await file.path(), "utf8")).toContain("organization.updated");

    const elsewhere = await app.openWindow();
    await elsewhere.page.goto("/console/");
    await signInOn(elsewhere.page, { email: user.email, password: PASSWORD });
    await link(page, "Sessions").click();
    for (const others of [2, 1]) {
      await expect.poll(() => button(page, "End session").count()).toBe(others);
      await button(page, "End session").first().click();
      await confirm(page, "End session");
    }
    await expect.poll(() => button(page, "End session").count()).toBe(0);
    await link(elsewhere.page, "Records").click();
    await elsewhere.page.getByRole("dialog", { name: "Your session has ended" }).waitFor();

    await link(page, "Sign-in and security").click();
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByLabel("New password").fill(OTHER_PASSWORD);
    await button(page, "Change password").click();
    await page.getByText("Password changed.").waitFor();
    await elsewhere.page.getByLabel("Password").fill(OTHER_PASSWORD);
    await button(elsewhere.page, "Sign in").click();
    await elsewhere.page.getByRole("heading", { name: "Records" }).waitFor();
    expect(new URL(elsewhere.page.url()).pathname).toBe("/console/records");
    expect([faults, elsewhere.faults]).toEqual([[], []]);
  });

  it("keeps the buttons of a key visible in a narrow window", async () => {
    const { page } = await app.enter("/console/settings/api-keys");
    await page.setViewportSize({ width: 1024, height: 900 });
    await createKeyOn(page, "A key with a name of some length");
    const revoke = rowOf(page, "A key with a name").getByRole("button", { name: "Revoke" });
    const box = await revoke.boundingBox();
    expect((box?.x ?? 1024) + (box?.width ?? 0)).toBeLessThanOrEqual(1024);
    expect(await page.evaluate("document.querySelector('.scroll').scrollWidth")).toBe(
      await page.evaluate("document.querySelector('.scroll').clientWidth"),
    );
  });

  it("hides channels that the operator has not set up", async () => {
    const { page } = await app.enter("/console/settings/notifications");
    await page
      .getByText("E-mail is not available: the operator of this gateway has not set it up.")
      .waitFor();
    await expect.poll(() => page.getByLabel(/E-mail/).count()).toBe(0);
    await page.getByLabel("Verification by Console").uncheck();
    await button(page, "Save").click();
    await page.getByText("Notification settings saved.").waitFor();
  });

  it("registers a user with an organization, whose keys have the tiers of its plan", async () => {
    const { page } = await app.openWindow();
    await page.goto("/console/");
    await link(page, "Register").click();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("Organization").fill("Newcomers");
    await page.getByLabel("Your name").fill("New Comer");
    await page.getByLabel("E-mail").fill("no address");
    await page.getByLabel("Password").fill(PASSWORD);
    await button(page, "Register").click();
    await page.getByText("Expected an e-mail address").waitFor();
    await page.getByLabel("E-mail").fill("newcomer@example.org");
    await button(page, "Register").click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/");
    await page.goto("/console/settings/api-keys");
    await button(page, "Create key").click();
    expect(await page.getByLabel("Tier").getByRole("option").allInnerTexts()).toEqual([
      "Free: 100 requests an hour",
    ]);
  });
});
