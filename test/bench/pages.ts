import { createKey } from "../../src/actions/keys/create-key.js";
import { startApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import type { Database } from "../../src/data/database/types.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { createLogger } from "../../src/log.js";
import { createScratchDatabase, median } from "./database.js";

const NOW = new Date("2026-11-20T10:00:00Z");
const ROUNDS = 50;
/** Numbers of records of the measured tenant and of another one. */
const [OWN, OTHER] = [390_000, 4_000_000];
const PAGES = {
  "first: 20": "first: 20",
  "first: 100": "first: 100",
  "last: 20": "last: 20",
  "first: 20, one scope": "first: 20, filter: { scopes: [SCOPE_2] }",
} as const;

/**
 * Measures an uncached page of records of a tenant whose many new records PostgreSQL's statistics do not include yet, only
 * another tenant's; and again after ANALYZE. `--other <n>` sets the other tenant's records.
 */
export async function pages(options: readonly string[]): Promise<void> {
  const at = options.indexOf("--other");
  const other = at < 0 ? OTHER : Number(options[at + 1]);
  const { database, drop } = await createScratchDatabase("gateway_bench_pages");
  try {
    await database.transaction((sql) =>
      sql.script("ALTER TABLE emission_records SET (autovacuum_enabled = false)"),
    );
    await addTenant(database, "other", other);
    await database.transaction((sql) => sql.script("ANALYZE"));
    const key = await addTenant(database, "own", OWN);
    console.log(`\nA page of ${OWN} records, next to ${other} of another tenant`);
    console.log("| statistics | page | median, ms | slowest, ms |\n|---|---|---|---|");
    await measure(database, key, "of the other tenant alone");
    await database.transaction((sql) => sql.script("ANALYZE"));
    await measure(database, key, "true");
  } finally {
    await drop();
  }
}

async function measure(database: Database, key: string, statistics: string): Promise<void> {
  const config = readConfig({ PORT: "0", LOG_LEVEL: "silent" });
  // Without notifications of changes, nothing is cached.
  const deaf = { isListening: () => false, stop: async () => undefined };
  const app = await startApp({
    config,
    log: createLogger("silent"),
    clock: () => NOW,
    database: { ...database, listen: async () => deaf },
  });
  try {
    for (const [name, page] of Object.entries(PAGES)) {
      const query = `{ emissions { records(${page}) { nodes { id recordedOn co2eTonnes } } } }`;
      const times: number[] = [];
      for (let round = -ROUNDS; round < ROUNDS; round += 1) {
        const started = performance.now();
        const answer = await fetch(`${app.url}/graphql`, {
          method: "POST",
          headers: { "X-API-Key": key, "Content-Type": "application/json" },
          body: JSON.stringify({ query }),
        });
        const { errors } = (await answer.json()) as { errors?: unknown };
        if (answer.status !== 200 || errors)
          throw new Error(`${name}: ${answer.status} ${JSON.stringify(errors)}`);
        if (round >= 0) times.push(performance.now() - started);
      }
      console.log(
        `| ${statistics} | ${name} | ${median(times).toFixed(2)} | ${Math.max(...times).toFixed(2)} |`,
      );
    }
  } finally {
    await app.stop();
  }
}

/** Adds a tenant with records of two years; returns a key. */
async function addTenant(database: Database, slug: string, count: number): Promise<string> {
  await database.prisma.organization.create({ data: { slug, name: slug } });
  await database.transaction((sql) =>
    sql.script(`INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes)
      SELECT o.id, date '2026-11-20' - n % 730, ('scope_' || 1 + n % 3)::emission_scope, n / 1000.0
      FROM organizations o, generate_series(1, ${count}) n WHERE o.slug = '${slug}'`),
  );
  const created = await createKey(
    { database, pepper: undefined, now: NOW },
    { organization: slug, name: "bench", tier: "enterprise", scopes: KEY_SCOPES, expiresAt: null },
  );
  return created.key;
}
