import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, expect, it, vi } from "vitest";
import { createAdditionLink } from "../../src/actions/notifications/mail-tokens.js";
import { describeInBrowser, findViolations, signInOn } from "../support/browser.js";
import { button, link, PASSWORD, useConsole } from "../support/console.js";
import { type MailServer, startMailServer, tokenIn } from "../support/hooks.js";
import { signUp } from "../support/people.js";
import { learnPassword } from "../support/secrets.js";

const OTHER_PASSWORD = "a lantern by the harbour";

describeInBrowser("a user's address and forgotten password in the console", () => {
  let mailServer: MailServer;
  const app = useConsole(async () => {
    learnPassword(OTHER_PASSWORD);
    mailServer = await startMailServer();
    const env = { SMTP_URL: mailServer.url, MAIL_FROM: "no-reply@example.com", REGISTRATION: "open" };
    return { env, deliveryMs: 20 };
  });
  afterAll(() => mailServer?.stop());

  /** The token that was mailed to an address under a subject. */
  async function tokenTo(address: string, subject: string): Promise<string> {
    const find = () =>
      mailServer.mails.find(({ to, text }) => to === address && text.includes(`Subject: ${subject}\r\n`));
    await vi.waitFor(() => expect(find()).toBeDefined(), { timeout: 60_000, interval: 20 });
    return tokenIn(find());
  }
  const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
  const member = () => signUp(app.gateway, { organization: "demo", password: PASSWORD });

  it("sets a new password with an e-mailed link, which works once", async () => {
    const { user } = await member();
    const { page, faults } = await app.openWindow();
    await page.goto("/console/");
    await link(page, "Forgot your password?").click();
    await page.getByLabel("E-mail").fill(user.email);
    expect(await findViolations(page)).toEqual([]);
    await button(page, "Send link").click();
    await page.getByText("a link is on its way").waitFor();
    const token = await tokenTo(user.email, "Reset your password");
    await page.goto(`/console/#reset=${token}`);
    await heading(page, "Choose a new password");
    expect([page.url().includes("reset"), await findViolations(page)]).toEqual([false, []]);
    await page.getByLabel("New password").fill("password1234");
    await button(page, "Set password").click();
    await page.getByText("This password is too common. Try a longer phrase.").waitFor();
    await page.getByLabel("New password").fill(OTHER_PASSWORD);
    await page.getByText("Session in").waitFor();
    await page.getByLabel("Some of this wasn't me: remove all of it").check();
    await button(page, "Set password").click();
    await page.getByText("What was added in the last 7 days is removed. Your password is set.").waitFor();
    await signInOn(page, { email: user.email, password: OTHER_PASSWORD });
    await heading(page, "Overview");

    const again = await app.openWindow();
    await again.page.goto(`/console/#reset=${token}`);
    await heading(again.page, "This link no longer works");
    expect(faults.filter((fault) => !/ 4\d\d /.test(fault))).toEqual([]);
  });

  it("asks a new user to confirm the address, with or without a session", async () => {
    const { page } = await app.openWindow();
    await page.goto("/console/register");
    const email = `${randomUUID()}@example.org`;
    await page.getByLabel("Organization").fill("Harbour Works");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await button(page, "Register").click();
    const banner = page.getByRole("region", { name: "Confirm your e-mail address" });
    await banner.waitFor();
    const token = await tokenTo(email, "Confirm your e-mail address");

    const other = await app.openWindow();
    await other.page.goto(`/console/#confirm=${token}`);
    await other.page.getByLabel("Password").waitFor();
    await button(other.page, "This wasn't me").waitFor();
    expect(await findViolations(other.page)).toEqual([]);

    await page.goto(`/console/#confirm=${token}`);
    await button(page, "Confirm").click();
    await page.getByText("Your e-mail address is confirmed.").waitFor();
    await banner.waitFor({ state: "detached" });

    await other.page.getByLabel("Password").fill(PASSWORD);
    await button(other.page, "Confirm").click();
    await other.page.getByText("The link was used or replaced, has expired").waitFor();
  });

  it("removes an addition with the link in the e-mail about it", async () => {
    const { user } = await member();
    const { database } = app.gateway;
    const session = await database.prisma.session.findFirstOrThrow({ where: { userId: user.id } });
    const target = { targetId: session.id, addedAt: session.createdAt, userId: user.id } as const;
    const { token, row } = createAdditionLink({ ...target, kind: "session", now: new Date() }, undefined);
    await database.prisma.additionLink.create({ data: row });
    const { page } = await app.openWindow();
    await page.goto(`/console/#disown=${token}`);
    await heading(page, "Remove what was added");
    await page.getByText("Session in").waitFor();
    expect([page.url().includes("disown"), await findViolations(page)]).toEqual([false, []]);
    await button(page, "Remove it and sign out everywhere").click();
    await heading(page, "Removed");
    expect(await findViolations(page)).toEqual([]);
    expect(await database.prisma.session.count({ where: { userId: user.id, revokedAt: null } })).toBe(0);
    await button(page, "Sign in").click();
    await signInOn(page, { email: user.email, password: PASSWORD });
  });

  it("changes an address, and lets the reader of the old one cancel that", async () => {
    const { user } = await member();
    const { page } = await app.openWindow();
    await page.goto("/console/settings/security");
    await signInOn(page, { email: user.email, password: PASSWORD });
    const email = `${randomUUID()}@example.org`;
    await page.getByLabel("New e-mail address").fill(email);
    await button(page, "Change address").click();
    await page.getByText(`We sent a link to ${email}.`).waitFor();
    const [token, undo] = [
      await tokenTo(email, "Confirm your new e-mail address"),
      await tokenTo(user.email, "Your e-mail address is being changed"),
    ];
    await page.goto(`/console/#change=${token}`);
    await button(page, "Confirm").click();
    await page.getByText("Your e-mail address is confirmed.").waitFor();

    const { prisma } = app.gateway.database;
    const passkey = {
      credentialId: randomUUID(),
      publicKey: "x",
      counter: 0n,
      transports: [],
      backedUp: false,
    };
    await prisma.passkey.create({
      data: { ...passkey, userId: user.id, name: "Thief's key", userVerified: true, createdAt: new Date() },
    });
    const other = await app.openWindow();
    await other.page.goto(`/console/#cancel=${undo}`);
    await heading(other.page, "Keep your e-mail address");
    await other.page.getByText("Passkey Thief's key, added on").waitFor();
    expect(await findViolations(other.page)).toEqual([]);
    await button(other.page, "Cancel the change").click();
    await heading(other.page, "The change is cancelled");
    await other.page.getByText("Passkey Thief's key, added on").waitFor();
    expect(await findViolations(other.page)).toEqual([]);
    expect(await prisma.passkey.count({ where: { userId: user.id } })).toBe(0);
    expect(await prisma.user.findUniqueOrThrow({ where: { id: user.id } })).toMatchObject({
      email: user.email,
    });
  });
});
