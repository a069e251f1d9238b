import { describe, expect, it } from "vitest";
import { findEmailFault } from "../../src/domain/people/email.js";

describe("an e-mail address", () => {
  it.each([
    "ada+co2@example.org",
    "ada@Example.ORG",
    "Ädá.o'neil=x@bücher.example",
    "ada@xn--bcher-kva.example",
  ])("can be %s", (email) => {
    expect(findEmailFault(email)).toBeUndefined();
  });

  it.each([...'<>()[],;:"\\'])(
    "has no %s, which mail servers and clients remove or interpret",
    (character) => {
      for (const email of [`${character}ada@example.org`, `ada@example.org${character}`])
        expect(findEmailFault(email)).toMatch(/^expected /);
    },
  );

  // https://www.unicode.org/reports/tr46/ maps these to example.org.
  it.each([
    "example。org",
    "ｅxample.org",
    "ex\u00adample.org",
    "examp\u200ble.org",
    "example.o\u1d3fg",
    "example.org.",
  ])("is not written as another one by its host: %j", (host) => {
    expect(findEmailFault(`ada@${host}`)).toMatch(/^expected /);
  });
  it("is not matched to another one by a non-ASCII capital letter", () => {
    for (const host of ["\u212aexample.org", "BÜCHER.example"])
      expect(findEmailFault(`ada@${host}`)).toMatch(/^expected /);
  });
});
