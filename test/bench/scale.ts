import { createKey } from "../../src/actions/keys/create.js";
import { startApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import type { Database } from "../../src/data/database/types.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { createLogger } from "../../src/log.js";
import { createScratchDatabase, median } from "./database.js";

const NOW = new Date("2026-11-20T10:00:00Z");
const CHUNK = 1_000_000;
const ROUNDS = 7;
const REQUESTS = 100;

const PATHS = ["/ext/v1/emissions", "/v1/emissions/kpis", "/v1/emissions/trend?by=facility"];
const TREND = "trend { from co2eTonnes byScope { co2eTonnes } }";
/** The last of them reads the records of the two cut months: facilities and categories together are kept by month only. */
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
    "{ emissions { anomalies { evaluatedSeries findings(first: 20) { nodes { findingId acknowledged } } } } }",
  "GraphQL, a facility's categories in the last 12 months": `{ emissions(filter: { facilityCodes: ["F1"] }) {
    byCategory { category co2eTonnes } } }`,
};

/**
 * How long the emissions endpoint and the questions of dashboards take as a tenant's records grow, from 10 thousand to a million, and to
 * 10 million with `--ten-million`. Nothing is remembered. Milliseconds of one request after another: the median of rounds.
 * Then what keeping the sums and telling of changes costs one insert.
 */
export async function scale(options: readonly string[]): Promise<void> {
  const sizes = [10_000, 100_000, 1_000_000, ...(options.includes("--ten-million") ? [10_000_000] : [])];
  const scratch = await createScratchDatabase("gateway_bench_scale");
  try {
    const keys = new Map<number, string>();
    for (const size of sizes) keys.set(size, await makeTenant(scratch.database, size));
    await scratch.database.transaction((sql) => sql.query("ANALYZE"));

    const config = readConfig({ PORT: "0", LOG_LEVEL: "silent" });
    const clock = () => NOW;
    // What hears of no change remembers nothing.
    const deaf = { isHearing: () => false, stop: async () => undefined };
    const database = { ...scratch.database, listen: async () => deaf };
    const app = await startApp({ config, database, log: createLogger("silent"), clock });
    try {
      await compare(app.url, keys);
    } finally {
      await app.stop();
    }
    await compareInserts(scratch.database);
  } finally {
    await scratch.drop();
  }
}

/** Times the sizes in turns, so that what the machine does beside hits them alike. */
async function compare(url: string, keys: ReadonlyMap<number, string>): Promise<void> {
  const calls: Record<string, (key: string) => Promise<Response>> = {};
  for (const path of PATHS)
    calls[`GET ${path}`] = (key) => fetch(`${url}${path}`, { headers: { "X-API-Key": key } });
  for (const [name, query] of Object.entries(QUESTIONS)) {
    calls[name] = (key) =>
      fetch(`${url}/graphql`, {
        method: "POST",
        headers: { "X-API-Key": key, "Content-Type": "application/json" },
        body: JSON.stringify({ query }),
      });
  }
  for (const [name, call] of Object.entries(calls)) {
    const times = new Map<number, number[]>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [size, key] of keys) {
        const started = performance.now();
        for (let i = 0; i < REQUESTS; i += 1) {
          const answer = await call(key);
          if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}`);
          await answer.arrayBuffer();
        }
        times.set(size, [...(times.get(size) ?? []), (performance.now() - started) / REQUESTS]);
      }
    }
    const least = median(times.get(10_000) ?? []);
    console.log(`\n${name}\n| records | ms | ratio |\n|---|---|---|`);
    for (const [size, figures] of times) {
      const ms = median(figures);
      console.log(`| ${size.toLocaleString("en")} | ${ms.toFixed(2)} | ${(ms / least).toFixed(2)} |`);
    }
  }
}

/** A tenant with records of two years, five facilities, ten categories and five business metrics; returns a key. */
async function makeTenant(database: Database, size: number): Promise<string> {
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
  const created = await createKey(
    { database, pepper: undefined, now: NOW },
    { organization: slug, name: "bench", tier: "enterprise", scopes: KEY_SCOPES, expiresAt: null },
  );
  return created.key;
}

async function insertRecords(database: Database, id: string, from: number, count: number) {
  await database.transaction((sql) =>
    sql.query(
      `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes, facility_id, category)
       SELECT $1::uuid, date '2026-11-20' - (n % 730)::int, ('scope_' || 1 + n % 3)::emission_scope,
         (n % 1000000) / 1000.0, f.id, 'category ' || n % 10
       FROM generate_series($2::bigint, $3::bigint) AS n
       JOIN facilities f ON f.organization_id = $1::uuid AND f.code = 'F' || n % 5`,
      [id, from, from + count - 1],
    ),
  );
}

/** What keeping the sums costs a statement that inserts one record. */
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
