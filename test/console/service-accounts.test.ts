import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { button, confirm, link, PASSWORD, rowOf, useConsole } from "../support/console.js";
import { connectMcp } from "../support/mcp.js";
import { signUp } from "../support/people.js";
import { learnKeys } from "../support/secrets.js";
import { NOW } from "../support/server.js";

const run = promisify(execFile);

type Headers = Record<string, string>;

/** The new token that the page shows, with the commands and the assistant's configuration below it. Closes the dialog. */
async function takeToken(page: Page) {
  const token = await page.getByLabel("Your new token").inputValue();
  learnKeys(token);
  expect(await findViolations(page)).toEqual([]);
  const commands = await page.getByRole("dialog").locator("pre").allInnerTexts();
  const { mcpServers } = JSON.parse(commands.pop() ?? "");
  await button(page, "Done").click();
  return { token, commands, assistant: mcpServers.carbon as { type: string; url: string; headers: Headers } };
}

describeInBrowser("service accounts in the console", () => {
  const app = useConsole();
  beforeAll(async () => {
    await signUp(app.gateway, { organization: "demo", role: "owner" });
  });

  it("leads an admin from a new account to a record added with its token, a second token, and the end of both", async () => {
    const { page, user, faults } = await app.enter("/console/settings/service-accounts", "admin");
    const { prisma, waitForAnnouncements } = app.gateway.database;
    const authenticatedAt = new Date(NOW.getTime() - 3_600_000);
    await prisma.session.updateMany({ where: { userId: user.id }, data: { authenticatedAt } });
    await waitForAnnouncements();
    await page.clock.setFixedTime(NOW);
    const statusOf = async (token: string, init: RequestInit = {}) =>
      (
        await fetch(`${app.gateway.url}/v1/emissions/records`, {
          ...init,
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        })
      ).status;

    await page.getByText("No active service accounts.").waitFor();
    await button(page, "Create service account").click();
    await page.getByLabel("Role").selectOption("ADMIN");
    expect(await page.getByLabel("read:audit").isChecked()).toBe(true);
    expect(await page.getByLabel("manage:keys").isChecked()).toBe(false);
    await page.getByLabel("Role").selectOption("EDITOR");
    await expect.poll(() => page.getByLabel("manage:keys").count()).toBe(0);
    await button(page, "Create").click();
    await page.getByText("Enter a name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("ERP");
    await page.getByLabel("write:market").uncheck();
    await button(page, "Create").click();
    await page.getByRole("dialog", { name: "Confirm it's you" }).getByLabel("Password").fill(PASSWORD);
    await button(page, "Confirm").click();
    const { token, commands, assistant } = await takeToken(page);
    expect(assistant).toMatchObject({ type: "http", url: `${app.gateway.url}/mcp` });
    const { client, call } = await connectMcp(app.gateway, assistant.headers);
    expect((await call("get_organization")).structuredContent.organization.scopes).toContain(
      "read:emissions",
    );
    await client.close();

    const outputs = [];
    for (const command of [...commands, ...commands.slice(1)]) outputs.push(await run("sh", ["-c", command]));
    const [read, written, again] = outputs.map(({ stdout }) => JSON.parse(stdout));
    expect(read).toMatchObject({ success: true, data: { items: [{}] } });
    expect(written).toMatchObject({ success: true, data: { recorded_on: "2026-11-20", co2e_tonnes: 1.25 } });
    expect(again).toEqual(written);

    const row = rowOf(page, "ERP");
    await row.getByText(`${token.slice(0, 12)}…${token.slice(-4)}`).waitFor();
    await row.getByText("until 18 Feb 2027").waitFor();
    await row.getByRole("button", { name: "Edit" }).click();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel("Role").selectOption("VIEWER");
    await confirm(page, "Save");
    await row.getByText("Viewer").waitFor();
    expect(await statusOf(token)).toBe(200);
    expect(await statusOf(token, { method: "POST", body: "{}" })).toBe(403);

    await row.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("The old token keeps working").selectOption("1");
    await confirm(page, "Rotate");
    const { token: second } = await takeToken(page);
    expect([await statusOf(token), await statusOf(second)]).toEqual([200, 200]);
    await row.getByRole("button", { name: "Rotate" }).click();
    await confirm(page, "Rotate");
    await page.getByText("2 active tokens, the maximum").waitFor();
    await button(page, "Cancel").click();

    await row.getByRole("button", { name: "Revoke" }).click();
    await confirm(page, "Revoke");
    await page.getByText('Service account "ERP" revoked.').waitFor();
    expect([await statusOf(token), await statusOf(second)]).toEqual([401, 401]);
    await row.waitFor({ state: "detached" });
    await page.getByLabel("Show revoked accounts").check();
    await row.getByText("Revoked").waitFor();
    await expect.poll(() => row.getByRole("button").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("is hidden from users who may not manage keys", async () => {
    const { page } = await app.enter("/console/settings/service-accounts", "viewer");
    await page.getByText("Page not found, or your role doesn't include it.").waitFor();
    await expect.poll(() => link(page, "Members").count()).toBe(1);
    await expect.poll(() => link(page, "Service accounts").count()).toBe(0);
  });
});
