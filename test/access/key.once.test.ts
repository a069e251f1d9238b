import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { generateKey, hashKey, isWellFormedKey } from "../../src/access/secrets/api-key.js";
import { displayKey } from "../../src/domain/keys/secrets.js";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** CRC-32 (ISO 3309, as in zip and PNG), bit by bit. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Reads base62 digits as a number. */
const readBase62 = (text: string) => [...text].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);

const keys = Array.from({ length: 200 }, generateKey);

describe("a key", () => {
  it("is the prefix, 32 random characters and a 6-character checksum", () => {
    for (const key of keys) expect(key).toMatch(/^cgw_live_[0-9A-Za-z]{38}$/);
    expect(new Set(keys.map((key) => key.slice(9, 41))).size).toBe(keys.length);
    // All 62 characters come up: 6,400 draws would miss one of them once in 10^43 times.
    expect(new Set(keys.map((key) => key.slice(9, 41)).join("")).size).toBe(62);
  });

  it("ends in the CRC-32 of everything before it, in base 62", () => {
    expect(crc32("123456789")).toBe(0xcbf43926);
    for (const key of keys) expect(readBase62(key.slice(-6))).toBe(crc32(key.slice(0, -6)));
  });

  it("is well-formed when created", () => {
    for (const key of keys) expect(isWellFormedKey(key)).toBe(true);
  });

  it("is malformed if any one character changes", () => {
    const key = generateKey();
    const passed: string[] = [];
    for (let at = 0; at < key.length; at += 1) {
      for (const other of `${BASE62}_-. é`) {
        const changed = key.slice(0, at) + other + key.slice(at + 1);
        if (other !== key[at] && isWellFormedKey(changed)) passed.push(changed);
      }
    }
    expect(passed).toEqual([]);
  });

  it("is malformed if two neighbouring characters are swapped", () => {
    for (const key of keys.slice(0, 20)) {
      for (let at = 0; at + 1 < key.length; at += 1) {
        const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
        if (swapped !== key) expect(isWellFormedKey(swapped)).toBe(false);
      }
    }
  });

  it("is malformed if it is truncated, longer, or surrounded by other text", () => {
    const key = generateKey();
    const wrong = [
      "",
      key.slice(1),
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key} `,
      `${key}\n`,
      key + key,
    ];
    expect(wrong.filter(isWellFormedKey)).toEqual([]);
  });
});

describe("a stored key", () => {
  const key = "cgw_live_abcdefghijklmnopqrstuvwxyz012345ABCDEF";

  it("shows only the prefix, and the first 4 and last 4 characters", () => {
    expect(displayKey(key)).toBe("cgw_live_abcd…CDEF");
    for (const other of keys) {
      expect(displayKey(other)).toBe(`cgw_live_${other.slice(9, 13)}…${other.slice(-4)}`);
    }
  });

  it("is found by its SHA-256, keyed with the pepper if one is set", () => {
    expect(hashKey(key, undefined)).toBe(createHash("sha256").update(key).digest("hex"));
    const pepper = "a pepper of sixteen";
    expect(hashKey(key, pepper)).toBe(createHmac("sha256", pepper).update(key).digest("hex"));
    expect(hashKey(key, "another pepper 16")).not.toBe(hashKey(key, pepper));
  });
});
