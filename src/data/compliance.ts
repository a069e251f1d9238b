import type { Framework, FrameworkStatus } from "../domain/enums.js";
import type { DateRange, IsoDate } from "../domain/window.js";
import { Prisma } from "../generated/prisma/client.js";
import { countRows, isOneOf, isWithin, type Page, type PageRequest, readPage, whereAll } from "./keyset.js";
import type { TenantReader } from "./tenant.js";

export interface FrameworkRow {
  readonly framework: Framework;
  readonly status: FrameworkStatus;
  readonly lastUpdated: Date;
}

export interface DeadlineRow {
  readonly id: string;
  readonly framework: Framework;
  readonly title: string;
  readonly dueDate: IsoDate;
  readonly status: string;
}

export interface DeadlineFilter {
  readonly frameworks?: readonly Framework[] | null | undefined;
  readonly statuses?: readonly string[] | null | undefined;
  readonly dueDate?: DateRange | null | undefined;
}

/** The frameworks that the tenant is registered for, in the contract's order. */
export function listFrameworks(
  tenant: TenantReader,
  statuses?: readonly FrameworkStatus[] | null,
): Promise<readonly FrameworkRow[]> {
  return tenant.query<FrameworkRow>(Prisma.sql`
    SELECT framework::text AS framework, status::text AS status, last_updated AS "lastUpdated"
    FROM compliance_statuses ${whereAll(isOneOf("status", "framework_status", statuses))}
    ORDER BY compliance_statuses.framework`);
}

const DEADLINE = Prisma.sql`id, framework::text AS framework, title, due_date::text AS "dueDate", status`;

/** Deadlines due on `from` or later, by due date, then framework (in the contract's order), then title. */
export function listUpcomingDeadlines(
  tenant: TenantReader,
  { from, limit }: { from: IsoDate; limit: number },
): Promise<readonly DeadlineRow[]> {
  return tenant.query<DeadlineRow>(Prisma.sql`
    SELECT ${DEADLINE} FROM compliance_deadlines WHERE due_date >= ${from}::date
    ORDER BY due_date, compliance_deadlines.framework, title LIMIT ${limit}`);
}

/** The same for several frameworks in one statement, at most `limit` of each. */
export function listDeadlinesOfFrameworks(
  tenant: TenantReader,
  { frameworks, from, limit }: { frameworks: readonly Framework[]; from: IsoDate; limit: number },
): Promise<readonly DeadlineRow[]> {
  return tenant.query<DeadlineRow>(Prisma.sql`
    SELECT ${DEADLINE}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY framework ORDER BY due_date, title) AS place
      FROM compliance_deadlines
      WHERE due_date >= ${from}::date AND framework = ANY(${[...frameworks]}::text[]::framework[])
    ) AS ranked
    WHERE place <= ${limit}
    ORDER BY framework, place`);
}

const DEADLINES = Prisma.sql`compliance_deadlines`;

const deadlineConditions = ({ frameworks, statuses, dueDate }: DeadlineFilter) => [
  ...isOneOf("framework", "framework", frameworks),
  ...isOneOf("status", "text", statuses),
  ...isWithin("due_date", dueDate),
];

/** A page of all deadlines, by due date, then framework, then title. */
export function listDeadlines(
  tenant: TenantReader,
  filter: DeadlineFilter,
  page: PageRequest,
): Promise<Page<DeadlineRow>> {
  const query = {
    select: DEADLINE,
    from: DEADLINES,
    where: deadlineConditions(filter),
    order: {
      columns: [
        ["due_date", "date"],
        ["compliance_deadlines.framework", "framework"],
        ["title", "text"],
      ] as const,
      descending: false,
    },
  };
  return readPage<DeadlineRow>(tenant, query, page);
}

export function countDeadlines(tenant: TenantReader, filter: DeadlineFilter): Promise<number> {
  return countRows(tenant, { from: DEADLINES, where: deadlineConditions(filter) });
}
