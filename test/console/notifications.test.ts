import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { notify } from "../../src/actions/notifications/notify.js";
import { write } from "../../src/data/database/transaction.js";
import { describeInBrowser, findFaults } from "../support/browser.js";
import { button, type Entered, link, useConsole } from "../support/console.js";
import { learnKeys } from "../support/secrets.js";
import { NOW } from "../support/server.js";

describeInBrowser("notifications in the console", () => {
  // These tests send no e-mails, so no server needs to listen.
  const env = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "no-reply@example.com" };
  const app = useConsole({ env, webhooks: { resolve: async () => ["1.1.1.1"] } });

  const notifyUser = ({ user }: Entered, title: string, body = "") =>
    write(app.gateway.database, "serve", (sql) =>
      notify(sql, {
        organizationId: null,
        to: { users: [user.id] },
        key: randomUUID(),
        category: "deadline",
        severity: "high",
        title,
        body,
        link: "/console/compliance",
        now: NOW,
      }),
    );

  it("counts unread notifications, lists them, and marks them as read", async () => {
    const entered = await app.enter("/console/");
    const { page, faults } = entered;
    await notifyUser(
      entered,
      "Due tomorrow: Annual declaration",
      "Source: <b>Article 6</b>\nhttps://example.org/law",
    );
    await notifyUser(entered, "Due today: Report");
    await link(page, "Records").click();
    await link(page, "Notifications, 2 unread").click();
    await page.getByText("Source: <b>Article 6</b>").waitFor();
    expect(await link(page, "https://example.org/law").getAttribute("rel")).toBe("noopener noreferrer");
    expect(await findFaults(page)).toEqual([]);
    await link(page, "Due today: Report").click();
    await page.getByRole("heading", { name: "Compliance", level: 1 }).waitFor();
    await link(page, "Notifications, 1 unread").click();
    // Playwright presses a key on a disabled button, too, and this one is disabled until the list has come.
    await link(page, "Due tomorrow: Annual declaration").waitFor();
    await button(page, "Mark all as read").press("Enter");
    await page.getByText("No unread notifications.").waitFor();
    await link(page, "Notifications").waitFor();
    await page.getByLabel("Show read notifications").check();
    await link(page, "Due tomorrow: Annual declaration").waitFor();
    expect(faults).toEqual([]);
  });

  it("lets a user choose how to be notified, and shows a webhook's secret once", async () => {
    const { page, faults, user } = await app.enter("/console/settings/notifications");
    await page.getByRole("row", { name: "Security Always Always Always" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    // Security notifications cannot be switched off.
    expect(await page.getByLabel(/^Security by /).count()).toBe(0);
    expect(await page.getByLabel(/^(Credits|Prices|Announcements) by /).count()).toBe(9);
    await page.getByLabel("Verification by E-mail").uncheck();
    await page.getByLabel("Days before a deadline").fill("60, soon");
    await page.getByLabel("Webhook", { exact: true }).check();
    await button(page, "Save").click();
    await page.getByText("Enter whole numbers separated by commas").waitFor();
    await page.getByText("Enter a URL, or switch the webhook off.").waitFor();
    await page.getByLabel("Days before a deadline").fill("60, 14");
    await page.getByLabel("Webhook URL").fill("http://hooks.example.com/");
    await button(page, "Save").click();
    await page.getByText("Expected an https URL").waitFor();
    await page.getByLabel("Webhook URL").fill("https://hooks.example.com/");
    await page.getByLabel("E-mails", { exact: true }).selectOption("weekly");
    await page.getByLabel("Time zone").fill("Asia/Kolkata");
    await button(page, "Save").click();
    const secret = await page.getByLabel("Secret", { exact: true }).inputValue();
    learnKeys(secret);
    expect(secret).toMatch(/^whsec_/);
    await button(page, "Done").click();
    await page.getByText("Notification settings saved.").waitFor();
    await page.reload();
    await page.getByLabel("Time zone").waitFor();
    expect(await page.getByLabel("Verification by E-mail").isChecked()).toBe(false);
    expect(await page.getByLabel("Webhook URL").inputValue()).toBe("https://hooks.example.com/");
    const stored = await app.gateway.database.prisma.notificationPreferences.findUnique({
      where: { userId: user.id },
    });
    expect(stored).toMatchObject({
      settings: {
        categories: { deadline: { days_before: [60, 14] }, verification: { email: false } },
        digest: { frequency: "weekly", timezone: "Asia/Kolkata" },
      },
      version: 2,
    });
    await button(page, "Create new secret").click();
    const next = await page.getByLabel("Secret", { exact: true }).inputValue();
    learnKeys(next);
    expect(next).not.toBe(secret);
    expect(faults).toEqual([]);
  });
});
