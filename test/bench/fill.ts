import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { generateKey, hashKey } from "../../src/access/secrets/api-key.js";
import { loadText } from "../../src/actions/bundle/load.js";
import type { Database } from "../../src/data/database/types.js";
import { displayKey } from "../../src/domain/keys/secrets.js";
import { KEY_SCOPES } from "../../src/domain/scopes.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";

export interface Tenant {
  readonly id: string;
  readonly keys: readonly string[];
}

export interface Filling {
  /** Prefix of the slugs, before a number. */
  readonly name: string;
  readonly tenants: number;
  /** Number of Enterprise keys with every scope. */
  readonly keysPerTenant: number;
  readonly recordsPerTenant: number;
}

/** Loads the sample's benchmarks, which every tenant sees. */
export async function fillBenchmarks(database: Database): Promise<void> {
  const reference = JSON.parse(await readFile(join(SAMPLE_FOLDER, "reference.json"), "utf8"));
  await loadText(
    database,
    "benchmarks",
    JSON.stringify({ benchmarks: reference.benchmarks }),
    new Date("2026-11-20"),
  );
}

/**
 * Adds tenants with five facilities, records of the last two years, all frameworks with three deadlines each, 20 credit
 * batches with sales and retirements, and six prices of each of 30 own instruments.
 */
export function fillTenants(database: Database, filling: Filling): Promise<Tenant[]> {
  return fill(database, filling, [
    `INSERT INTO facilities (organization_id, code, name, country)
     SELECT id, 'F' || f, 'Facility ' || f, 'IN' FROM filled, generate_series(0, 4) f`,
    records(filling.recordsPerTenant, 5),
    `INSERT INTO compliance_statuses (organization_id, framework, status, last_updated)
     SELECT id, framework, 'pending_review', timestamptz '2026-11-01 09:00Z'
     FROM filled, unnest(enum_range(NULL::framework)) framework`,
    `INSERT INTO compliance_deadlines (organization_id, framework, title, due_date, status)
     SELECT id, framework, 'Report ' || d, current_date + d * 40 - 10, 'pending'
     FROM filled, unnest(enum_range(NULL::framework)) framework, generate_series(0, 2) d`,
    `INSERT INTO credit_batches (organization_id, reference, credit_type, vintage, quantity)
     SELECT id, 'B' || b, 'TYPE-' || b % 6, 2015 + b % 8, 10000 + 100 * b + n FROM filled, generate_series(1, 20) b`,
    `INSERT INTO credit_sales (organization_id, batch_id, reference, quantity)
     SELECT b.organization_id, b.id, 'S' || s, 100 * s
     FROM credit_batches b JOIN filled f ON f.id = b.organization_id, generate_series(1, 2) s`,
    `INSERT INTO credit_retirements (organization_id, batch_id, reference, quantity, retired_on, beneficiary)
     SELECT b.organization_id, b.id, 'R' || r || '-' || b.reference, 50 * r, current_date - 30 * r, 'Somebody'
     FROM credit_batches b JOIN filled f ON f.id = b.organization_id, generate_series(1, 3) r`,
    `INSERT INTO market_prices (organization_id, credit_type, exchange, price, currency, source, source_url, as_of)
     SELECT id, 'TYPE-' || i % 6, 'Exchange ' || i, 20 + i + d / 8.0, 'EUR', 'Bulletin of exchange ' || i,
       'https://example.com/prices/' || i, current_date - d
     FROM filled, generate_series(1, 30) i, generate_series(1, 6) d`,
  ]);
}

/** Adds tenants with one or a few rows of everything, to measure the effect of their number. */
export function fillSmallTenants(database: Database, filling: Filling): Promise<Tenant[]> {
  return fill(database, filling, [
    `INSERT INTO facilities (organization_id, code, name, country) SELECT id, 'F0', 'Facility', 'IN' FROM filled`,
    records(filling.recordsPerTenant, 1),
    `INSERT INTO compliance_statuses (organization_id, framework, status, last_updated)
     SELECT id, 'BRSR', 'compliant', timestamptz '2026-11-01 09:00Z' FROM filled`,
    `INSERT INTO compliance_deadlines (organization_id, framework, title, due_date, status)
     SELECT id, 'BRSR', 'Report', current_date + 30, 'pending' FROM filled`,
    `INSERT INTO credit_batches (organization_id, reference, credit_type, quantity)
     SELECT id, 'B1', 'VCS', 1000 + n FROM filled`,
    `INSERT INTO market_prices (organization_id, credit_type, exchange, price, currency, source, as_of)
     SELECT id, 'VCS', 'Exchange', 20, 'EUR', 'Bulletin', current_date FROM filled`,
  ]);
}

/** Half of the records are older than 12 months; amounts differ between tenants. */
const records = (perTenant: number, facilities: number) => `
  INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes, facility_id, category)
  SELECT t.id, current_date - r % 730, ('scope_' || 1 + r % 3)::emission_scope, (r * 7919 + t.n) % 1000000 / 1000.0,
    f.id, 'category ' || r % 10
  FROM filled t CROSS JOIN generate_series(1, ${perTenant}) r
  JOIN facilities f ON f.organization_id = t.id AND f.code = 'F' || r % ${facilities}`;

/** Adds tenants and runs statements, which find them in the table `filled` with their `id` and number `n`. */
export async function fill(
  database: Database,
  { name, tenants, keysPerTenant }: Filling,
  statements: readonly string[],
): Promise<Tenant[]> {
  const filled = await database.transaction(async (sql) => {
    await sql.script("SET LOCAL TIME ZONE 'UTC'");
    await sql.query(
      "INSERT INTO organizations (slug, name) SELECT $1 || n, $1 || n FROM generate_series(1, $2::int) n",
      [name, tenants],
    );
    await sql.query(`
      CREATE TEMP TABLE filled ON COMMIT DROP AS
      SELECT id, row_number() OVER (ORDER BY slug)::int AS n FROM organizations WHERE slug LIKE '${name}%'`);
    await sql.script("ANALYZE filled");
    for (const statement of statements) await sql.query(statement);
    const rows = await sql.query<{ id: string }>("SELECT id FROM filled ORDER BY n");
    const made = rows.map(({ id }) => ({ id, keys: Array.from({ length: keysPerTenant }, generateKey) }));
    const keys = made.flatMap(({ id, keys }) => keys.map((key) => ({ id, key })));
    await sql.query(
      `INSERT INTO api_keys (organization_id, name, hash, display, tier, scopes)
       SELECT id, 'bench', hash, display, 'enterprise', $4::text[]
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS key (id, hash, display)`,
      [
        keys.map(({ id }) => id),
        keys.map(({ key }) => hashKey(key, undefined)),
        keys.map(({ key }) => displayKey(key)),
        KEY_SCOPES,
      ],
    );
    return made;
  });
  await database.transaction((sql) => sql.script("ANALYZE"));
  return filled;
}
