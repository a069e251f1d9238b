import { describe, expect, it } from "vitest";
import { findRegion, regionKeyOf } from "../../src/regions/regions.js";

describe("findRegion", () => {
  it.each([
    ["GB", "GB", "United Kingdom"],
    ["uk", "GB", "United Kingdom"],
    ["GBR", "GB", "United Kingdom"],
    ["Großbritannien", "GB", "United Kingdom"],
    ["U.S.", "US", "United States"],
    ["America", "US", "United States"],
    ["Österreich", "AT", "Austria"],
    ["oesterreich", "AT", "Austria"],
    ["Allemagne", "DE", "Germany"],
    ["Holland", "NL", "Netherlands"],
    ["Korea", "KR", "South Korea"],
    ["Turkey", "TR", "Türkiye"],
    ["Viet Nam", "VN", "Vietnam"],
    ["The Philippines", "PH", "Philippines"],
    ["Hong Kong, China", "HK", "Hong Kong SAR China"],
    ["Guinea Bissau", "GW", "Guinea-Bissau"],
    ["Europe", "EU", "EU"],
    ["World", "Global", "Global"],
    ["asean", "ASEAN", "ASEAN"],
  ])("knows %s as %s", (text, code, name) => {
    expect(findRegion(text)).toEqual({ code, name });
  });

  it.each(["Atlantis", "Congo", "", "constructor"])("knows no region %j", (text) => {
    expect(findRegion(text)).toBeNull();
  });
});

describe("regionKeyOf", () => {
  it("is the same for all names of a region, and for an organization's own name in any case", () => {
    expect(new Set(["UK", "gb", "United Kingdom", "royaume-uni"].map(regionKeyOf)).size).toBe(1);
    expect(regionKeyOf("Plant  7")).toBe(regionKeyOf("plant 7"));
    expect(regionKeyOf("Plant 7")).not.toBe(regionKeyOf("Plant 8"));
  });
});
