import { write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";

/** Numbers of sold and retired credits in a batch. */
export interface MovedCredits {
  readonly sold: string;
  readonly retired: string;
}

/** A batch whose stored balance differs from its sales and retirements. */
export interface BalanceDifference {
  readonly organization: string;
  readonly batch: string;
  readonly quantity: string;
  readonly kept: MovedCredits & { readonly available: string };
  readonly recomputed: MovedCredits;
  /** True if more credits were sold and retired than issued. No balance can be right until that is corrected. */
  readonly overdrawn: boolean;
}

/** Returns a SELECT of the batches with a wrong balance, with recomputed sums. `among` limits the organizations. */
const recomputed = (among: string) => `
  SELECT b.organization_id, b.id, b.reference, b.quantity, b.sold, b.retired, b.available,
    coalesce(s.sold, 0) AS now_sold, coalesce(r.retired, 0) AS now_retired
  FROM (SELECT * FROM credit_batches WHERE ${among}) AS b
  LEFT JOIN (SELECT organization_id, batch_id, sum(quantity)::bigint AS sold FROM credit_sales WHERE ${among} GROUP BY 1, 2) AS s
    ON (s.organization_id, s.batch_id) = (b.organization_id, b.id)
  LEFT JOIN (SELECT organization_id, batch_id, sum(quantity)::bigint AS retired FROM credit_retirements WHERE ${among} GROUP BY 1, 2) AS r
    ON (r.organization_id, r.batch_id) = (b.organization_id, b.id)
  WHERE (b.sold, b.retired, b.available)
    IS DISTINCT FROM (coalesce(s.sold, 0), coalesce(r.retired, 0), b.quantity - coalesce(s.sold, 0) - coalesce(r.retired, 0))`;

async function findDifferences(sql: SqlSession): Promise<BalanceDifference[]> {
  const rows = await sql.query<Record<string, string> & { overdrawn: boolean }>(`
    SELECT o.slug, d.reference, d.quantity::text, d.sold::text, d.retired::text, d.available::text,
      now_sold::text, now_retired::text, now_sold + now_retired > quantity AS overdrawn
    FROM (${recomputed("true")}) AS d JOIN organizations AS o ON o.id = d.organization_id
    ORDER BY o.slug, d.reference`);
  return rows.map(({ slug = "", reference = "", overdrawn, ...row }) => ({
    organization: slug,
    batch: reference,
    quantity: row["quantity"] ?? "",
    overdrawn,
    kept: {
      sold: row["sold"] ?? "",
      retired: row["retired"] ?? "",
      available: row["available"] ?? "",
    },
    recomputed: { sold: row["now_sold"] ?? "", retired: row["now_retired"] ?? "" },
  }));
}

/** Compares all batches' balances with their sales and retirements in one snapshot, and returns the differences. */
export function verifyBalances(database: Database): Promise<BalanceDifference[]> {
  return database.transaction(findDifferences);
}

/** Corrects balances, except overdrawn ones, and returns the differences. Blocks other writes of credits. */
export function repairBalances(database: Database): Promise<BalanceDifference[]> {
  return write(database, "verify", async (sql) => {
    await sql.query(
      "LOCK TABLE credit_batches, credit_sales, credit_retirements IN SHARE ROW EXCLUSIVE MODE",
    );
    const differences = await findDifferences(sql);
    if (differences.every(({ overdrawn }) => overdrawn)) return differences;
    // This trigger rejects changes to the balance itself.
    await sql.query("ALTER TABLE credit_batches DISABLE TRIGGER credit_batch_keep_balance");
    await sql.query(`
      UPDATE credit_batches AS b
      SET sold = now_sold, retired = now_retired, available = d.quantity - now_sold - now_retired
      FROM (${recomputed("true")}) AS d
      WHERE (b.organization_id, b.id) = (d.organization_id, d.id) AND now_sold + now_retired <= d.quantity`);
    await sql.query("ALTER TABLE credit_batches ENABLE ALWAYS TRIGGER credit_batch_keep_balance");
    return differences;
  });
}

const MAX_SAMPLED = 50;

/** Checks up to 50 random organizations; returns the slugs of those with a wrong balance. */
export async function sampleBalances(database: Database): Promise<string[]> {
  const sampled = "organization_id IN (SELECT id FROM sampled)";
  const rows = await database.transaction((sql) =>
    sql.query<{ slug: string }>(`
      WITH sampled AS MATERIALIZED (SELECT id FROM organizations ORDER BY random() LIMIT ${MAX_SAMPLED})
      SELECT slug FROM organizations WHERE id IN (SELECT organization_id FROM (${recomputed(sampled)}) AS d) ORDER BY slug`),
  );
  return rows.map(({ slug }) => slug);
}
