import type { Framework } from "../domain/enums.js";
import type { IsoDate } from "../domain/window.js";
import { type ComplianceDeadline, type ComplianceStatus, Prisma } from "../generated/prisma/client.js";
import type { TenantReader } from "./tenant.js";

/** The frameworks that the tenant is registered for, in the contract's order. */
export function listFrameworks({ models }: TenantReader): Promise<ComplianceStatus[]> {
  return models.complianceStatus.findMany({ orderBy: { framework: "asc" } });
}

/** Deadlines due on `from` or later, by due date, then framework (in the contract's order), then title. */
export function listUpcomingDeadlines(
  { models }: TenantReader,
  { from, limit }: { from: IsoDate; limit: number },
): Promise<ComplianceDeadline[]> {
  return models.complianceDeadline.findMany({
    where: { dueDate: { gte: new Date(from) } },
    orderBy: [{ dueDate: "asc" }, { framework: "asc" }, { title: "asc" }],
    take: limit,
  });
}

export type FrameworkDeadline = Pick<ComplianceDeadline, "framework" | "title" | "dueDate" | "status">;

/** The same for several frameworks in one statement, at most `limit` of each. */
export function listDeadlinesOfFrameworks(
  tenant: TenantReader,
  { frameworks, from, limit }: { frameworks: readonly Framework[]; from: IsoDate; limit: number },
): Promise<FrameworkDeadline[]> {
  return tenant.query<FrameworkDeadline>(Prisma.sql`
    SELECT framework::text AS framework, title, due_date AS "dueDate", status
    FROM (
      SELECT *, row_number() OVER (PARTITION BY framework ORDER BY due_date, title) AS place
      FROM compliance_deadlines
      WHERE due_date >= ${from}::date AND framework::text = ANY(${[...frameworks]}::text[])
    ) AS ranked
    WHERE place <= ${limit}
    ORDER BY framework, place`);
}
