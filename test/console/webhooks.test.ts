import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "../support/browser.js";
import { askGraphql, button, confirm, rowOf, useConsole } from "../support/console.js";
import { startEventReceiver } from "../support/hooks.js";
import { learnKeys } from "../support/secrets.js";
import { use } from "../support/use.js";

describeInBrowser("webhooks in the console", () => {
  const app = useConsole({
    webhooks: { resolve: async (host) => [host], isAllowed: () => true, timeLimitMs: 4_000 },
    deliveryMs: 20,
  });
  const receiver = use(startEventReceiver);

  it("leads an owner from a new webhook to a resent delivery, a new secret, and its deletion", async () => {
    const { page, faults } = await app.enter("/console/settings/webhooks");
    const takeSecret = async () => {
      const secret = await page.getByLabel("Secret", { exact: true }).inputValue();
      learnKeys(secret);
      await button(page, "Done").click();
      return secret;
    };
    await button(page, "Add webhook").click();
    await page.getByLabel("URL").fill(receiver.url);
    await page.getByLabel("facility.*").check();
    expect(await findViolations(page)).toEqual([]);
    await button(page, "Add").click();
    const secret = await takeSecret();

    const row = rowOf(page, receiver.url);
    for (const width of [390, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      // The page is laid out a moment after its size has changed.
      const right = async () => {
        const box = await row.getByRole("button", { name: "Delete" }).boundingBox();
        return (box?.x ?? width) + (box?.width ?? 0);
      };
      await expect.poll(right).toBeLessThanOrEqual(width);
      expect(await findViolations(page)).toEqual([]);
    }
    await row.getByRole("button", { name: "Test" }).click();
    await confirm(page, "Send");
    await page.getByText("Delivered: 204.").waitFor();

    const facility = `{ code: "HOOK-1", name: "Hook Works", country: "NL" }`;
    const made = await askGraphql(
      page,
      `mutation { createFacility(input: ${facility}) { facility { id } } }`,
    );
    expect(made.errors).toBeUndefined();
    await expect.poll(() => receiver.received.length).toBe(2);
    await row.getByRole("button", { name: "Deliveries" }).click();
    const delivery = page.getByRole("dialog").getByRole("row", { name: /^facility.created/ });
    await delivery.getByText("Delivered").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await delivery.getByRole("button", { name: "Resend" }).click();
    await expect.poll(() => receiver.received.length).toBe(3);
    await button(page, "Close").click();

    await row.getByRole("button", { name: "New secret" }).click();
    await confirm(page, "Create");
    expect(await takeSecret()).not.toBe(secret);
    await row.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Send events").uncheck();
    await confirm(page, "Save");
    await row.getByText("Disabled").waitFor();
    await row.getByRole("button", { name: "Delete" }).click();
    await confirm(page, "Delete");
    await page.getByText("No webhooks yet.").waitFor();
    expect(faults).toEqual([]);
  });
});
