import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** An issue of an inventory, without its statement. */
export interface IssueRef {
  readonly issue: number;
  readonly basis: "reported" | "restated";
  readonly digest: string;
  readonly issuedAt: Date;
}

/** Finds the latest issue of a year's inventory; null before the first. */
export async function findLatestIssue(tenant: TenantReader, year: number): Promise<IssueRef | null> {
  const [row] = await tenant.query<IssueRef>(Prisma.sql`
    SELECT issue, basis, digest, issued_at AS "issuedAt" FROM ${own.inventory_issues}
    WHERE year = ${year}::int ORDER BY issue DESC LIMIT 1`);
  return row ?? null;
}
