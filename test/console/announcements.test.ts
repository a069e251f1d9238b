import { expect, it } from "vitest";
import { describeInBrowser, findViolations, signInOn } from "../support/browser.js";
import { button, confirm, link, PASSWORD, rowOf, useConsole } from "../support/console.js";
import { giveFactor, signUpSuperAdmin } from "../support/people.js";
import { NOW } from "../support/server.js";

const TEXT = `From **02:00 UTC** on, see [the *plan*](https://example.org/plan?a=1&b=2).

- <img src=x onerror=alert(1)>
- [bad](javascript:alert(1))

1. first
2. _second_`;

describeInBrowser("announcements in the console", () => {
  const app = useConsole();

  it("are written by a super admin with a preview, shown on every page, dismissed by a reader, and ended", async () => {
    const { user } = await signUpSuperAdmin(app.gateway, PASSWORD);
    const root = await app.openWindow();
    await root.page.goto("/console/platform/announcements");
    await signInOn(root.page, { email: user.email, password: PASSWORD });
    await giveFactor(app.gateway, user);
    await root.page.clock.setFixedTime(NOW);
    await root.page.goto("/console/platform/announcements");
    await root.page.getByText("No announcements yet.").waitFor();
    await button(root.page, "New announcement").click();
    const dialog = root.page.getByRole("dialog");
    await dialog.getByLabel("From").fill("2099-01-01T00:00");
    await dialog.getByLabel("Until").fill("2020-01-01T00:00");
    await dialog.getByLabel("Title").fill("Maintenance on Sunday");
    await dialog.getByLabel("Text").fill(TEXT);
    await dialog.getByLabel("Level").selectOption("Warning");
    const preview = dialog.getByRole("region", { name: "Maintenance on Sunday" });
    await preview.getByText("Warning: Maintenance on Sunday").waitFor();
    expect(await findViolations(root.page)).toEqual([]);
    await confirm(root.page, "Publish");
    await dialog.getByText("Until must be after the start").waitFor();
    await dialog.getByLabel("Until").fill("");
    await confirm(root.page, "Publish");
    await rowOf(root.page, "Maintenance on Sunday").getByText("Scheduled").waitFor();
    await rowOf(root.page, "Maintenance on Sunday").getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("From").fill("");
    await confirm(root.page, "Save");
    await rowOf(root.page, "Maintenance on Sunday").getByText("Active").waitFor();

    const { announcement } = app.gateway.database.prisma;
    const later = { title: "Later", body: "Later", level: "info", startsAt: new Date("2098-01-01") };
    await announcement.createMany({ data: Array.from({ length: 25 }, () => later) });
    await root.page.reload();
    await button(root.page, "Next page").click();
    await rowOf(root.page, "Maintenance on Sunday").getByRole("button", { name: "Edit" }).click();
    await announcement.updateMany({
      where: { title: "Maintenance on Sunday" },
      data: { title: "Maintenance on Monday", version: { increment: 1 } },
    });
    await confirm(root.page, "Save");
    await dialog.getByRole("region", { name: "Current values" }).getByText("Maintenance on Monday").waitFor();
    await confirm(root.page, "Save");
    await dialog.waitFor({ state: "detached" });
    await announcement.deleteMany({ where: { title: later.title } });
    await root.page.goto("/console/platform/announcements");

    const reader = await app.enter("/console/credits");
    const shown = reader.page.getByRole("region", { name: "Maintenance on Sunday" });
    await shown.getByText("02:00 UTC").waitFor();
    expect(await shown.locator("div").first().innerHTML()).toBe(
      [
        "<p><strong>Warning: Maintenance on Sunday</strong></p>",
        '<p>From <strong>02:00 UTC</strong> on, see <a href="https://example.org/plan?a=1&amp;b=2" target="_blank" rel="noopener">the *plan*</a>.</p>',
        "<ul><li>&lt;img src=x onerror=alert(1)&gt;</li><li>[bad](javascript:alert(1))</li></ul>",
        "<ol><li>first</li><li>_second_</li></ol>",
      ].join(""),
    );
    for (const width of [360, 1280]) {
      await reader.page.setViewportSize({ width, height: 900 });
      expect(await findViolations(reader.page)).toEqual([]);
    }
    await link(reader.page, "Market").click();
    await shown.getByRole("button", { name: "Dismiss Maintenance on Sunday" }).click();
    await shown.waitFor({ state: "detached" });
    await reader.page.reload();
    await reader.page.waitForLoadState("networkidle");
    await reader.page.getByRole("heading", { name: "Market", exact: true }).waitFor();
    await expect.poll(() => shown.count()).toBe(0);

    const other = await app.enter("/console/");
    await other.page.getByRole("region", { name: "Maintenance on Sunday" }).waitFor();
    await root.page.clock.setFixedTime(NOW.getTime() + 60_000);
    await rowOf(root.page, "Maintenance on Sunday").getByRole("button", { name: "End" }).click();
    await confirm(root.page, "End");
    await rowOf(root.page, "Maintenance on Sunday").getByText("Ended").waitFor();
    await rowOf(root.page, "Maintenance on Sunday").getByRole("button", { name: "Delete" }).click();
    await confirm(root.page, "Delete");
    await root.page.getByText("No announcements yet.").waitFor();
    for (const { faults } of [root, reader, other]) expect(faults).toEqual([]);
  });
});
