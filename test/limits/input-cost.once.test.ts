import { readFileSync } from "node:fs";
import { parse } from "graphql";
import { describe, expect, it } from "vitest";
import type { Tier } from "../../src/domain/tiers.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { costOfDocument } from "../../src/limits/cost/query-limits.js";
import { SCHEMA_FILE } from "../../src/paths.js";

const schema = createSchema(readFileSync(SCHEMA_FILE, "utf8"));
const costOf = (query: string, variables: object, tier: Tier = "free") =>
  costOfDocument(schema, parse(query), variables as Readonly<Record<string, unknown>>, tier);
const aliases = (count: number, call: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${call}`).join(" ");

describe("the cost of an operation's input", () => {
  const lines = Array(200).fill({ cnCode: "7208", country: "IN", massT: "1" });
  const input = { year: 2026, lines, years: [2026, 2027, 2028, 2029, 2030, 2031, 2032, 2033, 2034] };
  const estimates = (count: number) =>
    `query ($input: CbamEstimateInput!) { ${aliases(count, "cbamEstimate(input: $input) { year }")} }`;

  it("admits the largest estimate once, but not several times", () => {
    const all = "year lines { certificates } byYear { lines { certificates } total { certificates } }";
    expect(costOf(estimates(1), { input })).toBe(2_000);
    expect(costOf(estimates(1).replace("year", all), { input })).toBeLessThanOrEqual(2_500);
    expect(() => costOf(estimates(2), { input })).toThrow("The operation has 4000 cost points");
    expect(() => costOf(estimates(19), { input }, "enterprise")).toThrow("at most 10000 are allowed");
  });

  it("is 20 points per written record, in the operation's text or in its variables", () => {
    const write = "createEmissionRecords(input: $input) { addedCount: __typename }";
    const mutation = (count: number) =>
      `mutation ($input: [EmissionRecordInput!]!) { ${aliases(count, write)} }`;
    const record = { recordedOn: "2026-11-01", scope: "SCOPE_1", co2eTonnes: "1" };
    expect(costOf(mutation(1), { input: Array(500).fill(record) }, "enterprise")).toBe(10_000);
    expect(() => costOf(mutation(20), { input: Array(26).fill(record) }, "enterprise")).toThrow(
      "10400 cost points",
    );
    const literal = '{ recordedOn: "2026-11-01", scope: SCOPE_1, co2eTonnes: "1" }';
    const text = (list: string) => `mutation { createEmissionRecords(input: ${list}) { __typename } }`;
    expect([costOf(text(`[${literal}, ${literal}]`), {}), costOf(text(literal), {})]).toEqual([40, 20]);
  });

  it("is what the schema declares for a mutation that writes many rows", () => {
    const undo = 'undoImport(input: { id: "6f1f9a52-6f4e-4c8b-9d57-2b8a9c0e7d16" }) { __typename }';
    expect(costOf(`mutation { ${aliases(1, undo)} }`, {})).toBe(2_000);
    expect(() => costOf(`mutation { ${aliases(2, undo)} }`, {})).toThrow("4000 cost points");
  });
});
