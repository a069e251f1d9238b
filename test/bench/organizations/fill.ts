import limit from "p-limit";
import pg from "pg";
import { verifyIntegrity } from "../../../src/actions/verify-integrity.js";
import { JOBS } from "../../../src/app/jobs.js";
import { migrate } from "../../../src/data/database/schema/migrations.js";
import { openPostgres } from "../../../src/data/database/server/postgres.js";
import type { Database } from "../../../src/data/database/types.js";
import { MIGRATIONS_FOLDER } from "../../../src/paths.js";
import { fillPeople } from "../cases/people.js";
import { fill, fillBenchmarks, type Tenant } from "../fill.js";

/** The two databases: with and without the large organizations, next to the same small ones. */
export type Side = "with" | "without";

export interface Organization {
  readonly size: "large" | "small";
  readonly key: string;
  /** Tokens of the owners' sessions. */
  readonly tokens: readonly string[];
}

export interface Sizes {
  readonly large: number;
  readonly small: number;
  readonly recordsOfLarge: number;
  readonly recordsOfSmall: number;
}

/** Number of concurrent tasks, each of which uses a core of PostgreSQL. */
const CORES = 2;

/** Must divide the numbers of large and of small organizations. */
const GROUPS = 10;

/** Creates and fills both databases on a new server, and checks their sums. Small organizations are the same in both. */
export async function fillSides(serverUrl: string, sizes: Sizes): Promise<Organization[]> {
  await run(serverUrl, "CREATE DATABASE without");
  const small = await fillSide(urlOf(serverUrl, "without"), async (database) => {
    await migrate(database, MIGRATIONS_FOLDER);
    await fillBenchmarks(database);
    return fillOrganizations(database, "small", sizes.small, sizes.recordsOfSmall);
  });
  await run(serverUrl, 'CREATE DATABASE "with" TEMPLATE without');
  const large = await fillSide(urlOf(serverUrl, "with"), (database) =>
    fillOrganizations(database, "large", sizes.large, sizes.recordsOfLarge),
  );
  return [
    ...large.map((one) => ({ ...one, size: "large" as const })),
    ...small.map((one) => ({ ...one, size: "small" as const })),
  ];
}

export function urlOf(serverUrl: string, side: Side): string {
  const url = new URL(serverUrl);
  url.pathname = `/${side}`;
  return url.href;
}

/** Runs one statement outside of a transaction. */
export async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function fillSide(
  url: string,
  work: (database: Database) => Promise<Tenant[]>,
): Promise<Omit<Organization, "size">[]> {
  const started = performance.now();
  const say = (text: string) =>
    process.stderr.write(`${text} after ${((performance.now() - started) / 1_000).toFixed(0)} s\n`);
  const withMemory = new URL(url);
  withMemory.searchParams.set("options", "-c work_mem=256MB -c maintenance_work_mem=1GB");
  const database = openPostgres(withMemory.href, { statementTimeoutMs: 0, onError: () => undefined });
  const sql = new pg.Client({ connectionString: url });
  try {
    const tenants = await work(database);
    await sql.connect();
    const people = await fillPeople({ tenants, sql });
    await sql.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    // The platform's jobs and autovacuum would otherwise run during the measurement.
    await sql.query(
      "INSERT INTO jobs (name, started_at, finished_at) SELECT unnest($1::text[]), now() + interval '1 day', now() ON CONFLICT DO NOTHING",
      [JOBS.map(({ name }) => name)],
    );
    await sql.query("VACUUM (ANALYZE)");
    say(`filled ${tenants.length} organizations`);
    const { differences, changes } = await verifyIntegrity(database, false);
    if (differences + changes.differences > 0) throw new Error("the sums differ from the records");
    say("checked the sums");
    const each = people.length / tenants.length;
    return tenants.map(({ keys: [key = ""] }, index) => ({
      key,
      tokens: people.slice(index * each, (index + 1) * each).map(({ token }) => token),
    }));
  } finally {
    await sql.end();
    await database.close();
  }
}

/** Fills organizations in ten groups, as many at a time as there are cores. */
function fillOrganizations(
  database: Database,
  size: Organization["size"],
  count: number,
  recordsPerTenant: number,
): Promise<Tenant[]> {
  return withoutIndexes(database, async () => {
    const groups = Array.from({ length: GROUPS }, (_, group) => {
      const filling = {
        name: `${size}-${group}-`,
        tenants: count / GROUPS,
        keysPerTenant: 1,
        recordsPerTenant,
      };
      return () => fill(database, filling, rows(size, recordsPerTenant));
    });
    return (await inTurns(groups)).flat();
  });
}

/** Drops the indexes of records during the work: building them afterwards takes a third of the time. */
async function withoutIndexes<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const indexes = await database.select<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = c.relam
     WHERE indrelid = 'emission_records'::regclass AND NOT indisprimary ORDER BY amname = 'gin' DESC`,
    [],
  );
  await database.transaction((sql) => sql.script(indexes.map(({ name }) => `DROP INDEX ${name}`).join(";")));
  const done = await work();
  await inTurns(
    indexes.map(
      ({ definition }) =>
        () =>
          database.transaction((sql) => sql.script(definition)),
    ),
  );
  return done;
}

function inTurns<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const turns = limit(CORES);
  return Promise.all(tasks.map((task) => turns(task)));
}

/** Meter readings of the last two years: daily in a large organization, monthly in a small one. */
const DAYS = {
  large: "current_date - r % 730",
  small: "(date_trunc('month', current_date) - r % 24 * interval '1 month')::date",
};

/** Statements that add five facilities, records as if imported, and a few rows of everything else. */
const rows = (size: Organization["size"], records: number) => [
  `INSERT INTO facilities (organization_id, code, name, country)
   SELECT id, 'F' || f, 'Facility ' || f, 'IN' FROM filled, generate_series(0, 4) f`,
  `INSERT INTO emission_records (organization_id, recorded_on, scope, co2e_tonnes, facility_id, category, source, reference)
   SELECT t.id, ${DAYS[size]}, ('scope_' || 1 + r % 3)::emission_scope, (r * 7919::bigint + t.n) % 1000000 / 1000.0,
     f.id, 'category ' || r % 10, 'meter ' || r % 50, 'R' || lpad(r::text, 7, '0')
   FROM filled t CROSS JOIN generate_series(1, ${records}) r
   JOIN facilities f ON f.organization_id = t.id AND f.code = 'F' || r % 5`,
  `INSERT INTO compliance_statuses (organization_id, framework, status, last_updated)
   SELECT id, 'BRSR', 'compliant', timestamptz '2026-11-01 09:00Z' FROM filled`,
  `INSERT INTO compliance_deadlines (organization_id, framework, title, due_date, status)
   SELECT id, 'BRSR', 'Report', current_date + 30, 'pending' FROM filled`,
  `INSERT INTO credit_batches (organization_id, reference, credit_type, quantity)
   SELECT id, 'B1', 'VCS', 1000 + n FROM filled`,
];
