import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/domain/texts/canonical-json.js";
import { writeConclusion } from "../../src/domain/verification/conclusion.js";
import { reachesMateriality, sumMisstatements } from "../../src/domain/verification/materiality.js";
import { findPeriodFault, findScopesFault } from "../../src/domain/verification/request-scope.js";
import { writeStatement } from "../../src/domain/verification/statement.js";
import { findStepFault, STEPS, VERIFICATION_STATUSES } from "../../src/domain/verification/states.js";

describe("the conclusion of a verification", () => {
  it("is negative at limited and positive at reasonable assurance, and names the exception", () => {
    expect(writeConclusion("reasonable", "unmodified")).toBe(
      "Unmodified: in the verifier's opinion, the total is fairly stated.",
    );
    expect(writeConclusion("limited", "modified")).toBe(
      "Modified: except for the matters that the verifier named, nothing came to the verifier's attention that suggests the total is not fairly stated.",
    );
    expect(writeConclusion("limited", "adverse")).toBe("Adverse: the total is not fairly stated.");
  });
});

describe("the statement of a certificate", () => {
  it("is canonical JSON, whose digest anyone can compute", () => {
    const statement = writeStatement({
      number: "CGW-2026-000001",
      organization: {
        id: "7c0e2f5a-3b1d-4a57-9f0c-2d8e6b4a1c11",
        name: "Demonstration Manufacturing Group",
        slug: "demo",
      },
      verifier: { name: "Vera Example", organization: "Example Assurance Ltd" },
      issuedOn: "2026-02-10",
      level: "limited",
      opinion: "unmodified",
      materialityPercent: "5",
      recordCount: 3,
      period: { from: "2025-01-01", to: "2025-12-31" },
      totals: [
        { scope: "scope_1", co2eTonnes: "100.5" },
        { scope: "scope_2", co2eTonnes: "200.25" },
        { scope: "scope_3", co2eTonnes: "0" },
      ],
      totalCo2eTonnes: "300.75",
      snapshotDigest: "0f3a5c1e9b7d2468ace013579bdf02468ace13579bdf02468ace13579bdf0246",
    });
    expect(statement).toBe(
      '{"certificate_number":"CGW-2026-000001","format":2,"issued_on":"2026-02-10","level":"limited","materiality_pct":"5","opinion":"unmodified","organization":{"id":"7c0e2f5a-3b1d-4a57-9f0c-2d8e6b4a1c11","name":"Demonstration Manufacturing Group","slug":"demo"},"period":{"from":"2025-01-01","to":"2025-12-31"},"record_count":3,"scopes":[{"co2e_tonnes":"100.5","scope":"scope_1"},{"co2e_tonnes":"200.25","scope":"scope_2"},{"co2e_tonnes":"0","scope":"scope_3"}],"snapshot_digest":"0f3a5c1e9b7d2468ace013579bdf02468ace13579bdf02468ace13579bdf0246","total_co2e_tonnes":"300.75","verifier":{"name":"Vera Example","organization":"Example Assurance Ltd"}}',
    );
    expect(hash("sha256", statement)).toBe(
      "3628016b190d3530c729a59239073bd41d7562aeaed06a14204176ba54137bc5",
    );
  });

  it("sorts keys at every depth, and escapes like JSON", () => {
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
    [
      { from: "2024-10-15", to: "2025-11-19" },
      { part: "", fault: "must have at most 400 days (got 401)" },
    ],
    [
      { from: "2025-02-01", to: "2025-01-31" },
      { part: ".to", fault: "must be 2025-02-01 or later (got 2025-01-31)" },
    ],
    [
      { from: "2026-01-01", to: "2026-11-20" },
      { part: ".to", fault: "must be in the past (got 2026-11-20)" },
    ],
  ])("%j: %s", (period, fault) => expect(findPeriodFault(period, "2026-11-20")).toEqual(fault));

  it("has each scope once", () => {
    expect([
      findScopesFault([]),
      findScopesFault(["scope_1", "scope_1"]),
      findScopesFault(["scope_3"]),
    ]).toEqual(["must have at least one scope", "must list each scope once (got scope_1 twice)", undefined]);
  });
});

describe("the steps of a request", () => {
  it("are allowed only in these states", () => {
    const allowed = Object.fromEntries(
      VERIFICATION_STATUSES.map((status) => [
        status,
        (Object.keys(STEPS) as (keyof typeof STEPS)[]).filter((step) => findStepFault(step, status) === null),
      ]),
    );
    expect(allowed).toEqual({
      draft: ["submit", "withdraw"],
      submitted: ["withdraw", "createLink", "confirmVerifier", "rejectVerifier", "start"],
      in_review: ["withdraw", "requestChanges", "decide"],
      changes_requested: ["resubmit", "withdraw", "createLink", "confirmVerifier", "rejectVerifier"],
      verified: ["reopen"],
      rejected: [],
      withdrawn: [],
    });
  });
});
