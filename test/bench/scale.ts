import { generateKey, hashKey } from "../../src/access/secrets/api-key.js";
import { generateToken } from "../../src/access/secrets/token.js";
import { startApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import type { Database } from "../../src/data/database/types.js";
import { displayKey } from "../../src/domain/keys/secrets.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { createLogger } from "../../src/log.js";
import { createScratchDatabase, median } from "./database.js";

const NOW = new Date("2026-11-20T10:00:00Z");
const CHUNK = 1_000_000;
/** Records for each row of another table. */
const RECORDS_PER_ROW = 100;
const ROUNDS = 7;
const REQUESTS = 100;
const LIST_REQUESTS = 10;
/** Largest growth of a list's or search's time from the smallest size to the largest up to a million records. */
const MAX_GROWTH = 2;

const PATHS = ["/ext/v1/emissions", "/v1/emissions/kpis", "/v1/emissions/trend?by=facility"];
const RECORDS = "/v1/emissions/records";
/** Thresholds that find more anomalies than a page has. */
const MANY = "z_threshold=0.01&yoy_threshold=0.0001";
/** Lists and searches. Other rows grow too: there is one of each kind per hundred records. */
const LISTS = [
  "",
  "?limit=100",
  "?from=2025-06-01&to=2025-06-30",
  "?scope=scope_2",
  "?facility=F1",
  "?category=category%203",
  "?category=none",
  "?reference=R0009999",
  "?reference=none",
  "?q=R0009999",
  "?q=R0009999&facility=F4",
  "?q=nothing%20has%20this",
  "?q=%C3%A4",
  "?q=zz",
  "?q=r",
  "?q=meter",
  "?q=meter%207&limit=100",
].map((query) => RECORDS + query);
LISTS.push(
  `/v1/anomalies?${MANY}`,
  `/v1/anomalies?limit=100&${MANY}`,
  ...["organization", "scope", "facility", "category", "facility_and_scope"].map(
    (by) => `/v1/emissions/anomalies?by=${by}&limit=100&${MANY}`,
  ),
  "/v1/facilities",
  "/v1/facilities?q=Facility%203",
  "/v1/emissions/imports",
  "/v1/emissions/metrics",
  "/v1/emission-factors?limit=100",
  "/v1/emission-factors?search=electricity",
  "/v1/emission-factors?search=nothing%20has%20this",
  "/v1/audit/log",
  "/v1/audit/log?action=organization.updated",
  "/v1/verification/requests",
  "/v1/verification/requests/{request}/records",
  "/v1/verification/requests/{request}/records?limit=100",
  "/v1/credits/batches",
  "/v1/credits/batches?credit_type=TYPE-1",
  "/v1/credits/batches/{batch}/sales",
  "/v1/credits/retirements",
  "/v1/credits/retirements?credit_type=TYPE-1",
  "/v1/compliance/deadlines",
  "/v1/compliance/deadlines?status=pending&overdue=true",
  "/v1/cbam/declarations",
  "/v1/notifications",
  "/v1/notifications?unread=true",
);
const TREND = "trend { from co2eTonnes byScope { co2eTonnes } }";
/** The last one reads the records of the two partial months: sums by facility and category are stored by month only. */
const QUESTIONS: Readonly<Record<string, string>> = {
  "GraphQL trend": `{ emissions { ${TREND} } }`,
  "GraphQL, a facility's totals, change and trend": `{ emissions(filter: { facilityCodes: ["F1"] }) {
    totalCo2eTonnes latestRecord change { percent } ${TREND} } }`,
  "GraphQL, a country's trend": `{ emissions(filter: { countries: ["IN"], scopes: [SCOPE_1] }) { ${TREND} } }`,
  "GraphQL, trends of facilities and categories": `{ emissions {
    byFacility { co2eTonnes trend { co2eTonnes } } byCategory { co2eTonnes trend { co2eTonnes } } } }`,
  "GraphQL, a facility's categories in whole months": `{ emissions(range: { from: "2025-01-01", to: "2025-12-31" },
    filter: { facilityCodes: ["F1"] }) { byCategory { category co2eTonnes trend { co2eTonnes } } } }`,
  "GraphQL, a forecast": "{ emissions { forecast { n points { value } } } }",
  "GraphQL, anomalies by facility and scope":
    "{ emissions { anomalies { evaluatedSeries items(first: 20) { nodes { anomalyId isAcknowledged } } } } }",
  "GraphQL, a facility's categories in the last 12 months": `{ emissions(filter: { facilityCodes: ["F1"] }) {
    byCategory { category co2eTonnes } } }`,
};

/**
 * Measures the emissions endpoint and dashboard queries as a tenant's records grow from 10 thousand to a million, to 10
 * million with `--ten-million`, or to 100 thousand with `--short`; then lists and searches, or only those with `--lists`.
 * Nothing is cached. Figures are median milliseconds of sequential requests. Last, it measures the cost of sums and
 * announcements for an insert. Exits with 1 if a list or search grows by more than 2 ×.
 */
export async function scale(options: readonly string[]): Promise<void> {
  const sizes = [10_000, 100_000, 1_000_000, 10_000_000];
  sizes.length = options.includes("--ten-million") ? 4 : options.includes("--short") ? 2 : 3;
  const scratch = await createScratchDatabase("gateway_bench_scale");
  try {
    const tenants = new Map<number, Tenant>();
    for (const size of sizes) tenants.set(size, await makeTenant(scratch.database, size));
    await scratch.database.transaction((sql) => sql.query("ANALYZE"));

    const config = readConfig({ PORT: "0", LOG_LEVEL: "silent", SESSION_REQUESTS_PER_HOUR: "999999999" });
    const clock = () => NOW;
    // Without notifications of changes, nothing is cached.
    const deaf = { isListening: () => false, stop: async () => undefined };
    const database = { ...scratch.database, listen: async () => deaf };
    const app = await startApp({ config, database, log: createLogger("silent"), clock });
    try {
      for (const tenant of tenants.values()) await requestVerification(app.url, tenant);
      const grown = await compare(app.url, tenants, options.includes("--lists"));
      for (const line of grown) process.stderr.write(`Grows by more than ${MAX_GROWTH} ×: ${line}\n`);
      if (grown.length > 0) process.exitCode = 1;
    } finally {
      await app.stop();
    }
    if (!options.includes("--lists")) await compareInserts(scratch.database);
  } finally {
    await scratch.drop();
  }
}

/** An organization with its owner's session, and a key for the five endpoints. */
interface Tenant {
  readonly headers: Readonly<Record<string, string>>;
  readonly keyHeaders: Readonly<Record<string, string>>;
  /** Ids in paths. */
  readonly ids: Record<"batch" | "request", string>;
}

/**
 * Times the sizes in turns, so that other work of the machine affects them equally. Returns the lists that grow by more than
 * MAX_GROWTH, with their ratios.
 */
async function compare(
  url: string,
  tenants: ReadonlyMap<number, Tenant>,
  listsOnly: boolean,
): Promise<string[]> {
  const grown: string[] = [];
  const calls: Record<string, (tenant: Tenant) => Promise<Response>> = {};
  for (const path of listsOnly ? LISTS : [...PATHS, ...LISTS]) {
    calls[`GET ${path}`] = ({ headers, keyHeaders, ids }) => {
      const own = path.replace("{batch}", ids.batch).replace("{request}", ids.request);
      return fetch(`${url}${own}`, { headers: path.startsWith("/ext/") ? keyHeaders : headers });
    };
  }
  for (const [name, query] of listsOnly ? [] : Object.entries(QUESTIONS)) {
    calls[name] = ({ headers }) =>
      fetch(`${url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
  }
  for (const [name, call] of Object.entries(calls)) {
    const times = new Map<number, number[]>();
    const isList = LISTS.some((path) => name === `GET ${path}`);
    const requests = isList ? LIST_REQUESTS : REQUESTS;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [size, tenant] of tenants) {
        const started = performance.now();
        for (let i = 0; i < requests; i += 1) {
          const answer = await call(tenant);
          if (answer.status !== 200)
            throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
          await answer.arrayBuffer();
        }
        times.set(size, [...(times.get(size) ?? []), (performance.now() - started) / requests]);
      }
    }
    const min = median(times.get(10_000) ?? []);
    console.log(`\n${name}\n| records | ms | ratio |\n|---|---|---|`);
    for (const [size, figures] of times) {
      const ms = median(figures);
      const ratio = (ms / min).toFixed(2);
      console.log(`| ${size.toLocaleString("en")} | ${ms.toFixed(2)} | ${ratio} |`);
      if (isList && size <= 1_000_000 && ms > MAX_GROWTH * min) grown.push(`${name} (${size}: ${ratio})`);
    }
  }
  return grown;
}

/** Requests the verification of a year, for listing its records. */
async function requestVerification(url: string, { headers, ids }: Tenant): Promise<void> {
  const answer = await fetch(`${url}/v1/verification/requests`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      period: { from: "2025-01-01", to: "2025-12-31" },
      scopes: ["scope_1", "scope_2", "scope_3"],
      level: "limited",
      materiality_pct: 5,
      verifier_email: "verifier@example.org",
    }),
  });
  if (answer.status !== 201) throw new Error(`a request was answered ${await answer.text()}`);
  const body = (await answer.json()) as { data: { id: string } };
  ids.request = body.data.id;
}

/** SQL for rows of other tables: `$1` is the organization's id, `$2` their number. */
const OTHERS = [
  `INSERT INTO imports (organization_id, file, imported_at, added)
   SELECT $1::uuid, 'file ' || n, timestamptz '2026-11-01' - n * interval '1 minute', n FROM generate_series(1, $2::int) AS n`,
  `INSERT INTO credit_batches (organization_id, reference, credit_type, vintage, quantity)
   SELECT $1::uuid, 'B' || n, 'TYPE-' || n % 6, 2015 + n % 8, 10000000 FROM generate_series(1, $2::int) AS n`,
  `INSERT INTO credit_sales (organization_id, batch_id, reference, quantity)
   SELECT $1::uuid, id, 'S' || n, 1 FROM credit_batches, generate_series(1, $2::int) AS n
   WHERE organization_id = $1::uuid AND reference = 'B1'`,
  `INSERT INTO credit_retirements (organization_id, batch_id, reference, quantity, retired_on)
   SELECT $1::uuid, id, 'R-' || reference, 1, date '2026-11-01' - (quantity % 700)::int FROM credit_batches
   WHERE organization_id = $1::uuid LIMIT $2::int`,
  `INSERT INTO compliance_deadlines (organization_id, framework, title, due_date, status)
   SELECT $1::uuid, 'BRSR', 'Report ' || n, date '2026-06-01' + n % 365, 'pending' FROM generate_series(1, $2::int) AS n`,
  `INSERT INTO cbam_declarations (organization_id, year)
   SELECT $1::uuid, 2026 + n FROM generate_series(0, least($2::int, 8)) AS n`,
  `INSERT INTO notifications (user_id, organization_id, key, category, severity, title, body, in_app, created_at)
   SELECT user_id, $1::uuid, n::text, 'deadline', 'low', 'Due ' || n, '', true, timestamptz '2026-11-01' - n * interval '1 minute'
   FROM memberships, generate_series(1, $2::int) AS n WHERE organization_id = $1::uuid`,
  `INSERT INTO emission_factors (organization_id, activity, region, scope, category, gas, factor, unit, dimension, source,
     source_url, source_year, verified)
   SELECT $1::uuid, 'electricity ' || n, 'IN', 'scope_2', 'electricity', 'CO2e', 0.7, 'kWh', 'energy', 'Own', 'https://example.com/', 2025, false
   FROM generate_series(1, $2::int) AS n`,
];

/** Signs in a new owner of an organization; returns the headers of requests. */
async function signIn(database: Database, organizationId: string): Promise<Tenant["headers"]> {
  const user = await database.prisma.user.create({
    data: {
      email: `${organizationId}@example.org`,
      name: "Owner",
      emailConfirmedAt: NOW,
      memberships: { create: { organizationId, role: "owner" } },
    },
  });
  const [token, refresh] = [generateToken("session"), generateToken("refresh")];
  const expiresAt = new Date(NOW.getTime() + 3_600_000);
  await database.prisma.session.create({
    data: {
      userId: user.id,
      organizationId,
      kind: "token",
      expiresAt,
      createdAt: NOW,
      lastUsedAt: NOW,
      authenticatedAt: NOW,
      tokenHash: hashKey(token, undefined),
      tokenExpiresAt: expiresAt,
      refreshHash: hashKey(refresh, undefined),
    },
  });
  return { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
}

/** Creates a key with all scopes; returns the headers of requests. */
async function addKey(database: Database, organizationId: string): Promise<Tenant["keyHeaders"]> {
  const key = generateKey();
  await database.transaction((sql) =>
    sql.query(
      `INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes)
       VALUES ($1::uuid, 'bench', $2, $3, 'enterprise', $4::text[])`,
      [organizationId, hashKey(key, undefined), displayKey(key), KEY_SCOPES],
    ),
  );
  return { "X-API-Key": key };
}

/** Adds a tenant with records of two years, five facilities, ten categories and five business metrics. */
async function makeTenant(database: Database, size: number): Promise<Tenant> {
  const slug = `tenant-${size}`;
  const { id } = await database.prisma.organization.create({ data: { slug, name: slug } });
  const facilities = Array.from({ length: 5 }, (_, index) => ({
    organizationId: id,
    code: `F${index}`,
    name: `Facility ${index}`,
    country: "IN",
  }));
  await database.prisma.facility.createMany({ data: facilities });
  await database.transaction((sql) =>
    sql.query(
      `INSERT INTO business_metrics (organization_id, name, unit, month, value)
       SELECT $1::uuid, 'Metric ' || n, 'units', month::date, n
       FROM generate_series(1, 5) AS n, generate_series(date '2025-11-01', date '2026-10-01', interval '1 month') AS month`,
      [id],
    ),
  );
  const started = performance.now();
  for (let from = 0; from < size; from += CHUNK) {
    await insertRecords(database, id, from, Math.min(size - from, CHUNK));
  }
  process.stderr.write(`${slug}: inserted in ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
  const headers = await signIn(database, id);
  const keyHeaders = await addKey(database, id);
  await database.transaction(async (sql) => {
    for (const statement of OTHERS) await sql.query(statement, [id, size / RECORDS_PER_ROW]);
  });
  const batch = await database.prisma.creditBatch.findFirstOrThrow({
    where: { organizationId: id, reference: "B1" },
  });
  return { headers, keyHeaders, ids: { batch: batch.id, request: "" } };
}

async function insertRecords(database: Database, id: string, from: number, count: number) {
  await database.transaction((sql) =>
    sql.query(
      `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes, facility_id, category, source, reference)
       SELECT $1::uuid, date '2026-11-20' - (n % 730)::int, ('scope_' || 1 + n % 3)::emission_scope,
         (n % 1000000) / 1000.0, f.id, 'category ' || n % 10, 'meter ' || n % 50, 'R' || lpad(n::text, 7, '0')
       FROM generate_series($2::bigint, $3::bigint) AS n
       JOIN facilities f ON f.organization_id = $1::uuid AND f.code = 'F' || n % 5`,
      [id, from, from + count - 1],
    ),
  );
}

/** Measures the cost of stored sums for inserting one record. */
async function compareInserts(database: Database): Promise<void> {
  const { id } = await database.prisma.organization.findUniqueOrThrow({ where: { slug: "tenant-10000" } });
  const times: Record<"kept" | "not kept", number[]> = { kept: [], "not kept": [] };
  let next = 100_000_000;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, verb] of [
      ["kept", "ENABLE"],
      ["not kept", "DISABLE"],
    ] as const) {
      await database.transaction((sql) => sql.query(`ALTER TABLE emission_records ${verb} TRIGGER USER`));
      const started = performance.now();
      for (let i = 0; i < REQUESTS; i += 1) {
        await insertRecords(database, id, next, 1);
        next += 1;
      }
      times[name].push((performance.now() - started) / REQUESTS);
    }
  }
  const [kept, plain] = [median(times.kept), median(times["not kept"])];
  console.log("\nOne record inserted in its own transaction\n| sums | ms | ratio |\n|---|---|---|");
  console.log(
    `| not kept | ${plain.toFixed(2)} | 1.00 |\n| kept | ${kept.toFixed(2)} | ${(kept / plain).toFixed(2)} |`,
  );
}
