import { hash } from "@node-rs/argon2";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPasswords, hashPassword } from "../../src/access/secrets/password.js";
import { COMMON_PASSWORDS, findPasswordFault } from "../../src/domain/people/password-rules.js";

const passwords = createPasswords((_guess, work) => work());
const guess = { email: "ada@example.org", address: "192.0.2.7", isKnownAddress: false };
const verify = (password: string, stored: string | null) => passwords.verify(password, stored, guess);
const owner = { email: "Alexandra.Kowalski@example.com", organization: "Nordwind Logistik GmbH" };

describe("a new password", () => {
  it.each([
    ["12 letters", "abcdefghijkm"],
    ["200 letters", "correct hors".repeat(17).slice(0, 200)],
    ["12 emoji, which are 24 UTF-16 units", "🌱".repeat(12)],
    ["200 emoji", "🌱".repeat(200)],
    ["spaces at both ends", " x".repeat(6)],
    ["line breaks and a NUL", "one\ntwo\0three"],
    ["12 characters after NFKC, which turns 6 into 12", "ﬁ".repeat(6)],
  ])("may be %s", (_what, password) => {
    expect(findPasswordFault(password, owner)).toBeUndefined();
  });

  it.each([
    ["11 letters", "abcdefghijk", "expected 12 to 200 characters, got 11"],
    ["11 emoji", "🌱".repeat(11), "expected 12 to 200 characters, got 11"],
    ["201 letters", "correct hors".repeat(17).slice(0, 201), "expected 12 to 200 characters, got 201"],
    ["256 emoji", "🌱".repeat(256), "expected 12 to 200 characters, got 256"],
    ["20 letters and accents that are 10", "e\u0301".repeat(10), "expected 12 to 200 characters, got 10"],
    [
      "half a character",
      `abcdefghijkl\ud83c`,
      "expected Unicode text, got a surrogate without its other half",
    ],
    ["a common one, in other letters", "１q2W3e4r5t6y", "This password is too common. Try a longer phrase."],
    [
      "the e-mail's local part",
      "alexandra.kowalski",
      "This is the name in your e-mail address. Choose another password.",
    ],
    [
      "the e-mail address",
      "alexandra.kowalski@EXAMPLE.com",
      "This is your e-mail address. Choose another password.",
    ],
    [
      "the organization's name",
      "NORDWIND LOGISTIK GMBH",
      "This is your organization's name. Choose another password.",
    ],
  ])("is not %s", (_what, password, fault) => {
    expect(findPasswordFault(password, owner)).toBe(fault);
  });

  it("is checked against 4,000 common ones that the other rules would allow", () => {
    expect(COMMON_PASSWORDS.size).toBe(4_000);
    const short = [...COMMON_PASSWORDS].filter(
      (one) => !/^[!-~]{12,}$/.test(one) || one !== one.toLowerCase(),
    );
    expect(short).toEqual([]);
  });
});

describe("a hash", () => {
  it("uses argon2id, and differs each time", async () => {
    const [one, two] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
    for (const made of [one, two]) {
      expect(made).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
      expect(passwords.isOutdated(made)).toBe(false);
      expect(await verify("correct horse", made)).toBe(true);
      expect(await verify("correct horsf", made)).toBe(false);
    }
    expect(one).not.toBe(two);
  });

  it("matches every Unicode form of the same password", async () => {
    const stored = await hashPassword("Caf\u00e9 ﬁnance １２３");
    expect(await verify("Cafe\u0301 finance 123", stored)).toBe(true);
    expect(await verify("Cafe finance 123", stored)).toBe(false);
  });

  it("distinguishes passwords up to the 200th character, and by trailing spaces", async () => {
    const stored = await hashPassword("🌱".repeat(200));
    expect(await verify("🌱".repeat(200), stored)).toBe(true);
    expect(await verify(`${"🌱".repeat(199)}🌲`, stored)).toBe(false);
    expect(await verify(`${"🌱".repeat(200)} `, stored)).toBe(false);
  });

  it.each([
    ["less memory", { memoryCost: 12_288, timeCost: 2, parallelism: 1 }],
    ["more rounds", { memoryCost: 19_456, timeCost: 3, parallelism: 1 }],
    ["more threads", { memoryCost: 19_456, timeCost: 2, parallelism: 2 }],
    ["another algorithm", { memoryCost: 19_456, timeCost: 2, parallelism: 1, algorithm: 1 }],
  ])("with %s is outdated, but still matches", async (_how, parameters) => {
    const stored = await hash("correct horse", parameters);
    expect(passwords.isOutdated(stored)).toBe(true);
    expect(await verify("correct horse", stored)).toBe(true);
  });

  it("matches nothing if it is missing", async () => {
    expect(await verify("correct horse", null)).toBe(false);
    expect(await verify("", null)).toBe(false);
  });
});

describe("a string longer than any password", () => {
  it("is not normalized, which could take seconds", async () => {
    const text = "\u0300".repeat(1_000) + "\u0316".repeat(1_000);
    const normalize = vi.spyOn(String.prototype, "normalize");
    onTestFinished(() => void normalize.mockRestore());
    expect(findPasswordFault(text, owner)).toBe("expected 12 to 200 characters, got 2000");
    expect(await verify(text, await hashPassword(""))).toBe(false);
    expect(normalize.mock.contexts.map(String)).not.toContain(text);
  });
});
