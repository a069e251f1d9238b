import type { BundleBatch } from "../../domain/bundle.js";
import { lockCredits, sumIssuedExcept } from "../credits/write-credits.js";
import type { SqlSession } from "../database/types.js";
import { type Counts, upsert } from "../database/upsert.js";
import { BATCHES, RETIREMENTS, SALES } from "./targets.js";

interface StoredBatch {
  id: string;
  reference: string;
  credit_type: string;
  vintage: number | null;
  quantity: bigint;
  sold: bigint;
  retired: bigint;
  /** The part of `sold` that came from bundles. */
  bundled: bigint;
}

interface StoredRetirement {
  reference: string;
  batch_id: string;
  quantity: bigint;
}

export interface StoredCredits {
  readonly batches: ReadonlyMap<string, StoredBatch>;
  readonly retirements: ReadonlyMap<string, StoredRetirement>;
}

/** Reads the stored batches and retirements that a bundle names. Locks the credits until the transaction ends. */
export async function readCredits(
  sql: SqlSession,
  owner: string,
  given: readonly BundleBatch[],
): Promise<StoredCredits> {
  const named = [owner, JSON.stringify(given.map(({ reference }) => reference))];
  const among =
    "organization_id = $1::uuid AND reference IN (SELECT jsonb_array_elements_text($2::text::jsonb))";
  if (given.length > 0) await lockCredits(sql, owner);
  // A separate statement, so that the next one sees what earlier holders of the lock have committed.
  await sql.query(`SELECT id FROM credit_batches WHERE ${among} ORDER BY id FOR UPDATE`, named);
  const batches = await sql.query<Record<keyof StoredBatch, string> & { vintage: number | null }>(
    `SELECT id, reference, credit_type, vintage, quantity::text, sold::text, retired::text,
       COALESCE((SELECT s.quantity FROM credit_sales s
         WHERE s.organization_id = b.organization_id AND s.batch_id = b.id AND s.reference = 'bundle'), 0)::text AS bundled
     FROM credit_batches b WHERE ${among}`,
    named,
  );
  const references = given.flatMap(({ retirements }) => retirements.map(({ reference }) => reference));
  const retirements = await sql.query<Record<keyof StoredRetirement, string>>(
    `SELECT reference, batch_id, quantity::text FROM credit_retirements WHERE ${among}`,
    [owner, JSON.stringify(references)],
  );
  return {
    batches: new Map(
      batches.map((row) => [
        row.reference,
        {
          ...row,
          quantity: BigInt(row.quantity),
          sold: BigInt(row.sold),
          retired: BigInt(row.retired),
          bundled: BigInt(row.bundled),
        },
      ]),
    ),
    retirements: new Map(
      retirements.map((row) => [row.reference, { ...row, quantity: BigInt(row.quantity) }]),
    ),
  };
}

/**
 * Lists a problem for each stored batch that would have more sold and retired than issued, including stored sales and
 * retirements.
 */
export function listOverdrawn(given: readonly BundleBatch[], stored: StoredCredits): string[] {
  const replaced = new Map<string, bigint>();
  for (const { reference } of given.flatMap(({ retirements }) => retirements)) {
    const before = stored.retirements.get(reference);
    if (before) replaced.set(before.batch_id, (replaced.get(before.batch_id) ?? 0n) + before.quantity);
  }
  return given.flatMap((batch, index) => {
    const before = stored.batches.get(batch.reference);
    if (!before) return [];
    const sold = before.sold + (batch.sold === undefined ? 0n : BigInt(batch.sold) - before.bundled);
    const retired = batch.retirements.reduce(
      (sum, { quantity }) => sum + BigInt(quantity),
      before.retired - (replaced.get(before.id) ?? 0n),
    );
    if (sold + retired <= BigInt(batch.quantity)) return [];
    return [
      `credit_batches[${index}].quantity: expected at least ${sold + retired} for ${JSON.stringify(batch.reference)} (sold ${sold}, retired ${retired}, including what is in the database), got ${batch.quantity}`,
    ];
  });
}

/** Lists a problem if an organization would have more credits than a JSON number can represent exactly. */
export async function listOversizedTotal(
  sql: SqlSession,
  owner: string,
  given: readonly BundleBatch[],
): Promise<string[]> {
  if (given.length === 0) return [];
  const others = await sumIssuedExcept(
    sql,
    owner,
    given.map(({ reference }) => reference),
  );
  const sum = given.reduce((total, { quantity }) => total + BigInt(quantity), others);
  if (sum <= Number.MAX_SAFE_INTEGER) return [];
  return [
    `credit_batches: expected quantities that add up to at most ${Number.MAX_SAFE_INTEGER}, including what is in the database, got ${sum}`,
  ];
}

/**
 * Loads batches, their sales and retirements. The database checks balances after every statement, so changes that free
 * credits come first: increased quantities, then reduced sales and retirements, then increased ones, and reduced
 * quantities last.
 */
export async function loadCredits(
  sql: SqlSession,
  owner: string,
  given: readonly BundleBatch[],
  stored: StoredCredits,
): Promise<{ credit_batches: Counts; retirements: Counts }> {
  const rows = given.map(({ reference, credit_type, vintage, quantity }) => ({
    organization_id: owner,
    reference,
    credit_type,
    vintage,
    quantity,
  }));
  const widest = rows.map((row) => {
    const before = stored.batches.get(row.reference)?.quantity ?? 0n;
    return { ...row, quantity: before > BigInt(row.quantity) ? String(before) : row.quantity };
  });
  await upsert(sql, BATCHES, widest);
  const ids = (await readCredits(sql, owner, given)).batches;

  const sales = given.flatMap(({ reference, sold }) =>
    sold === undefined
      ? []
      : [
          {
            organization_id: owner,
            batch_id: ids.get(reference)?.id,
            reference: "bundle",
            quantity: sold,
            before: stored.batches.get(reference)?.bundled ?? 0n,
          },
        ],
  );
  const retirements = given.flatMap((batch) =>
    batch.retirements.map((row) => {
      const batchId = ids.get(batch.reference)?.id;
      const before = stored.retirements.get(row.reference);
      const moved = before !== undefined && before.batch_id !== batchId;
      return { ...row, organization_id: owner, batch_id: batchId, moved, before: before?.quantity ?? 0n };
    }),
  );
  const moved = retirements.filter((row) => row.moved);
  const among = "IN (SELECT jsonb_array_elements_text($2::text::jsonb))";
  await sql.query(
    `DELETE FROM credit_sales WHERE organization_id = $1::uuid AND reference = 'bundle' AND batch_id::text ${among}`,
    [owner, JSON.stringify(sales.filter((row) => row.quantity === 0).map((row) => row.batch_id))],
  );
  // A retirement that moves to another batch is removed first and added again below.
  await sql.query(`DELETE FROM credit_retirements WHERE organization_id = $1::uuid AND reference ${among}`, [
    owner,
    JSON.stringify(moved.map((row) => row.reference)),
  ]);
  const plain = ({ before: _, ...row }: (typeof sales)[number] | (typeof retirements)[number]) => row;
  const kept = sales.filter((row) => row.quantity > 0);
  await upsert(sql, SALES, kept.filter((row) => BigInt(row.quantity) < row.before).map(plain));
  const less = retirements.filter((row) => !row.moved && BigInt(row.quantity) < row.before);
  await upsert(sql, RETIREMENTS, less.map(plain));
  await upsert(sql, SALES, kept.map(plain));
  const rest = await upsert(sql, RETIREMENTS, retirements.map(plain));
  await upsert(sql, BATCHES, rows);

  const added = given.filter(({ reference }) => !stored.batches.has(reference)).length;
  const updated = given.filter((batch) => {
    const before = stored.batches.get(batch.reference);
    return (
      before !== undefined &&
      (before.credit_type !== batch.credit_type ||
        before.vintage !== (batch.vintage ?? null) ||
        before.quantity !== BigInt(batch.quantity) ||
        (batch.sold !== undefined && before.bundled !== BigInt(batch.sold)))
    );
  }).length;
  return {
    credit_batches: { added, updated, unchanged: given.length - added - updated },
    retirements: {
      added: rest.added - moved.length,
      updated: rest.updated + moved.length + less.length,
      unchanged: rest.unchanged - less.length,
    },
  };
}
