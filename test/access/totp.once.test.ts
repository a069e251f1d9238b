import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { findTotpStep, generateTotpSecret } from "../../src/access/secrets/totp.js";
import { isMissing } from "../support/missing-program.js";

/** The secret of RFC 6238, appendix B, in base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const at = (seconds: number) => new Date(seconds * 1_000);
const stepAt = (seconds: number, code = "287082") => findTotpStep(SECRET, code, -1, at(seconds));

describe("a code of an authenticator app", () => {
  // RFC 6238, appendix B, SHA-1: the last six of the eight digits there.
  it.each([
    [59, 1, "287082"],
    [1_111_111_109, 37_037_036, "081804"],
    [1_111_111_111, 37_037_037, "050471"],
    [1_234_567_890, 41_152_263, "005924"],
    [2_000_000_000, 66_666_666, "279037"],
    [20_000_000_000, 666_666_666, "353130"],
  ])("at %i s belongs to step %i", (seconds, step, code) => {
    expect(stepAt(seconds, code)).toBe(step);
  });

  it("is valid in its step and one either way, but not again after its step was used", () => {
    expect([0, 30, 59, 89].map((seconds) => stepAt(seconds))).toEqual([1, 1, 1, 1]);
    expect(stepAt(90)).toBeNull();
    expect(findTotpStep(SECRET, "287082", 1, at(59))).toBeNull();
  });

  it.skipIf(isMissing("oathtool", isInstalled(), "codes of another program are"))("matches oathtool", () => {
    for (const seconds of [0, 59, 1_795_730_400]) {
      const secret = generateTotpSecret();
      const options = [
        "--totp",
        "--base32",
        "--now",
        at(seconds)
          .toISOString()
          .replace(/T|\.000Z/g, " "),
      ];
      const code = execFileSync("oathtool", [...options, secret], {
        encoding: "utf8",
        env: { ...process.env, TZ: "UTC" },
      });
      expect(findTotpStep(secret, code.trim(), -1, at(seconds))).toBe(Math.floor(seconds / 30));
    }
  });
});

function isInstalled(): boolean {
  try {
    execFileSync("oathtool", ["--version"]);
    return true;
  } catch {
    return false;
  }
}
