import { randomUUID } from "node:crypto";
import type { IsoDate } from "../../domain/window.js";
import { LOCK_SEEDS } from "../database/lock-seeds.js";
import type { SqlSession } from "../database/types.js";

/** Locks an organization's credits until the transaction ends, so that changes to them wait for each other. */
export async function lockCredits(sql: SqlSession, organizationId: string): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, ${LOCK_SEEDS.credits}))`, [
    organizationId,
  ]);
}

/** Data of a new batch. */
export interface BatchContent {
  readonly reference: string;
  readonly creditType: string;
  readonly vintage: number | null;
  readonly quantity: number;
}

/** A stored batch, as needed to change it. */
export interface StoredBatch extends BatchContent {
  readonly id: string;
  readonly available: number;
}

// No quantity exceeds 2^53 - 1, so a float represents it exactly.
const BATCH_COLUMNS = `id, reference, credit_type AS "creditType", vintage, quantity::float8 AS quantity, available::float8 AS available`;

/** Finds a batch by its id or its reference; undefined if the organization has none. */
export async function findBatch(
  sql: SqlSession,
  organizationId: string,
  by: "id" | "reference",
  value: string,
): Promise<StoredBatch | undefined> {
  const [batch] = await sql.query<StoredBatch>(
    `SELECT ${BATCH_COLUMNS} FROM credit_batches WHERE organization_id = $1::uuid AND ${by} = $2::${by === "id" ? "uuid" : "text"}`,
    [organizationId, value],
  );
  return batch;
}

/** Counts the credits in an organization's batches, except batches with one of the references. */
export async function sumIssuedExcept(
  sql: SqlSession,
  organizationId: string,
  references: readonly string[],
): Promise<bigint> {
  const [others] = await sql.query<{ sum: string }>(
    `SELECT coalesce(sum(quantity), 0)::text AS sum FROM credit_batches
     WHERE organization_id = $1::uuid AND reference NOT IN (SELECT jsonb_array_elements_text($2::text::jsonb))`,
    [organizationId, JSON.stringify(references)],
  );
  return BigInt(others?.sum ?? 0);
}

/** Adds a batch; returns its id. */
export async function insertBatch(
  sql: SqlSession,
  organizationId: string,
  { reference, creditType, vintage, quantity }: BatchContent,
): Promise<string> {
  const id = randomUUID();
  await sql.execute(
    `INSERT INTO credit_batches (id, organization_id, reference, credit_type, vintage, quantity)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5::int, $6::bigint)`,
    [id, organizationId, reference, creditType, vintage, quantity],
  );
  return id;
}

/** A sale of credits from a batch. */
export interface SaleContent {
  readonly batch: string;
  readonly reference: string;
  readonly quantity: number;
  readonly soldOn: IsoDate | null;
  readonly buyer: string | null;
  /** Per credit, as a plain decimal. */
  readonly price: string | null;
  readonly currency: string | null;
}

/** Finds a batch's sale by its reference; undefined if it does not exist. */
export async function findSale(
  sql: SqlSession,
  organizationId: string,
  batchId: string,
  reference: string,
): Promise<(SaleContent & { readonly id: string }) | undefined> {
  const [sale] = await sql.query<SaleContent & { id: string }>(
    `SELECT id, batch_id AS batch, reference, quantity::float8 AS quantity, sold_on::text AS "soldOn", buyer,
       trim_scale(price)::text AS price, currency
     FROM credit_sales WHERE organization_id = $1::uuid AND batch_id = $2::uuid AND reference = $3`,
    [organizationId, batchId, reference],
  );
  return sale;
}

/** Adds a sale, and returns its id. The batch must have enough available credits. */
export async function insertSale(
  sql: SqlSession,
  organizationId: string,
  { batch, reference, quantity, soldOn, buyer, price, currency }: SaleContent,
): Promise<string> {
  const id = randomUUID();
  await sql.execute(
    `INSERT INTO credit_sales (id, organization_id, batch_id, reference, quantity, sold_on, buyer, price, currency)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5::bigint, $6::date, $7, $8::text::numeric, $9)`,
    [id, organizationId, batch, reference, quantity, soldOn, buyer, price, currency],
  );
  return id;
}

/** A retirement of credits from a batch. */
export interface RetirementContent {
  readonly batch: string;
  readonly reference: string;
  readonly quantity: number;
  readonly retiredOn: IsoDate;
  readonly beneficiary: string | null;
  readonly purpose: string | null;
  /** The CCTS period of surrendered certificates; null for other retirements. */
  readonly cctsPeriodId: string | null;
}

/** Finds a retirement by its reference; undefined if it does not exist. */
export async function findRetirement(
  sql: SqlSession,
  organizationId: string,
  reference: string,
): Promise<(RetirementContent & { readonly id: string }) | undefined> {
  const [retirement] = await sql.query<RetirementContent & { id: string }>(
    `SELECT id, batch_id AS batch, reference, quantity::float8 AS quantity, retired_on::text AS "retiredOn", beneficiary, purpose,
       ccts_period_id AS "cctsPeriodId"
     FROM credit_retirements WHERE organization_id = $1::uuid AND reference = $2`,
    [organizationId, reference],
  );
  return retirement;
}

/** Adds a retirement, and returns its id. The batch must have enough available credits. */
export async function insertRetirement(
  sql: SqlSession,
  organizationId: string,
  { batch, reference, quantity, retiredOn, beneficiary, purpose, cctsPeriodId }: RetirementContent,
): Promise<string> {
  const id = randomUUID();
  await sql.execute(
    `INSERT INTO credit_retirements (id, organization_id, batch_id, reference, quantity, retired_on, beneficiary, purpose,
       ccts_period_id)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5::bigint, $6::date, $7, $8, $9::uuid)`,
    [id, organizationId, batch, reference, quantity, retiredOn, beneficiary, purpose, cctsPeriodId],
  );
  return id;
}
