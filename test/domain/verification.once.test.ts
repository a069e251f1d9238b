import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { reachesMateriality, sumMisstatements } from "../../src/domain/verification/materiality.js";
import { findPeriodFault, findScopesFault } from "../../src/domain/verification/scope-of-request.js";
import { canonicalJson, writeStatement } from "../../src/domain/verification/statement.js";
import { faultOfStep, STEPS, VERIFICATION_STATUSES } from "../../src/domain/verification/states.js";

describe("the statement of a certificate", () => {
  it("is canonical JSON, whose digest anybody can compute", () => {
    const statement = writeStatement({
      ...{ number: "CGW-2026-000001", organization: "demo", level: "limited", opinion: "unmodified" },
      ...{ period: { from: "2025-01-01", to: "2025-12-31" }, materialityPct: "5", recordCount: 3 },
      totals: [
        { scope: "scope_1", co2eTonnes: "100.5" },
        { scope: "scope_2", co2eTonnes: "200.25" },
        { scope: "scope_3", co2eTonnes: "0" },
      ],
      totalCo2eTonnes: "300.75",
    });
    expect(statement).toBe(
      '{"boundary":"operational_control","certificate_number":"CGW-2026-000001","level":"limited","materiality_pct":"5","opinion":"unmodified","organization":"demo","period":{"from":"2025-01-01","to":"2025-12-31"},"record_count":3,"scopes":[{"co2e_tonnes":"100.5","scope":"scope_1"},{"co2e_tonnes":"200.25","scope":"scope_2"},{"co2e_tonnes":"0","scope":"scope_3"}],"total_co2e_tonnes":"300.75"}',
    );
    expect(hash("sha256", statement)).toBe(
      "cb9f1e4db771fafea266942b92d16bc048bff7fc64962a526b3327b927af1898",
    );
  });

  it("sorts keys at every depth, and escapes as JSON does", () => {
    expect(canonicalJson({ b: [{ d: 1, c: 'ü"\n' }], a: null, B: true })).toBe(
      '{"B":true,"a":null,"b":[{"c":"ü\\"\\n","d":1}]}',
    );
  });
});

describe("the materiality", () => {
  it.each<[misstatements: string[], total: string, pct: string, reached: boolean]>([
    [["10", "5.1"], "300.75", "5", true],
    [["10", "5"], "300.75", "5", false],
    [["10", "5.0375"], "300.75", "5", true],
    [["10", "5.037499"], "300.75", "5", false],
    [["10", "-10"], "100", "20", true],
    [[], "300.75", "0.0001", false],
    [["0"], "0", "5", false],
    [["0.000001"], "0", "100", true],
    [["-0.000001"], "999999999999999999.999999", "0.0001", false],
  ])("of %j in %s t at %s %% is reached: %s", (misstatements, total, pct, reached) => {
    expect(reachesMateriality(misstatements, total, pct)).toBe(reached);
  });

  it("counts misstatements in either direction", () => {
    expect(sumMisstatements(["10", "-5.1"])).toBe("15.1");
  });
});

describe("a request's period and scopes", () => {
  it.each([
    [{ from: "2025-01-01", to: "2025-12-31" }, undefined],
    [{ from: "2026-11-19", to: "2026-11-19" }, undefined],
    [{ from: "2024-10-16", to: "2025-11-19" }, undefined],
    [{ from: "2024-10-15", to: "2025-11-19" }, "must have at most 400 days (got 401)"],
    [
      { from: "2025-02-01", to: "2025-01-31" },
      "must not end before it begins (got 2025-02-01 to 2025-01-31)",
    ],
    [
      { from: "2026-01-01", to: "2026-11-20" },
      "must be over: its last day must be before 2026-11-20 (got 2026-11-20)",
    ],
  ])("%j: %s", (period, fault) => expect(findPeriodFault(period, "2026-11-20")).toBe(fault));

  it("has each scope once", () => {
    expect([
      findScopesFault([]),
      findScopesFault(["scope_1", "scope_1"]),
      findScopesFault(["scope_3"]),
    ]).toEqual(["must have at least one scope", "must have each scope once (got scope_1 twice)", undefined]);
  });
});

describe("the steps of a request", () => {
  it("are allowed in these states alone", () => {
    const allowed = Object.fromEntries(
      VERIFICATION_STATUSES.map((status) => [
        status,
        (Object.keys(STEPS) as (keyof typeof STEPS)[]).filter((step) => faultOfStep(step, status) === null),
      ]),
    );
    expect(allowed).toEqual({
      draft: ["submit", "withdraw"],
      submitted: ["withdraw", "start"],
      in_review: ["withdraw", "requestChanges", "decide"],
      changes_requested: ["resubmit", "withdraw"],
      verified: ["reopen"],
      rejected: [],
      withdrawn: [],
    });
  });
});
