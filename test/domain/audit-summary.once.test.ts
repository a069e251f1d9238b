import { describe, expect, it } from "vitest";
import { AUDIT_ACTIONS, subjectsOf } from "../../src/domain/audit-actions.js";
import { type SummarizedEntry, summarize } from "../../src/domain/audit-summary.js";

const entry = (overrides: Partial<SummarizedEntry>): SummarizedEntry => ({
  action: "api_key.updated",
  actorType: "user",
  actorId: "00000000-0000-4000-8000-0000000000aa",
  actorName: "Ada Lovelace",
  targetType: overrides.action?.split(".")[0] ?? "api_key",
  targetId: "00000000-0000-4000-8000-0000000000b1",
  targetName: "ERP",
  changes: {},
  ...overrides,
});

describe("summarize", () => {
  it.each<[string, Partial<SummarizedEntry>]>([
    [
      'Ada Lovelace changed the limit of key "ERP" from Free to Pro',
      { changes: { tier: { from: "free", to: "pro" } } },
    ],
    [
      'Ada Lovelace changed the name of key "ERP" from "Old" to "ERP"',
      { changes: { name: { from: "Old", to: "ERP" } } },
    ],
    [
      'Ada Lovelace changed the scopes of key "ERP" from read:emissions to read:emissions, read:market',
      { changes: { scopes: { from: ["read:emissions"], to: ["read:emissions", "read:market"] } } },
    ],
    [
      'Ada Lovelace changed name, limit, scopes, and 1 more of key "ERP"',
      {
        changes: Object.fromEntries(
          ["name", "tier", "scopes", "expires_at"].map((name) => [name, { from: null, to: "x" }]),
        ),
      },
    ],
    ['Ada Lovelace rotated key "ERP"', { action: "api_key.rotated" }],
    [
      "Ada Lovelace added Grace Hopper as Editor",
      { action: "member.created", targetName: "Grace Hopper", changes: { role: "editor" } },
    ],
    [
      "Ada Lovelace changed the amount in t CO2e of an emission record from 1,200.5 to 12",
      {
        action: "emission_record.updated",
        targetName: null,
        changes: { co2e_tonnes: { from: 1200.5, to: 12 }, version: { from: 1, to: 2 } },
      },
    ],
    [
      "Ada Lovelace changed the facility of an emission record",
      {
        action: "emission_record.updated",
        targetName: null,
        changes: { facility_id: { from: null, to: "00000000-0000-4000-8000-0000000000f1" } },
      },
    ],
    [
      "Ada Lovelace locked the records from 1 Jan 2025 to 31 Dec 2025",
      { action: "period_lock.created", changes: { period_from: "2025-01-01", period_to: "2025-12-31" } },
    ],
    [
      "The operator (import) created 12,000 emission records",
      {
        action: "emission_record.created",
        actorType: "command",
        actorId: "import",
        targetId: null,
        changes: { rows: 12000 },
      },
    ],
    [
      "The gateway deleted a session",
      { action: "session.deleted", actorType: "command", actorId: "serve", targetName: null },
    ],
    [
      'A former user archived facility "Plant"',
      { action: "facility.archived", actorName: null, targetName: "Plant" },
    ],
    [
      'Somebody with direct access to the database changed the hash of key "ERP"',
      {
        actorType: "sql",
        actorId: null,
        changes: { hash: { from: "***", to: "***" }, version: { from: 1, to: 2 } },
      },
    ],
    [
      "A visitor failed to sign in with single sign-on",
      { action: "sso.refused", actorType: "visitor", actorId: null, targetName: null },
    ],
    // An entry that was tampered with.
    ["Ada Lovelace changed an unusual month", { action: "anomaly.updated", targetName: null, changes: null }],
    ['Ada Lovelace created member "ERP"', { action: "member.created", changes: { role: "x".repeat(61) } }],
  ])("says: %s", (sentence, overrides) => {
    expect(summarize(entry(overrides))).toBe(sentence);
  });

  it("describes every action in plain words, and never by its code", () => {
    for (const action of AUDIT_ACTIONS) {
      const said = summarize(entry({ action, targetName: null }));
      expect(said).toMatch(/^Ada Lovelace [a-z]/);
      expect(said).not.toMatch(/_|\{|\.|undefined|null/);
    }
  });

  it("writes plurals", () => {
    const nouns = ["facility", "deadline", "cbam_import", "credit_batch", "recovery_codes"];
    expect(nouns.map(subjectsOf)).toEqual([
      "facilities",
      "deadlines",
      "CBAM imports",
      "credit batches",
      "recovery codes",
    ]);
  });
});
