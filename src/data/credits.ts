import { Prisma } from "../generated/prisma/client.js";
import type { TenantReader } from "./tenant.js";

/** Quantities are credits: one stands for one tonne of CO2 equivalent. */
export interface CreditSummary {
  readonly availableCredits: number;
  readonly availableCount: number;
  readonly retiredCredits: number;
  readonly retiredCount: number;
  /** Available credits only, by type; types with nothing available are left out. */
  readonly byType: { readonly creditType: string; readonly quantity: number }[];
}

interface TypeRow {
  creditType: string;
  available: string;
  availableCount: bigint;
  retired: string;
}

export async function summarizeCredits(tenant: TenantReader): Promise<CreditSummary> {
  const [types, retiredCount] = await Promise.all([
    tenant.query<TypeRow>(Prisma.sql`
      SELECT credit_type AS "creditType", sum(available)::text AS available, sum(retired)::text AS retired,
             count(*) FILTER (WHERE available > 0) AS "availableCount"
      FROM credit_batches GROUP BY credit_type ORDER BY credit_type`),
    tenant.models.creditRetirement.count(),
  ]);
  const total = (pick: (row: TypeRow) => bigint) => Number(types.reduce((sum, row) => sum + pick(row), 0n));
  return {
    availableCredits: total((row) => BigInt(row.available)),
    availableCount: total((row) => row.availableCount),
    retiredCredits: total((row) => BigInt(row.retired)),
    retiredCount,
    byType: types
      .filter((row) => row.availableCount > 0n)
      .map(({ creditType, available }) => ({ creditType, quantity: Number(available) })),
  };
}
