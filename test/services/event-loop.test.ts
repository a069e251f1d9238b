import { beforeAll, describe, expect, it } from "vitest";
import { keepAcknowledged } from "../../src/actions/foresight/acknowledge.js";
import { reportAnomalies } from "../../src/actions/foresight/report-anomalies.js";
import { readAsTenant } from "../../src/data/tenant/reader.js";
import { ANOMALY_CHECKS } from "../../src/domain/foresight/find-anomalies.js";
import { type NumberedAmount, scoreSeries } from "../../src/domain/foresight/scored-series.js";
import { monthNumber } from "../../src/domain/window.js";
import { limitTime } from "../../src/time-limit.js";
import { requireQuickNeighbour } from "../fuzz/neighbour.js";
import { requireShortBlocks } from "../support/longest-block.js";
import { signUp, type TestPerson } from "../support/people.js";
import { withClient } from "../support/pg-client.js";
import { makeKey, makeOrganization, NOW, startGateway } from "../support/server.js";
import { use } from "../support/use.js";

const FACILITIES = 1_000;
const MONTHS = 25;
/** Number of facilities and of categories of the other organization. */
const PARTS = 50_000;
/** Number of facilities of the organization with long names and much electricity. */
const CONSUMERS = 20_000;

let key: string;
let neighbour: string;
let wideKey: string;
let person: TestPerson;
let consumer: TestPerson;

const gateway = use(startGateway);
beforeAll(async () => {
  const slug = await makeOrganization(gateway.database);
  ({ key } = await makeKey(gateway.database, slug, { tier: "free" }));
  const other = await makeOrganization(gateway.database);
  ({ key: neighbour } = await makeKey(gateway.database, other, { tier: "enterprise" }));
  const wide = await makeOrganization(gateway.database);
  ({ key: wideKey } = await makeKey(gateway.database, wide, { tier: "free" }));
  person = await signUp(gateway, { organization: slug });
  consumer = await signUp(gateway);
  await withClient(gateway.database.url, async (client) => {
    await client.query(
      `INSERT INTO facilities (id, organization_id, code, name, country)
       SELECT gen_random_uuid(), id, 'site-' || n, 'Alpha beta works ' || n, 'DE'
       FROM organizations, generate_series(1, $2::int) AS n WHERE slug = $1`,
      [slug, FACILITIES],
    );
    await client.query(
      `INSERT INTO emission_records (organization_id, id, facility_id, recorded_on, scope, co2e_tonnes)
       SELECT organization_id, gen_random_uuid(), id, (date '2026-10-15' - n * interval '1 month')::date, scope,
         10 + mod(abs(hashtext(code || scope || n)), 5000) / 1000.0
       FROM facilities, generate_series(0, $2::int - 1) AS n, unnest(enum_range(NULL::emission_scope)) AS scope
       WHERE organization_id = (SELECT id FROM organizations WHERE slug = $1)`,
      [slug, MONTHS],
    );
    await client.query(
      `INSERT INTO emission_days (organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count)
       SELECT id, grain::emission_grain, month::date, gen_random_uuid()::text, 'scope_1', random() * 100, 1
       FROM organizations, generate_series(1, $2::int), unnest(ARRAY['month_facility', 'month_category']) AS grain,
         unnest(ARRAY['2025-05-01', '2026-05-01']) AS month WHERE slug = $1`,
      [wide, PARTS],
    );
    const { id } = consumer.organization;
    for (const insert of [
      `inventory_policies (organization_id, from_year, approach, scopes, chosen_at)
       VALUES ($1, 2020, 'operational_control', '{scope_1,scope_2,scope_3}', now())`,
      `facilities (id, organization_id, code, name, country) SELECT gen_random_uuid(), $1, 'site-' || n || repeat('x', 150),
         'Alpha beta works ' || n || repeat('y', 150), 'DE' FROM generate_series(1, ${CONSUMERS}) AS n`,
      `emission_streams (organization_id, scope, category, line) VALUES ($1, 'scope_2', 'electricity', 'purchased_electricity')`,
      `emission_factors (organization_id, activity, region, scope, category, gas, factor, unit, dimension, source, source_url, source_year, verified)
       VALUES ($1, 'Residual mix', 'DE', 'scope_2', 'residual_mix', 'CO2e', 0.365, 'kWh', 'energy', 'A publication', 'https://example.org', 2024, true)`,
      `emission_records (organization_id, id, facility_id, recorded_on, scope, co2e_tonnes, category, energy_kwh)
       SELECT organization_id, gen_random_uuid(), id, date '2025-03-15', 'scope_2', 10 + random() * 1000, 'electricity',
         random() * 100000 FROM facilities WHERE organization_id = $1`,
    ])
      await client.query(`INSERT INTO ${insert}`, [id]);
    await client.query("ANALYZE emission_days, facilities, emission_records");
  });
}, 300_000);

let texts = 0;
/** Sends a text that no cache has. */
function ask(query: string, as = key) {
  texts += 1;
  return gateway.graphql(`# ${texts}\n${query}`, as);
}

const aliases = (field: (index: number) => string) =>
  Array.from({ length: 19 }, (_, index) => `a${index}: ${field(index)}`).join(" ");
const THRESHOLDS = aliases(
  (index) => `anomalies(yoyThreshold: 0.${10 + index}) { items(first: 5) { nodes { explanation } } }`,
);
/** Expects an answer, or on a slow machine the time limit: turns are measured either way. */
async function expectAnswer(query: string, as?: string): Promise<void> {
  const { body } = await ask(query, as);
  const codes = body.errors?.map(({ extensions }) => extensions.code) ?? [];
  expect(codes).toEqual(codes.map(() => "INTERNAL_ERROR"));
}

describe("the event loop is free at least every 50 ms", () => {
  it.each([
    ["19 thresholds of anomalies", `{ emissions { ${THRESHOLDS} } }`],
    [
      "unacknowledged anomalies",
      "{ emissions { anomalies { items(isAcknowledged: false) { totalCount } } } }",
    ],
    ["insights", "{ emissions { insights(first: 20) { title } } }"],
    ["coverage", "{ emissionKpis { coveragePercent } }"],
    [
      "contributions",
      "{ emissions { change { contributions(by: FACILITY, first: 5) { series { name } } } } }",
    ],
    ["19 forecasts", `{ emissions { ${aliases((index) => `forecast(window: ${30 + index}) { n }`)} } }`],
  ])("while it answers %s", async (_what, query) => {
    await requireShortBlocks(() => expectAnswer(query));
  });

  it.each([
    [
      "contributions of 50,000 categories",
      "{ emissions { change { contributions(by: CATEGORY, first: 5) { co2eTonnes } } } }",
    ],
    [
      "contributions of 50,000 facilities",
      "{ emissions { change { contributions(by: FACILITY, first: 5) { co2eTonnes } } } }",
    ],
    ["insights into 50,000 facilities", "{ emissions { insights(first: 20) { title } } }"],
  ])("while it answers %s", async (_what, query) => {
    await requireShortBlocks(() => expectAnswer(query, wideKey));
  });

  it("while it selects the unacknowledged anomalies of five years", async () => {
    const { organization, user } = person;
    const inTime = limitTime(60_000);
    const tenant = readAsTenant(gateway.database, organization.id, { now: NOW, inTime });
    const span = { from: "2021-11", to: "2026-10" };
    const last = monthNumber(span.to);
    const amounts = Array.from(
      { length: 72 },
      (_, index): NumberedAmount => [last - 71 + index, 10 + (index % 7)],
    );
    const series = Array.from({ length: 6_000 }, (_, index) => ({
      key: { facility: `site-${index}` },
      unit: "tCO2e",
      scored: scoreSeries(amounts, span),
    }));
    const thresholds = { types: ANOMALY_CHECKS, zThreshold: 0.01, yoyThreshold: 0.01 };
    const report = await reportAnomalies(series, thresholds, tenant);
    const { id, value } = report.at(report.found[0] ?? 0);
    await gateway.database.prisma.anomalyAcknowledgement.create({
      data: {
        organizationId: organization.id,
        anomalyId: id,
        value: value ?? 0,
        acknowledgedBy: user.id,
        acknowledgedAt: NOW,
      },
    });
    await requireShortBlocks(async () => {
      const kept = await keepAcknowledged(tenant, report, false);
      expect(kept).toHaveLength(report.found.length - 1);
    });
  });

  it.each([
    ["an inventory", "/v1/inventory/2025"],
    ["a VSME report", "/v1/inventory/2025/vsme/export"],
  ])("while it composes %s of 20,000 facilities with a residual mix", async (_what, path) => {
    const { status } = await requireShortBlocks(() => consumer.call(path));
    // 503: a slow machine exceeds the time limit of reads.
    expect([200, 503]).toContain(status);
  });

  it("while it answers a question to an organization with long names", async () => {
    const json = { message: "Emissions of site-1 last year" };
    const { status } = await requireShortBlocks(() => consumer.call("/v1/emissions/chat", { json }));
    expect(status).toBe(200);
  });

  it.each([
    ["something it does not understand", "What is unusual?"],
    [
      "many facilities",
      `Compare ${Array.from({ length: 150 }, (_, index) => `site-${index + 1}`).join(", ")}`,
    ],
    ["many parts of names", `Emissions of ${"alpha beta 7, ".repeat(130)}`],
  ])("while it answers a question about %s", async (_what, message) => {
    await requireShortBlocks(async () => {
      const { status } = await person.call("/v1/emissions/chat", { json: { message } });
      expect(status).toBe(200);
    });
  });
});

describe("other organizations wait at most 50 ms", () => {
  const ask = () => gateway.rest("/emissions", neighbour);
  const fileOf = (quote: string) => {
    const row = (number: number) =>
      ["2026-03-11", "scope_1", `${number}.5`, `category ${number % 50}`].map((text) => quote + text + quote);
    const rows = Array.from({ length: 40_000 }, (_, number) => row(number).join());
    return ["recorded_on,scope,co2e_tonnes,category", ...rows, ""].join("\n");
  };

  it.each([
    ["a plain CSV file", fileOf("")],
    ["a CSV file with every field in quotes", fileOf('"')],
  ])("for an import of %s", async (_what, body) => {
    const { status } = await requireQuickNeighbour(
      () =>
        person.call("/v1/emissions/import?dry_run=true", {
          method: "POST",
          body,
          headers: { "Content-Type": "text/csv" },
        }),
      ask,
    );
    expect(status).toBe(200);
  });
});
