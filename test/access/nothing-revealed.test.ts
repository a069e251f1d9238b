import { beforeAll, describe, expect, it } from "vitest";
import { timed } from "../support/durations.js";
import { use } from "../support/use.js";
import { startMailing, withoutRequest } from "./mailed.js";
import { createVisitor, newEmail, newPassword } from "./visitor.js";

/** Number of addresses with an account, and of addresses without one. */
const EACH = 60;
/** Critical |z| of the two-sided Mann–Whitney U test at p = 0.01. */
const DIFFERENT = 2.576;
/** Equal distributions differ by chance in 1 % of rounds, so in all three rounds once in a million runs. */
const ROUNDS = 3;

let known: string[];
const mailing = use(startMailing);
beforeAll(async () => {
  const password = newPassword();
  const people = Array.from({ length: EACH }, () => mailing.signUp({ password }));
  known = (await Promise.all(people)).map(({ user }) => user.email);
});

/** Returns z of the Mann–Whitney U test for samples of equal size: standard normal if they have the same distribution. */
function compareTimes(left: readonly number[], right: readonly number[]): number {
  const less = (a: number, b: number) => (a < b ? 1 : a === b ? 0.5 : 0);
  const n = left.length;
  const u = left.flatMap((a) => right.map((b) => less(a, b))).reduce<number>((sum, one) => sum + one, 0);
  return (u - n ** 2 / 2) / Math.sqrt((n ** 2 * (2 * n + 1)) / 12);
}

/** Sends a request from a new address; returns the answer and its duration. */
async function ask(path: string, json: object) {
  const { post } = createVisitor(mailing.gateway);
  const { ms, result } = await timed(() => post(path, json));
  return { time: ms, text: withoutRequest(result) };
}

describe("neither responses nor their timing reveal whether an account exists", () => {
  it.each([
    ["/start", {}],
    ["/login", { password: "not the password of anybody" }],
    ["/password-reset", {}],
  ])("POST /v1/auth%s", async (path, more) => {
    const statistics: number[] = [];
    do {
      const answers: { time: number; text: string }[][] = [[], []];
      // Alternates, so that other work on the machine slows both kinds equally, and neither kind always comes first.
      for (const [index, email] of known.entries())
        for (const kind of index % 2 === 0 ? [0, 1] : [1, 0])
          answers[kind]?.push(await ask(path, { email: kind === 0 ? email : newEmail(), ...more }));
      expect(new Set(answers.flat().map(({ text }) => text)).size).toBe(1);
      const [left = [], right = []] = answers.map((some) => some.map(({ time }) => time));
      statistics.push(compareTimes(left, right));
    } while (statistics.length < ROUNDS && Math.abs(statistics.at(-1) ?? 0) > DIFFERENT);
    expect(statistics.some((z) => Math.abs(z) <= DIFFERENT)).toBe(true);
  });
});
