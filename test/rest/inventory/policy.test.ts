import { beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../../support/answers.js";
import { readAuditTrail } from "../../support/audit.js";
import { addMember, signUp, type TestPerson } from "../../support/people.js";
import { makeKey, NOW } from "../../support/server.js";
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
const list = async (person: TestPerson) => (await person.call<Body>(PATH)).body.data;
const messages = ({ status, body }: { status: number; body: Body }) => [
  status,
  body.error?.code,
  body.error?.details,
];

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
    const first = await put(ada, POLICY);
    const policy = {
      ...POLICY,
      scopes: ["scope_1", "scope_2"],
      year_starts_in: 1,
      recalculation_threshold_pct: 5,
      recalculation_threshold_pct_exact: "5",
      chosen_at: NOW.toISOString(),
    };
    expect([first.status, first.body.data]).toEqual([200, policy]);

    gateway.setNow(new Date(NOW.getTime() + 60_000));
    expect((await put(ada, POLICY)).body.data).toEqual(policy);
    const later = await put(ada, {
      from_year: 2026,
      approach: "equity_share",
      scopes: ["scope_1", "scope_2", "scope_3"],
    });
    const latest = {
      from_year: 2026,
      approach: "equity_share",
      scopes: ["scope_1", "scope_2", "scope_3"],
      year_starts_in: 1,
      base_year: null,
      base_year_reason: null,
      recalculation_threshold_pct: null,
      recalculation_threshold_pct_exact: null,
      recalculation_policy: null,
      chosen_at: new Date(NOW.getTime() + 60_000).toISOString(),
    };
    expect(later.body.data).toEqual(latest);
    expect(await list(ada)).toEqual({ items: [policy, latest], next_cursor: null });
    expect(await list(other)).toEqual({ items: [], next_cursor: null });
    const entries = (await readAuditTrail(gateway.database, ada.organization.id)).map(
      ({ action, target }) => [action, target.type],
    );
    expect(entries.filter(([, type]) => type === "inventory_policy")).toEqual([
      ["inventory_policy.created", "inventory_policy"],
      ["inventory_policy.created", "inventory_policy"],
    ]);
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
    const { status, body } = await put(ada, wrong);
    expect(status).toBe(422);
    expect(body.error.details).toEqual([
      { path: "from_year", message: "from_year must be from 1990 to 2100 (got 1989)." },
      { path: "scopes", message: "scopes must contain scope_1 and scope_2 (got scope_1, scope_3)." },
      { path: "year_starts_in", message: "year_starts_in must be a month from 1 to 12 (got 13)." },
      { path: "base_year_reason", message: "base_year_reason is required with a base year." },
      {
        path: "recalculation_threshold_pct",
        message:
          "recalculation_threshold_pct must be above 0 and at most 100 with at most 4 decimals (got 100.0001).",
      },
    ]);
    expect((await put(ada, { ...POLICY, recalculation_threshold_pct: 0 })).status).toBe(422);
    expect((await put(ada, { ...POLICY, recalculation_threshold_pct: "0.0001" })).status).toBe(200);
  });

  it("requires every policy to start in the same month", async () => {
    const ada = await signUp(gateway);
    await put(ada, POLICY);
    expect((await put(ada, { ...POLICY, year_starts_in: 4 })).body.data.year_starts_in).toBe(4);
    const message = "year_starts_in must be 4, as in the policy from 2024 (got 1).";
    expect(messages(await put(ada, { ...POLICY, from_year: 2025 }))).toEqual([
      422,
      "VALIDATION_FAILED",
      [{ path: "year_starts_in", message }],
    ]);
  });

  it("refuses to change or override a policy that an issue is based on", async () => {
    const ada = await signUp(gateway);
    await put(ada, POLICY);
    await put(ada, { ...POLICY, from_year: 2027 });
    await issue(ada, 2025);
    const inUse = (got: number) => [
      409,
      "CONFLICT",
      [
        {
          path: "from_year",
          message: `POLICY_IN_USE: the inventory of 2025 was issued under the policy from 2024. Set a policy from a later year (got ${got}).`,
        },
      ],
    ];
    const changed = { ...POLICY, approach: "equity_share" };
    expect(messages(await put(ada, changed))).toEqual(inUse(2024));
    expect(messages(await put(ada, { ...changed, from_year: 2025 }))).toEqual(inUse(2025));
    expect((await put(ada, POLICY)).status).toBe(200);
    // A policy from an earlier or later year does not affect the issue.
    expect((await put(ada, { ...changed, from_year: 2020 })).status).toBe(200);
    expect((await put(ada, { ...changed, from_year: 2026 })).status).toBe(200);
    expect((await put(ada, { ...changed, from_year: 2027 })).status).toBe(200);
  });

  it("needs the right to request verification to write, but not to read", async () => {
    const ada = await signUp(gateway);
    const editor = await addMember(gateway, ada.organization.slug, "editor");
    await put(ada, POLICY);
    expect(messages(await put(editor, POLICY)).slice(0, 2)).toEqual([403, "FORBIDDEN"]);
    expect((await list(editor)).items).toHaveLength(1);
    const { key } = await makeKey(gateway.database, ada.organization.slug);
    const answer = await gateway.call<Body>(PATH, { headers: { "X-API-Key": key } });
    expect(answer.body.data.items).toHaveLength(1);
  });
});
