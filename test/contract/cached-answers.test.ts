import { readFile } from "node:fs/promises";
import { buildSchema, getNamedType, isLeafType, isNonNullType, isObjectType } from "graphql";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FRAMEWORKS } from "../../src/domain/enums.js";
import { TABLES, VISIBILITY } from "../../src/generated/tables.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { addDeadline, addFeed, addRecord, addTenantData } from "../support/fixtures.js";
import { runSql } from "../support/graph-fixtures.js";
import { type Client, createClient, type Gateway, makeKey, NOW, startGateway } from "../support/server.js";
import { recordStatements } from "../support/statements.js";
import { TABLE_ROWS } from "../support/table-rows.js";

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));

let gateway: Gateway;
/** A client of the gateway that does not wait for the announcements of the test's writes. */
let cachingClient: Client;
/** A gateway on the same database that hears of no changes, and so caches nothing. */
let uncached: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  cachingClient = createClient(gateway.url);
  const listen = async () => ({ isListening: () => false, stop: async () => undefined });
  uncached = await startGateway({ database: { ...gateway.database, listen } });
});
afterAll(async () => {
  await uncached.stop();
  await gateway.stop();
});
beforeEach(() => setNow(NOW));

function setNow(now: Date): void {
  gateway.setNow(now);
  uncached.setNow(now);
}

/** Ways to read the stored data, each from as few tables as possible. */
const PATHS = ["/emissions", "/compliance", "/credits", "/benchmarks", "/market"];
const QUERIES = [
  "{ emissions { totalCo2eTonnesExact recordCount latestRecord byScope { co2eTonnesExact } } }",
  "{ emissions { trend { co2eTonnesExact } change { percent } byCategory { category co2eTonnesExact } } }",
  "{ emissions { byFacility { facility { name } co2eTonnesExact } } }",
  "{ emissions { facilities(first: 5) { nodes { facility { name } recordCount } } } }",
  "{ emissions { records(first: 5) { nodes { reference co2eTonnesExact } totalCount } } }",
  "{ emissions { records(first: 5) { nodes { facility { name } } } } }",
  "{ compliance { frameworks { framework status upcomingDeadlines { title } } } }",
  "{ compliance { upcomingDeadlines { title status daysRemaining } } }",
  "{ compliance { deadlines(first: 5) { nodes { title } totalCount } } }",
  "{ compliance { cbamDeclarations(first: 5) { nodes { year certificatesHeld imports { massT } } totalCount } } }",
  "{ compliance { cctsPeriods(first: 5) { nodes { entity surplus surrendered } totalCount } } }",
  "{ credits { availableCredits issuedCredits soldCredits retiredCredits byTypeAndVintage { batchCount } } }",
  "{ credits { retiredCount } }",
  "{ credits { batches(first: 5) { nodes { reference issued available } totalCount } } }",
  "{ credits { batches(first: 5) { nodes { sales { reference quantity } } } } }",
  "{ credits { retirements(first: 5) { nodes { reference quantity } } } }",
  "{ credits { sales(first: 5) { nodes { reference quantity price } } } }",
  "{ credits { retirements(first: 5) { nodes { batch { reference issued } } } } }",
  "{ market { prices { exchange price } } }",
  "{ market { instruments(first: 5) { nodes { exchange history { price } change { amount } } } } }",
  "{ market { isLiveFeedConnected } }",
  "{ market { priceIndex { name values { value instruments { creditType weight price } } } } }",
  '{ benchmarks(region: "EU") { items { sector intensity } } }',
  "{ facilities(first: 5, includeArchived: true) { nodes { code name version archivedAt } totalCount } }",
  "{ emissionKpis { changePercent marketBasedScope2TonnesExact coveragePercent latestRecord } }",
  "{ emissionKpis { intensities { metric metricTotalExact missingMonths } } }",
  "{ emissions { anomalies(by: ORGANIZATION) { items(first: 5) { nodes { month isAcknowledged } } } } }",
  "{ energyInstruments(first: 5) { nodes { leftMwhExact claims { reference mwhExact facility } } } }",
  // The first page of each list in Query that keys can read, with the scalar fields of its items.
  ...Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, type, args, astNode }) => {
    const connection = getNamedType(type);
    const isUncached = astNode?.directives?.some((directive) => directive.name.value === "uncached");
    if (!connection.name.endsWith("Connection") || isUncached) return [];
    const item = schema.getType(connection.name.replace(/Connection$/, ""));
    const values = isObjectType(item)
      ? Object.values(item.getFields()).filter(({ type }) => isLeafType(getNamedType(type)))
      : [];
    const ofYear = args.some((arg) => arg.name === "year" && isNonNullType(arg.type)) ? "year: 2025, " : "";
    return [
      `{ ${name}(${ofYear}first: 5) { nodes { ${values.map((value) => value.name).join(" ")} } totalCount } }`,
    ];
  }),
];

/** Returns what a key sees in each way of reading. */
async function look({ rest, graphql }: Pick<Client, "rest" | "graphql">, key: string) {
  const views = await Promise.all([
    ...PATHS.map(async (path) => [path, (await rest(path, key)).body.data] as const),
    ...QUERIES.map(async (query) => {
      const { body } = await graphql(query, key);
      expect([query, body.errors]).toEqual([query, undefined]);
      return [query, body.data] as const;
    }),
  ]);
  return Object.fromEntries(views);
}

let made = 0;

/** Creates a tenant with rows in every table, whose key's use is recorded; returns its slug and key. */
async function newTenant() {
  made += 1;
  const slug = `cached-${made}`;
  await addTenantData(gateway.database, {
    name: `Cached-${made}`,
    digits: 1_000 + made,
    framework: FRAMEWORKS[0],
  });
  for (const [recordedOn, co2eTonnes] of [
    ["2025-10-05", 2],
    ["2026-10-05", 5],
  ] as const) {
    await addRecord(gateway.database, slug, { recordedOn, co2eTonnes });
  }
  const { id, key } = await makeKey(gateway.database, slug);
  await cachingClient.rest("/emissions", key);
  const { apiKey } = gateway.database.prisma;
  const lastUse = async () => (await apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt;
  await expect.poll(lastUse).not.toBeNull();
  await gateway.database.waitForAnnouncements();
  return { slug, key };
}

/** Waits until a key sees the stored data in all ways; returns the data. */
async function expectSeen(key: string): Promise<Awaited<ReturnType<typeof look>>> {
  const stored = await look(uncached, key);
  await expect.poll(() => look(cachingClient, key)).toEqual(stored);
  return stored;
}

const OF = "(SELECT id FROM organizations WHERE slug = $1)";

const FACTOR_COLUMNS =
  "activity, region, scope, category, gas, factor, unit, dimension, source, source_url, source_year, verified";
const FACTOR_VALUES =
  "'UK', 'scope_1', 'heat', 'CO2e', 2, 'kg', 'mass', 'Report', 'https://example.org', 2024, true";

/** Tenant tables that keys do not read here. */
const UNREAD = [
  "imports",
  "service_accounts",
  "service_account_tokens",
  "webhook_endpoints",
  "domains",
  "sso_connections",
  "directory_users",
  "directory_groups",
  "directory_members",
  "inventory_policies",
  "entities",
  "entity_holdings",
  "emission_streams",
  "line_judgements",
  "inventory_issues",
  "reduction_targets",
];

/** Successive changes by table; `$1` is the tenant's slug. Changes marked "all" affect every tenant. */
const CHANGES: Record<string, readonly (readonly [change: string, isOfAll?: "all"])[]> = {
  ...Object.fromEntries(
    Object.entries(TABLE_ROWS)
      .filter(([table]) => !UNREAD.includes(table))
      .map(([table, [, insert, change]]) => [
        table,
        [
          [`INSERT INTO ${table} ${insert.replaceAll("$", OF)}`],
          [`UPDATE ${table} SET ${change} WHERE organization_id = ${OF}`],
          [`DELETE FROM ${table} WHERE organization_id = ${OF}`],
        ],
      ]),
  ),
  facilities: [
    [`INSERT INTO facilities (organization_id, code, name, country) SELECT ${OF}, 'new', 'New', 'DE'`],
    [`UPDATE facilities SET name = name || ', renamed' WHERE organization_id = ${OF}`],
    [`DELETE FROM facilities WHERE organization_id = ${OF} AND code = 'new'`],
  ],
  emission_records: [
    [
      `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes) SELECT ${OF}, '2026-10-01', 'scope_2', 7`,
    ],
    [`UPDATE emission_records SET co2e_tonnes = co2e_tonnes + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM emission_records WHERE organization_id = ${OF} AND scope = 'scope_2'`],
  ],
  // A repair changes the sums without the records.
  emission_days: [
    [
      `INSERT INTO emission_days (organization_id, grain, recorded_on, part, scope, co2e_tonnes, record_count) SELECT ${OF}, 'month', '2026-10-01', '', 'scope_3', 7, 1`,
    ],
    [`UPDATE emission_days SET co2e_tonnes = co2e_tonnes + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM emission_days WHERE organization_id = ${OF} AND scope = 'scope_3'`],
    ["TRUNCATE emission_days", "all"],
  ],
  compliance_statuses: [
    [
      `INSERT INTO compliance_statuses (organization_id, framework, status, last_updated) SELECT ${OF}, 'CDP', 'compliant', now()`,
    ],
    [`UPDATE compliance_statuses SET status = 'action_required' WHERE organization_id = ${OF}`],
    [`DELETE FROM compliance_statuses WHERE organization_id = ${OF} AND framework = 'CDP'`],
  ],
  compliance_deadlines: [
    [
      `INSERT INTO compliance_deadlines (organization_id, framework, title, due_date, status) SELECT ${OF}, 'CDP', 'New', '2026-12-01', 'pending'`,
    ],
    [`UPDATE compliance_deadlines SET status = 'done' WHERE organization_id = ${OF}`],
    [`DELETE FROM compliance_deadlines WHERE organization_id = ${OF} AND title = 'New'`],
  ],
  ccts_periods: [
    [
      `INSERT INTO ccts_periods (organization_id, entity, financial_year, target_gei, target_source_url, achieved_gei, output) SELECT ${OF}, 'New', '2025-26', 1, 'https://example.org', 1, 1`,
    ],
    [`UPDATE ccts_periods SET output = output + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM ccts_periods WHERE organization_id = ${OF} AND entity = 'New'`],
  ],
  cbam_declarations: [
    [`INSERT INTO cbam_declarations (organization_id, year) SELECT ${OF}, 2034`],
    [`UPDATE cbam_declarations SET certificates_held = 7 WHERE organization_id = ${OF}`],
    [`DELETE FROM cbam_declarations WHERE organization_id = ${OF} AND year = 2034`],
  ],
  cbam_imports: [
    [
      `INSERT INTO cbam_imports (organization_id, declaration_id, quarter, cn_code, country, mass_t, basis, precursors, reduction_tco2e)
       SELECT organization_id, id, 'Q1', '7208', 'DE', 1, 'default', '[]', 0 FROM cbam_declarations WHERE organization_id = ${OF}`,
    ],
    [`UPDATE cbam_imports SET mass_t = mass_t + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM cbam_imports WHERE organization_id = ${OF} AND cn_code = '7208'`],
  ],
  // A tenant has one row of each, with the same reference.
  ...Object.fromEntries(
    ["energy_instruments", "energy_claims"].map((table) => [
      table,
      [
        [`UPDATE ${table} SET ${TABLE_ROWS[table]?.[2]} WHERE organization_id = ${OF}`],
        [`DELETE FROM ${table} WHERE organization_id = ${OF}`],
        [`INSERT INTO ${table} ${TABLE_ROWS[table]?.[1].replaceAll("$", OF)}`],
      ],
    ]),
  ),
  credit_batches: [
    [
      `INSERT INTO credit_batches (organization_id, reference, credit_type, quantity) SELECT ${OF}, 'new', 'VCS', 50`,
    ],
    [`UPDATE credit_batches SET quantity = quantity + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM credit_batches WHERE organization_id = ${OF} AND reference = 'new'`],
  ],
  credit_sales: [
    [
      `INSERT INTO credit_sales (organization_id, batch_id, reference, quantity) SELECT organization_id, id, 'new', 3 FROM credit_batches WHERE organization_id = ${OF}`,
    ],
    [`UPDATE credit_sales SET quantity = quantity + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM credit_sales WHERE organization_id = ${OF} AND reference = 'new'`],
  ],
  credit_retirements: [
    [
      `INSERT INTO credit_retirements (organization_id, batch_id, reference, quantity, retired_on) SELECT organization_id, id, 'new', 3, '2026-10-01' FROM credit_batches WHERE organization_id = ${OF}`,
    ],
    [`UPDATE credit_retirements SET quantity = quantity + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM credit_retirements WHERE organization_id = ${OF} AND reference = 'new'`],
  ],
  market_prices: [
    [
      `INSERT INTO market_prices (organization_id, credit_type, exchange, price, currency, source) SELECT ${OF}, 'EUA', 'Own', 80, 'EUR', 'list'`,
    ],
    [`UPDATE market_prices SET price = price + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM market_prices WHERE organization_id = ${OF} AND exchange = 'Own'`],
    [
      "INSERT INTO market_prices (credit_type, exchange, price, currency, source) VALUES ('EUA', 'Platform', 80, 'EUR', 'list')",
      "all",
    ],
    ["UPDATE market_prices SET price = price + 1 WHERE organization_id IS NULL", "all"],
    // Moves a price from the platform to one tenant, and back.
    [`UPDATE market_prices SET organization_id = ${OF}, price = 70 WHERE exchange = 'Platform'`, "all"],
    ["UPDATE market_prices SET organization_id = NULL, price = 60 WHERE exchange = 'Platform'", "all"],
    ["DELETE FROM market_prices WHERE organization_id IS NULL", "all"],
  ],
  price_indices: [
    ["UPDATE price_indices SET name = 'Renamed' WHERE code = 'global'", "all"],
    ["UPDATE price_indices SET name = 'Global' WHERE code = 'global'", "all"],
  ],
  price_index_weights: [
    [
      "INSERT INTO price_index_weights (index, credit_type, exchange, valid_from) VALUES ('global', 'RGGI', 'Auction', '2026-01-02')",
      "all",
    ],
    ["UPDATE price_index_weights SET weight = 2 WHERE credit_type = 'RGGI'", "all"],
    ["DELETE FROM price_index_weights WHERE credit_type = 'RGGI'", "all"],
  ],
  benchmarks: [
    [
      "INSERT INTO benchmarks (sector, intensity, region, source, source_url, source_year) VALUES ('Steel', 1.9, 'EU', 'Report', 'https://example.org', 2023)",
      "all",
    ],
    ["UPDATE benchmarks SET intensity = 2", "all"],
    ["DELETE FROM benchmarks WHERE sector = 'Steel'", "all"],
    [
      "INSERT INTO benchmarks (sector, intensity, region, source, source_url, source_year) VALUES ('Glass', 1.9, 'EU', 'Report', 'https://example.org', 2023)",
      "all",
    ],
    ["TRUNCATE benchmarks", "all"],
  ],
  emission_factors: [
    [`INSERT INTO emission_factors (organization_id, ${FACTOR_COLUMNS}) SELECT ${OF}, 'A', ${FACTOR_VALUES}`],
    [`UPDATE emission_factors SET factor = factor + 1 WHERE organization_id = ${OF}`],
    [`DELETE FROM emission_factors WHERE organization_id = ${OF} AND activity = 'A'`],
    [`INSERT INTO emission_factors (${FACTOR_COLUMNS}) VALUES ('B', ${FACTOR_VALUES})`, "all"],
    ["UPDATE emission_factors SET factor = factor + 1 WHERE organization_id IS NULL", "all"],
    ["DELETE FROM emission_factors WHERE organization_id IS NULL", "all"],
  ],
  anomaly_acknowledgements: [
    [
      `INSERT INTO anomaly_acknowledgements (organization_id, finding_id, value, acknowledged_by, acknowledged_at)
        SELECT ${OF}, 'yoy:organization:2026-10', 5, gen_random_uuid(), now()`,
    ],
    [`UPDATE anomaly_acknowledgements SET value = 6 WHERE organization_id = ${OF}`],
    [`UPDATE anomaly_acknowledgements SET value = 5 WHERE organization_id = ${OF}`],
    [`DELETE FROM anomaly_acknowledgements WHERE organization_id = ${OF}`],
  ],
  exchange_feeds: [
    [`INSERT INTO exchange_feeds (exchange, last_reported_at) VALUES ('EEX', '${NOW.toISOString()}')`, "all"],
    ["UPDATE exchange_feeds SET last_reported_at = '2026-11-20T09:00:00Z'", "all"],
    [`UPDATE exchange_feeds SET last_reported_at = '${NOW.toISOString()}'`, "all"],
    ["DELETE FROM exchange_feeds", "all"],
    [`INSERT INTO exchange_feeds (exchange, last_reported_at) VALUES ('EEX', '${NOW.toISOString()}')`, "all"],
    ["TRUNCATE exchange_feeds", "all"],
  ],
};

describe("the cache", () => {
  it("is tested for every table that tenants read", async () => {
    const cached = Object.entries(VISIBILITY).filter(([, visibility]) =>
      ["own", "own and shared", "shared"].includes(visibility),
    );
    const tables = cached.map(([model]) => TABLES[model as keyof typeof TABLES]);
    expect(Object.keys(CHANGES).sort()).toEqual(tables.filter((table) => !UNREAD.includes(table)).sort());
  });

  it.each(Object.entries(CHANGES))(
    "is correct after every change of %s, and keeps other tenants' entries",
    async (_table, changes) => {
      const [tenant, other] = [await newTenant(), await newTenant()];
      let [before, beforeOfOther] = [
        await look(cachingClient, tenant.key),
        await look(cachingClient, other.key),
      ];
      for (const [change, isOfAll] of changes) {
        await runSql(gateway.database, change, ...(change.includes("$1") ? [tenant.slug] : []));
        const after = await expectSeen(tenant.key);
        expect(after, `seen of: ${change}`).not.toEqual(before);
        if (isOfAll) {
          beforeOfOther = await expectSeen(other.key);
        } else {
          const { answer, statements } = await recordStatements(() => look(cachingClient, other.key));
          expect(answer).toEqual(beforeOfOther);
          expect(statements.map(({ text }) => text)).toEqual([]);
        }
        const again = await recordStatements(() => look(cachingClient, tenant.key));
        expect(again).toEqual({ answer: after, statements: [] });
        before = after;
      }
    },
  );

  it("is correct after a change of rows of very many tenants at once", async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    await look(cachingClient, tenant.key);
    await runSql(
      gateway.database,
      `INSERT INTO organizations (slug, name) SELECT 'one-of-many-' || n, 'One of many' FROM generate_series(1, 150) AS n`,
    );
    const before = [await look(cachingClient, tenant.key), await look(cachingClient, other.key)];
    await runSql(
      gateway.database,
      `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
       SELECT id, '2026-10-01', 'scope_1', 5 FROM organizations`,
    );
    for (const [index, { key }] of [tenant, other].entries()) {
      expect(await expectSeen(key)).not.toEqual(before[index]);
    }
  });

  it("is correct after a transaction of many changes, and unaffected by a rollback", async () => {
    const { slug, key } = await newTenant();
    const before = await look(cachingClient, key);
    const insert = `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes) SELECT ${OF}, '2026-10-01', 'scope_1', 5`;
    const failing = gateway.database.transaction(async ({ execute }) => {
      await execute(insert, [slug]);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    await gateway.database.waitForAnnouncements();
    expect(await recordStatements(() => look(cachingClient, key))).toEqual({
      answer: before,
      statements: [],
    });

    await gateway.database.transaction(async ({ execute }) => {
      for (let n = 0; n < 10; n += 1) await execute(insert, [slug]);
      await execute(`UPDATE credit_batches SET quantity = quantity + 1 WHERE organization_id = ${OF}`, [
        slug,
      ]);
    });
    expect(await expectSeen(key)).not.toEqual(before);
  });

  it("changes at midnight UTC, with the window and the days remaining", async () => {
    const { slug, key } = await newTenant();
    await addRecord(gateway.database, slug, { recordedOn: "2025-11-21", co2eTonnes: 100 });
    await addRecord(gateway.database, slug, { recordedOn: "2026-11-21", co2eTonnes: 10 });
    await addDeadline(gateway.database, slug, { dueDate: "2026-11-20", title: "Due today" });
    setNow(new Date("2026-11-20T23:59:59.999Z"));
    const before = await expectSeen(key);
    setNow(new Date("2026-11-21T00:00:00.000Z"));
    const after = await look(cachingClient, key);
    expect(after).toEqual(await look(uncached, key));
    const total = (views: typeof before) =>
      (views["/emissions"] as { total_co2e_tonnes: number }).total_co2e_tonnes;
    expect(total(after)).toBe(total(before) - 90);
    const titles = (views: typeof before) =>
      (views["/compliance"] as { upcoming_deadlines: { title: string }[] }).upcoming_deadlines.map(
        ({ title }) => title,
      );
    expect([titles(before).includes("Due today"), titles(after).includes("Due today")]).toEqual([
      true,
      false,
    ]);
  });

  it("turns live_feed_connected false when the feed has been silent for 5 minutes, without any change", async () => {
    const { key } = await newTenant();
    await addFeed(gateway.database, NOW);
    const at = (ms: number) => setNow(new Date(NOW.getTime() + ms));
    const isConnected = async () => {
      const [{ body: rest }, { body: graph }] = await Promise.all([
        gateway.rest("/market", key),
        gateway.graphql("{ market { isLiveFeedConnected } }", key),
      ]);
      return [
        (rest.data as { live_feed_connected: boolean }).live_feed_connected,
        graph.data.market.isLiveFeedConnected,
      ];
    };
    expect(await isConnected()).toEqual([true, true]);
    at(59_999);
    expect(await recordStatements(isConnected)).toEqual({ answer: [true, true], statements: [] });
    // A key's use is recorded once a minute.
    at(5 * 60_000);
    expect(await isConnected()).toEqual([true, true]);
    at(5 * 60_000 + 1);
    expect(await isConnected()).toEqual([false, false]);
  });
});
