import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FRAMEWORK_STATUSES, FRAMEWORKS } from "../../src/domain/enums.js";
import { addDeadline, addFramework } from "../support/fixtures.js";
import { ORGANIZATION, runSql } from "../support/graph-fixtures.js";
import { type Gateway, NOW, startGateway } from "../support/server.js";
import { newTenant } from "./tenant.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.setNow(NOW));

/** Creates a tenant with all frameworks, two of each status, and past and future deadlines. */
async function newRegistrant() {
  const tenant = await newTenant(gateway);
  for (const [index, framework] of FRAMEWORKS.entries()) {
    const status = FRAMEWORK_STATUSES[index % 4] ?? "compliant";
    await addFramework(gateway.database, tenant.slug, { framework, status });
    for (const [title, dueDate] of [
      ["Past", "2026-11-19"],
      ["Today", "2026-11-20"],
      ["Next", `2026-12-0${index + 1}`],
      ["Year's end", "2026-12-31"],
      ["Leap day", "2028-02-29"],
    ] as const) {
      const status = index % 2 === 0 ? "pending" : "in, review";
      await addDeadline(gateway.database, tenant.slug, { framework, title, dueDate, status });
    }
  }
  return tenant;
}

describe("{ compliance { frameworks(statuses) } }", () => {
  it.each([
    ["[COMPLIANT]", ["CCTS", "GHG_PROTOCOL"]],
    ["[NOT_APPLICABLE, ACTION_REQUIRED]", ["BRSR", "SG_CCS", "SBTi", "TCFD"]],
    ["[PENDING_REVIEW, PENDING_REVIEW]", ["EU_CBAM", "CDP"]],
    ["[]", [...FRAMEWORKS]],
    ["null", [...FRAMEWORKS]],
  ])("returns those with one of the statuses, in the contract's order: %s", async (statuses, expected) => {
    const { dataOf } = await newRegistrant();
    const data = await dataOf(`{ compliance { frameworks(statuses: ${statuses}) { framework } } }`);
    expect(data.compliance.frameworks).toEqual(expected.map((framework) => ({ framework })));
  });

  it("returns each framework's next deadlines, as many as requested", async () => {
    const { dataOf } = await newRegistrant();
    const data = await dataOf(`{ compliance { frameworks {
      framework upcomingDeadlines(first: 3) { framework title dueDate }
    } } }`);
    expect(data.compliance.frameworks).toEqual(
      FRAMEWORKS.map((framework, index) => ({
        framework,
        upcomingDeadlines: [
          { framework, title: "Today", dueDate: "2026-11-20" },
          { framework, title: "Next", dueDate: `2026-12-0${index + 1}` },
          { framework, title: "Year's end", dueDate: "2026-12-31" },
        ],
      })),
    );
  });

  it("returns each framework's own deadlines after a filter by status", async () => {
    const { dataOf } = await newRegistrant();
    const data = await dataOf(`{ compliance {
      frameworks(statuses: [ACTION_REQUIRED]) { upcomingDeadlines(first: 1) { framework title } }
    } }`);
    expect(data.compliance.frameworks).toEqual([
      { upcomingDeadlines: [{ framework: "BRSR", title: "Today" }] },
      { upcomingDeadlines: [{ framework: "SBTi", title: "Today" }] },
    ]);
  });
});

describe("{ compliance { frameworks { deadlines } } }", () => {
  it.each([
    ["past ones too, by due date, as many as requested", "first: 2", ["Past", "Today"]],
    ["latest first", "order: DESC, first: 2", ["Leap day", "Year's end"]],
    [
      "those of a range of days",
      'filter: { dueDate: { from: "2026-11-19", to: "2026-11-20" } }',
      ["Past", "Today"],
    ],
    ["10 by default", "", ["Past", "Today", "Next", "Year's end", "Leap day"]],
  ])("returns each framework's own: %s", async (_what, args, expected) => {
    const { dataOf } = await newRegistrant();
    const data = await dataOf(`{ compliance { frameworks {
      framework deadlines${args && `(${args})`} { framework title }
    } } }`);
    expect(data.compliance.frameworks).toEqual(
      FRAMEWORKS.map((framework) => ({
        framework,
        deadlines: expected.map((title) => ({ framework, title })),
      })),
    );
  });

  it("filters by status, in upper or lower case", async () => {
    const { dataOf } = await newRegistrant();
    const data = await dataOf(`{ compliance { frameworks {
      framework deadlines(filter: { statuses: ["PENDING"] }) { status }
    } } }`);
    expect(data.compliance.frameworks).toEqual(
      FRAMEWORKS.map((framework, index) => ({
        framework,
        deadlines: index % 2 === 0 ? Array(5).fill({ status: "pending" }) : [],
      })),
    );
  });

  it("costs as much as the same number of upcoming deadlines", async () => {
    const { ask } = await newTenant(gateway);
    const costOf = async (field: string) =>
      (await ask(`{ compliance { frameworks { ${field} { title } } } }`)).cost;
    const costs = await Promise.all(
      ["", "(first: 1)", "(first: 50)"].map((args) => costOf(`deadlines${args}`)),
    );
    expect(costs).toEqual(
      await Promise.all(["", "(first: 1)", "(first: 50)"].map((args) => costOf(`upcomingDeadlines${args}`))),
    );
    expect(costs[2]).toBeGreaterThan(costs[1] ?? Number.POSITIVE_INFINITY);
  });
});

describe("{ compliance { deadlines(filter) } }", () => {
  it.each([
    ["nothing", "", "true"],
    ["one framework", "filter: { frameworks: [SBTi] }", "framework = 'SBTi'"],
    ["two frameworks", "filter: { frameworks: [TCFD, CCTS] }", "framework IN ('CCTS', 'TCFD')"],
    ["a status with a comma", 'filter: { statuses: ["in, review"] }', "status = 'in, review'"],
    [
      "two statuses, of which one does not occur",
      'filter: { statuses: ["pending", "paid"] }',
      "status = 'pending'",
    ],
    ["a status in another case", 'filter: { statuses: ["PENDING", "Pending"] }', "status = 'pending'"],
    ["one day", 'filter: { dueDate: { from: "2028-02-29", to: "2028-02-29" } }', "due_date = '2028-02-29'"],
    [
      "days of a month",
      'filter: { dueDate: { from: "2026-12-01", to: "2026-12-31" } }',
      "to_char(due_date, 'YYYY-MM') = '2026-12'",
    ],
    ["days that are past", 'filter: { dueDate: { from: "2020-01-01", to: "2026-11-19" } }', "title = 'Past'"],
    [
      "all of these together",
      'filter: { frameworks: [CDP, CCTS], statuses: ["pending"], dueDate: { from: "2026-11-20", to: "2026-12-30" } }',
      "framework IN ('CCTS', 'CDP') AND status = 'pending' AND due_date > '2026-11-19' AND due_date < '2026-12-31'",
    ],
    ["nothing, if the lists are empty", "filter: { frameworks: [], statuses: [], dueDate: null }", "true"],
  ])("returns what SQL returns, past ones too: by %s", async (_what, filter, condition) => {
    const { slug, dataOf } = await newRegistrant();
    const expected = await runSql<object>(
      gateway.database,
      `SELECT id::text, framework::text, title, due_date::text AS "dueDate", due_date - date '2026-11-20' AS "daysRemaining", status
       FROM compliance_deadlines WHERE organization_id = ${ORGANIZATION} AND ${condition}
       ORDER BY due_date, array_position('{CCTS,BRSR,EU_CBAM,SG_CCS,GHG_PROTOCOL,SBTi,CDP,TCFD}'::text[], framework::text), title`,
      slug,
    );
    expect(expected.length).toBeGreaterThan(0);
    const argument = filter === "" ? "" : `, ${filter}`;
    const data = await dataOf(`{ compliance { deadlines(first: 100${argument}) {
      nodes { id framework title dueDate daysRemaining status } totalCount
    } } }`);
    expect(data.compliance.deadlines).toEqual({ nodes: expected, totalCount: expected.length });
  });

  it("is empty if nothing matches", async () => {
    const { dataOf } = await newRegistrant();
    const data = await dataOf(`{ compliance { deadlines(filter: { statuses: ["no such"] }) {
      nodes { id } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } } }`);
    expect(data.compliance.deadlines).toEqual({
      nodes: [],
      totalCount: 0,
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });
});

describe("daysRemaining", () => {
  it.each([
    ["2026-11-20T00:00:00.000Z", { past: -1, today: 0, tomorrow: 1, leap: 466 }],
    ["2026-11-20T23:59:59.999Z", { past: -1, today: 0, tomorrow: 1, leap: 466 }],
    ["2026-11-21T00:00:00.000Z", { past: -2, today: -1, tomorrow: 0, leap: 465 }],
  ])("counts UTC days, 0 on the day and negative after it: at %s", async (now, expected) => {
    const { slug, dataOf } = await newTenant(gateway);
    for (const [title, dueDate] of [
      ["past", "2026-11-19"],
      ["today", "2026-11-20"],
      ["tomorrow", "2026-11-21"],
      ["leap", "2028-02-29"],
    ] as const)
      await addDeadline(gateway.database, slug, { title, dueDate });
    gateway.setNow(new Date(now));
    const data = await dataOf("{ compliance { deadlines { nodes { title daysRemaining } } } }");
    expect(data.compliance.deadlines.nodes).toEqual(
      Object.entries(expected).map(([title, daysRemaining]) => ({ title, daysRemaining })),
    );
  });
});
