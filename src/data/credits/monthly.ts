import type { MonthAmount } from "../../domain/foresight/monthly-series.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Sums the credits retired in each month that has retirements, up to `to` (`YYYY-MM`), earliest first. */
export function sumRetiredByMonth(tenant: TenantReader, to: string): Promise<readonly MonthAmount[]> {
  return tenant.query<MonthAmount>(Prisma.sql`
    SELECT * FROM (
      SELECT to_char(retired_on, 'YYYY-MM') AS month, sum(quantity)::float8 AS amount
      FROM ${own.credit_retirements} GROUP BY 1
    ) AS months WHERE month <= ${to} ORDER BY month`);
}

/** Lists the ids of a month's (`YYYY-MM`) largest retirements, at most `limit`, largest first. */
export async function listRetirementIds(
  tenant: TenantReader,
  month: string,
  limit: number,
): Promise<string[]> {
  const rows = await tenant.query<{ id: string }>(Prisma.sql`
    SELECT id FROM ${own.credit_retirements} WHERE to_char(retired_on, 'YYYY-MM') = ${month}
    ORDER BY quantity DESC, id LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}
