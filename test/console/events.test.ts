import { expect, it } from "vitest";
import { STREAM_LIMITS } from "../../src/actions/events/streams.js";
import { describeInBrowser, signInOn } from "../support/browser.js";
import { PASSWORD, useConsole } from "../support/console.js";
import { signUp } from "../support/people.js";
import type { Envelope } from "../support/server.js";

/** State in the page: ids of received events, and how often the stream was opened. */
interface Streams {
  readonly ids: string[];
  opened: number;
}

describeInBrowser("a browser's EventSource", () => {
  const app = useConsole({ streamLimits: { ...STREAM_LIMITS, maxMs: 1_000, pollMs: 50 } });

  it("gets every event once, including those between two streams, and stops at an id of another history", async () => {
    const owner = await signUp(app.gateway, { password: PASSWORD });
    const { page } = await app.openWindow();
    await page.goto("/console/");
    await signInOn(page, { email: owner.user.email, password: PASSWORD });
    await page.evaluate(() => {
      const state: Streams = { ids: [], opened: 0 };
      Object.assign(globalThis, { state });
      const stream = new EventSource("/v1/events/stream?types=facility.*");
      stream.onmessage = ({ data }) => state.ids.push(JSON.parse(data).id);
      stream.onopen = () => {
        state.opened += 1;
      };
    });
    const state = () => page.evaluate(() => (globalThis as unknown as { state: Streams }).state);
    // A new stream begins with the next event.
    await expect.poll(async () => (await state()).opened).toBe(1);
    // Writes until the browser has opened its third stream: each ends after a second.
    let written = 0;
    for (; (await state()).opened < 3; written += 1) {
      const { status } = await owner.call("/v1/facilities", {
        json: { code: `F${written}`, name: "Plant", country: "DE" },
      });
      expect(status).toBe(201);
    }
    await expect.poll(async () => (await state()).ids.length).toBe(written);
    const { body } = await owner.call<Envelope>("/v1/events?types=facility.created&limit=1000");
    const { items } = body.data as { items: { id: string }[] };
    expect((await state()).ids).toEqual(items.map(({ id }) => id));
    const closed = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const stream = new EventSource("/v1/events/stream?after=1-0123456789abcdef");
          stream.onerror = () => resolve(stream.readyState);
        }),
    );
    expect(closed).toBe(2);
  });
});
