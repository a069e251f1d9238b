import { expect } from "vitest";
import type { Database } from "../../src/data/database/types.js";
import { FRAMEWORKS } from "../../src/domain/enums.js";

/** Runs SQL without the gateway. Cast results to text, integers or arrays of them: drivers differ in other types. */
export function runSql<Row>(
  database: Database,
  text: string,
  ...parameters: readonly unknown[]
): Promise<Row[]> {
  return database.transaction(({ query }) => query<Row>(text, parameters));
}

/** Returns the only column of a query. */
export async function selectColumn(
  database: Database,
  text: string,
  ...parameters: readonly unknown[]
): Promise<string[]> {
  const rows = await runSql<Record<string, string>>(database, text, ...parameters);
  return rows.map((row) => String(Object.values(row)[0]));
}

/** SQL for the id of an organization, whose slug is the first parameter. */
export const ORGANIZATION = "(SELECT id FROM organizations WHERE slug = $1)";

export interface GraphSize {
  /** Records, one for each day up to the day before `NOW`, each of a different facility. */
  readonly records: number;
  /** Frameworks, at most 8, each with `children` deadlines. */
  readonly frameworks: number;
  /** Batches, each with `children` sales and retirements. */
  readonly batches: number;
  /** Instruments, each with `children` prices of the organization, the latest the highest. */
  readonly instruments: number;
  readonly children: number;
}

/** Adds parents and their children to an organization. */
export async function addGraph(database: Database, slug: string, size: GraphSize): Promise<void> {
  const run = (text: string, ...parameters: unknown[]) => runSql(database, text, slug, ...parameters);
  await run(
    `INSERT INTO facilities (organization_id, code, name, country)
     SELECT ${ORGANIZATION}, 'site-' || lpad(n::text, 4, '0'), 'Site ' || n, 'DE' FROM generate_series(1, $2::int) AS n`,
    size.records,
  );
  await run(
    `INSERT INTO emission_records (organization_id, reference, recorded_on, scope, co2e_tonnes, facility_id)
     SELECT ${ORGANIZATION}, 'record-' || n, date '2026-11-20' - n, 'scope_1', n, facilities.id
     FROM generate_series(1, $2::int) AS n
     JOIN facilities ON organization_id = ${ORGANIZATION} AND code = 'site-' || lpad(n::text, 4, '0')`,
    size.records,
  );
  const frameworks = FRAMEWORKS.slice(0, size.frameworks);
  await run(
    `INSERT INTO compliance_statuses (organization_id, framework, status, last_updated)
     SELECT ${ORGANIZATION}, name::framework, 'compliant', '2026-11-08' FROM unnest($2::text[]) AS name`,
    frameworks,
  );
  await run(
    `INSERT INTO compliance_deadlines (organization_id, framework, title, due_date, status)
     SELECT ${ORGANIZATION}, name::framework, 'Deadline ' || n, date '2026-11-20' + n, 'pending'
     FROM unnest($2::text[]) AS name, generate_series(1, $3::int) AS n`,
    frameworks,
    size.children,
  );
  await run(
    `INSERT INTO credit_batches (organization_id, reference, credit_type, quantity)
     SELECT ${ORGANIZATION}, 'batch-' || lpad(n::text, 4, '0'), 'VCS', 1000 FROM generate_series(1, $2::int) AS n`,
    size.batches,
  );
  await run(
    `INSERT INTO credit_sales (organization_id, batch_id, reference, quantity)
     SELECT organization_id, id, 'sale-' || n, 1 FROM credit_batches, generate_series(1, $2::int) AS n
     WHERE organization_id = ${ORGANIZATION}`,
    size.children,
  );
  await run(
    `INSERT INTO credit_retirements (organization_id, batch_id, reference, quantity, retired_on)
     SELECT organization_id, id, reference || '-retirement-' || n, 1, date '2026-11-20' - n
     FROM credit_batches, generate_series(1, $2::int) AS n WHERE organization_id = ${ORGANIZATION}`,
    size.children,
  );
  await run(
    `INSERT INTO market_prices (organization_id, credit_type, exchange, price, currency, source, as_of)
     SELECT ${ORGANIZATION}, 'type-' || lpad(i::text, 4, '0'), 'EEX', 100 + n, 'EUR', 'list', date '2026-11-20' - 100 + n
     FROM generate_series(1, $2::int) AS i, generate_series(1, $3::int) AS n`,
    size.instruments,
    size.children,
  );
}

/** Returns the error for a rejected argument. */
export function argumentError(argument: string, path: readonly (string | number)[], message: unknown) {
  return {
    message,
    path,
    locations: [{ line: expect.any(Number), column: expect.any(Number) }],
    extensions: { code: "BAD_USER_INPUT", argument },
  };
}
