import { beforeEach, describe, expect, it } from "vitest";
import { answer, type Body, refused } from "../../support/answers.js";
import { readAuditTrail } from "../../support/audit.js";
import { signUp, type TestPerson } from "../../support/people.js";
import { NOW } from "../../support/server.js";
import { useGateway } from "../../support/use.js";

const PATH = "/v1/inventory/policy";
const gateway = useGateway();
beforeEach(() => gateway.setNow(NOW));

const POLICY = {
  from_year: 2024,
  approach: "operational_control",
  scopes: ["scope_2", "scope_1"],
  base_year: 2024,
  base_year_reason: "First year with complete data.",
  recalculation_threshold_pct: "5.0",
  recalculation_policy: "Changes of structure,\nmethods and errors.",
};
const put = (person: TestPerson, json: object) => person.call<Body>(PATH, { method: "PUT", json });
const list = (person: TestPerson) => answer(person.call(PATH), 200);

/** Inserts an issue, so that the policy of its year is in use. */
const issue = ({ organization }: TestPerson, year: number) =>
  gateway.database.prisma.inventoryIssue.create({
    data: {
      organizationId: organization.id,
      year,
      issue: 1,
      basis: "reported",
      statement: "{}",
      digest: "0".repeat(64),
      issuedAt: NOW,
    },
  });

describe("/v1/inventory/policy", () => {
  it("has no default, sets a policy from a year, and adds a later one", async () => {
    const [ada, other] = [await signUp(gateway), await signUp(gateway)];
    expect(await list(ada)).toEqual({ items: [], next_cursor: null });
    const policy = await answer(put(ada, POLICY), 200, {
      ...POLICY,
      scopes: ["scope_1", "scope_2"],
      year_starts_in: 1,
      recalculation_threshold_pct: 5,
      recalculation_threshold_pct_exact: "5",
      chosen_at: NOW.toISOString(),
    });

    gateway.setNow(new Date(NOW.getTime() + 60_000));
    await answer(put(ada, POLICY), 200, policy);
    const later = { from_year: 2026, approach: "equity_share", scopes: ["scope_1", "scope_2", "scope_3"] };
    const latest = await answer(put(ada, later), 200, {
      ...later,
      year_starts_in: 1,
      base_year: null,
      base_year_reason: null,
      recalculation_threshold_pct: null,
      recalculation_threshold_pct_exact: null,
      recalculation_policy: null,
      chosen_at: new Date(NOW.getTime() + 60_000).toISOString(),
    });
    expect(await list(ada)).toEqual({ items: [policy, latest], next_cursor: null });
    expect(await list(other)).toEqual({ items: [], next_cursor: null });
    const trail = await readAuditTrail(gateway.database, ada.organization.id);
    const entries = trail.filter(({ target }) => target.type === "inventory_policy");
    expect(entries.map(({ action }) => action)).toEqual(Array(2).fill("inventory_policy.created"));
  });

  it("reports all problems together", async () => {
    const ada = await signUp(gateway);
    const wrong = {
      ...POLICY,
      from_year: 1989,
      scopes: ["scope_1", "scope_3"],
      year_starts_in: 13,
      base_year_reason: null,
      recalculation_threshold_pct: "100.0001",
    };
    await refused(put(ada, wrong), 422, {
      from_year: "from_year must be from 1990 to 2100 (got 1989).",
      scopes: "scopes must contain scope_1 and scope_2 (got scope_1, scope_3).",
      year_starts_in: "year_starts_in must be a month from 1 to 12 (got 13).",
      base_year_reason: "base_year_reason is required with a base year.",
      recalculation_threshold_pct:
        "recalculation_threshold_pct must be above 0 and at most 100 with at most 4 decimals (got 100.0001).",
    });
    await refused(put(ada, { ...POLICY, recalculation_threshold_pct: 0 }), 422);
    await answer(put(ada, { ...POLICY, recalculation_threshold_pct: "0.0001" }), 200);
  });

  it("requires every policy to start in the same month", async () => {
    const ada = await signUp(gateway);
    await put(ada, POLICY);
    expect((await put(ada, { ...POLICY, year_starts_in: 4 })).body.data.year_starts_in).toBe(4);
    const year_starts_in = "year_starts_in must be 4, as in the policy from 2024 (got 1).";
    await refused(put(ada, { ...POLICY, from_year: 2025 }), 422, { year_starts_in });
  });

  it("refuses to change or override a policy that an issue is based on", async () => {
    const ada = await signUp(gateway);
    await put(ada, POLICY);
    await put(ada, { ...POLICY, from_year: 2027 });
    await issue(ada, 2025);
    const inUse = (got: number) => ({
      from_year: `POLICY_IN_USE: the inventory of 2025 was issued under the policy from 2024. Set a policy from a later year (got ${got}).`,
    });
    const changed = { ...POLICY, approach: "equity_share" };
    await refused(put(ada, changed), 409, inUse(2024));
    await refused(put(ada, { ...changed, from_year: 2025 }), 409, inUse(2025));
    await answer(put(ada, POLICY), 200);
    // A policy from an earlier or later year does not affect the issue.
    for (const from_year of [2020, 2026, 2027]) await answer(put(ada, { ...changed, from_year }), 200);
  });
});
