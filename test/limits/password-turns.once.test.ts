import { describe, expect, it } from "vitest";
import type { PasswordAttempt } from "../../src/domain/people/password-attempt.js";
import { createPasswordTurns } from "../../src/limits/turns/password-turns.js";

/** Creates a queue whose two slots are busy. Further tasks end as soon as they get a turn. */
function createBusyQueue() {
  const inTurn = createPasswordTurns();
  let free = () => {};
  const isFree = new Promise<void>((resolve) => {
    free = resolve;
  });
  const nobody = { email: "nobody@example.org", address: "203.0.113.1", isKnownAddress: true };
  const busy = [0, 1].map(() => inTurn(nobody, () => isFree));
  const order: string[] = [];
  const refused: [string, unknown][] = [];
  const waiting: Promise<unknown>[] = busy;
  return {
    /** Queues a task of an account from an IP address. */
    add(
      name: string,
      {
        email = `${name}@example.org`,
        ...guess
      }: Partial<PasswordAttempt> & Pick<PasswordAttempt, "address">,
    ) {
      const done = inTurn({ isKnownAddress: false, email, ...guess }, async () => order.push(name));
      waiting.push(done.catch((error) => refused.push([name, error])));
    },
    /** Frees the slots. Returns the names in the order of their turns, and those refused. */
    async finish() {
      free();
      await Promise.all(waiting);
      return { order, refused };
    },
  };
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("passwords waiting to be hashed", () => {
  it("take turns by IP address, and by account within an address", async () => {
    const queue = createBusyQueue();
    for (const i of times(3)) queue.add(`a${i}`, { address: "192.0.2.7", email: "A@example.org" });
    queue.add("b", { address: "192.0.2.7" });
    queue.add("c", { address: "198.51.100.7" });
    queue.add("d", { address: "198.51.100.7" });
    const { order } = await queue.finish();
    expect(order).toEqual(["a0", "c", "b", "d", "a1", "a2"]);
  });

  it("take turns by network, so that one customer's many addresses count as one", async () => {
    const queue = createBusyQueue();
    for (const i of times(4)) queue.add(`a${i}`, { address: `2001:db8:1:${i}::1` });
    for (const i of times(2)) queue.add(`b${i}`, { address: `192.0.2.${i}` });
    queue.add("c", { address: "198.51.100.7" });
    const { order } = await queue.finish();
    expect(order).toEqual(["a0", "b0", "c", "a1", "b1", "a2", "a3"]);
  });

  it("give users at known addresses every second turn", async () => {
    const queue = createBusyQueue();
    for (const i of times(60)) queue.add(`a${i}`, { address: `10.0.${i}.1` });
    queue.add("b", { address: "192.0.2.7", isKnownAddress: true });
    queue.add("c", { address: "192.0.2.7", isKnownAddress: true });
    const { order, refused } = await queue.finish();
    expect(order.slice(0, 4)).toEqual(["a0", "b", "a1", "c"]);
    expect(refused.map(([name]) => name)).toHaveLength(12);
  });

  it("are limited to 50; the latest of the sender with the most is refused, with a time to retry", async () => {
    const queue = createBusyQueue();
    for (const i of times(60)) queue.add(`a${i}`, { address: "192.0.2.7", email: "a@example.org" });
    queue.add("b", { address: "192.0.2.7" });
    queue.add("c", { address: "198.51.100.7" });
    const { order, refused } = await queue.finish();
    expect(order).toHaveLength(50);
    expect(order).toEqual(expect.arrayContaining(["b", "c"]));
    expect(refused.map(([name]) => name)).toEqual([...times(10).map((i) => `a${50 + i}`), "a49", "a48"]);
    for (const [, error] of refused) {
      expect(error).toMatchObject({
        code: "RATE_LIMIT_EXCEEDED",
        status: 429,
        message: "Too many passwords are being checked. Try again in 1 second.",
        headers: { "Retry-After": "1" },
      });
    }
  });

  it("continue after one that fails", async () => {
    const inTurn = createPasswordTurns();
    const guess = { email: "a@example.org", address: "192.0.2.7", isKnownAddress: false };
    const results = await Promise.allSettled(
      times(6).map((i) => inTurn(guess, async () => (i % 2 === 0 ? Promise.reject(new Error("x")) : i))),
    );
    expect(results.map(({ status }) => status)).toEqual(times(3).flatMap(() => ["rejected", "fulfilled"]));
  });
});
