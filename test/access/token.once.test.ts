import { describe, expect, it } from "vitest";
import { generateToken, isToken, type TokenKind } from "../../src/access/secrets/token.js";
import { containsKey, TOKEN_PREFIXES } from "../../src/domain/keys/secrets.js";

const KINDS = Object.keys(TOKEN_PREFIXES) as TokenKind[];

describe.each(KINDS)("a token of the kind %s", (kind) => {
  const tokens = Array.from({ length: 200 }, () => generateToken(kind));

  it("is its prefix and 43 base62 characters for 32 random bytes", () => {
    for (const token of tokens) {
      expect(token).toMatch(/^cgw_(ses|ref|inv|lnk|vfy|whs|cnf|rst|chg|cxl|chl|dsn)_[0-9A-Za-z]{43}$/);
      expect(token.startsWith(TOKEN_PREFIXES[kind])).toBe(true);
    }
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(new Set(tokens.map((token) => token.slice(8)).join("")).size).toBe(62);
  });

  it("has only the form of its own kind, and not that of a key", () => {
    for (const token of tokens) {
      expect(KINDS.filter((other) => isToken(other, token))).toEqual([kind]);
      expect(containsKey(token)).toBe(false);
    }
  });

  it("is malformed if it is truncated, longer, or surrounded by other text", () => {
    const token = generateToken(kind);
    const wrong = ["", token.slice(0, -1), `${token}0`, ` ${token}`, `${token}\n`, token.toUpperCase()];
    expect(wrong.filter((text) => isToken(kind, text))).toEqual([]);
  });
});
