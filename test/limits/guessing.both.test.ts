import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PasswordAttempt } from "../../src/domain/people/password-attempt.js";
import { AppError } from "../../src/errors.js";
import {
  createGuessing,
  createRegistrationCounter,
  createSessionChangeCounter,
} from "../../src/limits/budget/guessing.js";
import { createRateLimiter, type RateLimiter } from "../../src/limits/budget/rate-limit.js";
import { redisUrl } from "../support/redis-url.js";

let limiter: RateLimiter;
let guessing: ReturnType<typeof createGuessing>;
let email: string;

beforeAll(async () => {
  limiter = await createRateLimiter({
    redisUrls: redisUrl === null ? undefined : [redisUrl],
    sessionRequestsPerHour: 5_000,
    scimRequestsPerHour: 10_000,
    onStoreChange: () => undefined,
  });
  guessing = createGuessing(limiter.createCounter);
});
afterAll(() => limiter.stop());
beforeEach(() => {
  email = `${randomUUID()}@Example.com`;
});

/** Returns an IP address of an unused /64. */
const newAddress = () =>
  `2001:db8:${randomBytes(4)
    .toString("hex")
    .replace(/(....)/, "$1:")}::1`;

const guessOf = (address: string, changes: Partial<PasswordAttempt> = {}): PasswordAttempt => ({
  email,
  address,
  isKnownAddress: false,
  ...changes,
});

/** Returns how many of `count` concurrent guesses are admitted. All others are refused in the same way. */
async function countAdmitted(count: number, guess: (index: number) => PasswordAttempt): Promise<number> {
  const answers = await Promise.allSettled(
    Array.from({ length: count }, (_, index) => guessing.attempt(guess(index))),
  );
  for (const answer of answers) if (answer.status === "rejected") expectRefusal(answer.reason, 900);
  return answers.filter(({ status }) => status === "fulfilled").length;
}

function expectRefusal(error: unknown, windowSeconds: number, what = "failed attempts to sign in"): void {
  expect(error).toBeInstanceOf(AppError);
  const { code, status, message, headers } = error as AppError;
  const seconds = Number(headers["Retry-After"]);
  expect({ code, status, message }).toEqual({
    code: "RATE_LIMIT_EXCEEDED",
    status: 429,
    message: `Too many ${what}. Try again in ${seconds} seconds.`,
  });
  expect(seconds).toBeGreaterThan(windowSeconds - 100);
  expect(seconds).toBeLessThanOrEqual(windowSeconds);
}

describe("password guesses", () => {
  it("are limited to 5 per e-mail and IP address, in any spelling and also concurrently", async () => {
    const address = newAddress();
    const spellings = [email, email.toUpperCase(), email.toLowerCase()];
    const neighbour = address.replace("::1", "::abcd");
    const guess = (index: number) =>
      guessOf(index % 2 === 0 ? address : neighbour, { email: spellings[index % 3] ?? email });
    expect(await countAdmitted(20, guess)).toBe(5);
    expect(await countAdmitted(1, () => guessOf(address))).toBe(0);
    expect(await countAdmitted(1, () => guessOf(newAddress()))).toBe(1);
    expect(await countAdmitted(1, () => guessOf(address, { email: "another@example.com" }))).toBe(1);
  });

  it("are limited to 50 per e-mail, without locking users out of known IP addresses", async () => {
    expect(await countAdmitted(60, () => guessOf(newAddress()))).toBe(50);
    const home = newAddress();
    expect(await countAdmitted(1, () => guessOf(home))).toBe(0);
    expect(await countAdmitted(20, () => guessOf(home, { isKnownAddress: true }))).toBe(5);
  });

  it("are limited to 100 per IP address, over any number of e-mails", async () => {
    const address = newAddress();
    const others = () => guessOf(address, { email: `${randomUUID()}@example.com` });
    expect(await countAdmitted(110, others)).toBe(100);
    expect(await countAdmitted(1, () => guessOf(address, { isKnownAddress: true }))).toBe(0);
  });

  it("do not count as failures if they are right or were not checked", async () => {
    const guess = guessOf(newAddress());
    for (let i = 0; i < 10; i += 1) {
      await guessing.attempt(guess);
      await (i % 2 === 0 ? guessing.forgive(guess) : guessing.succeed(guess));
    }
    // Forgiving an uncounted guess has no effect.
    await guessing.forgive(guess);
    expect(await countAdmitted(20, () => guess)).toBe(5);
  });

  it("are limited to 60 right ones an hour per e-mail: more are refused, and count as failures", async () => {
    const succeed = async (address: string) => {
      await guessing.attempt(guessOf(address));
      await guessing.succeed(guessOf(address));
    };
    for (let i = 0; i < 60; i += 1) await succeed(newAddress());
    const address = newAddress();
    for (let i = 0; i < 5; i += 1) {
      const error = await succeed(address).catch((error) => error);
      expectRefusal(error, 3_600, "sign-ins");
    }
    expect(await countAdmitted(1, () => guessOf(address))).toBe(0);
    email = `${randomUUID()}@example.com`;
    await succeed(newAddress());
  });

  it("are limited to 600 right ones an hour per IP address", async () => {
    const address = newAddress();
    const succeed = (index: number) =>
      guessing.succeed(guessOf(address, { email: `${index}-${randomUUID()}@example.com` }));
    const answers = await Promise.allSettled(Array.from({ length: 610 }, (_, index) => succeed(index)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(600);
  });

  it("do not count in the other windows if one refuses them", async () => {
    const address = newAddress();
    expect(await countAdmitted(60, () => guessOf(address))).toBe(5);
    const other = () => guessOf(address, { email: `${randomUUID()}@example.com` });
    expect(await countAdmitted(100, other)).toBe(95);
    expect(await countAdmitted(50, () => guessOf(newAddress()))).toBe(45);
  });
});

describe("registrations", () => {
  it("are limited to 10 an hour per IP address", async () => {
    const register = createRegistrationCounter(limiter.createCounter);
    const address = newAddress();
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => register(address)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    for (const answer of answers) {
      if (answer.status === "rejected")
        expectRefusal(answer.reason, 3_600, "registrations from this address");
    }
    await register(newAddress());
  });
});

describe("changes by a session", () => {
  it("are limited to 120 an hour", async () => {
    const change = createSessionChangeCounter(limiter.createCounter);
    const id = randomUUID();
    const answers = await Promise.allSettled(Array.from({ length: 125 }, () => change(id)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(120);
    await change(randomUUID());
  });
});
