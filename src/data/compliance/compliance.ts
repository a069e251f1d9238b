import type { Framework, FrameworkStatus } from "../../domain/enums.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import { type ComplianceDeadline, type ComplianceStatus, Prisma } from "../../generated/prisma/client.js";
import {
  countRows,
  inAnyCase,
  isOneOf,
  isWithin,
  type Page,
  type PageRequest,
  readPage,
  whereAll,
} from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

export type FrameworkRow = Readonly<Omit<ComplianceStatus, "organizationId" | "stamp">>;

type Unshown = "organizationId" | "stamp" | "dueDate" | "completedOn" | "catalogueId" | "dayOfMonth";

export interface DeadlineRow extends Readonly<Omit<ComplianceDeadline, Unshown>> {
  readonly dueDate: IsoDate;
  readonly completedOn: IsoDate | null;
}

export interface DeadlineFilter {
  readonly frameworks?: readonly Framework[] | null | undefined;
  /** Case-insensitive. */
  readonly statuses?: readonly string[] | null | undefined;
  readonly dueDate?: DateRange | null | undefined;
  /** First and last day. Either may be omitted. */
  readonly dueFrom?: IsoDate | null | undefined;
  readonly dueTo?: IsoDate | null | undefined;
  /** Deadlines that are overdue on `today`, or if `is` is false, those that are not. */
  readonly overdue?: { readonly is: boolean; readonly today: IsoDate } | null | undefined;
  /** Deadlines that are none of `events`, or if `is` is false, those that are. An event is a framework and a title. */
  readonly duty?: { readonly is: boolean; readonly events: readonly string[] } | null | undefined;
}

/** The deadlines to list for each framework. */
export interface FrameworkDeadlines {
  readonly filter: Omit<DeadlineFilter, "frameworks">;
  readonly descending: boolean;
  readonly limit: number;
}

export const FRAMEWORK_COLUMNS = Prisma.sql`framework::text AS framework, status::text AS status, last_updated AS "lastUpdated",
  note, version`;

/** Lists the frameworks for which the tenant is registered, in the contract's order. */
export function listFrameworks(
  tenant: TenantReader,
  statuses?: readonly FrameworkStatus[] | null,
): Promise<readonly FrameworkRow[]> {
  return tenant.query<FrameworkRow>(Prisma.sql`
    SELECT ${FRAMEWORK_COLUMNS} FROM ${own.compliance_statuses} AS s ${whereAll(isOneOf("status", "framework_status", statuses))}
    ORDER BY s.framework`);
}

export const DEADLINE_COLUMNS = Prisma.sql`id, framework::text AS framework, title, due_date::text AS "dueDate", status,
  completed_on::text AS "completedOn", evidence, owner, recurrence::text AS recurrence, source, source_url AS "sourceUrl", version`;
const DEADLINES = Prisma.sql`${own.compliance_deadlines} AS d`;

/** Lists deadlines due on `from` or later, by due date, then framework (in the contract's order), then title. */
export function listUpcomingDeadlines(
  tenant: TenantReader,
  { from, limit }: { from: IsoDate; limit: number },
): Promise<readonly DeadlineRow[]> {
  return tenant.query<DeadlineRow>(Prisma.sql`
    SELECT ${DEADLINE_COLUMNS} FROM ${DEADLINES} WHERE due_date >= ${from}::date
    ORDER BY due_date, d.framework, title LIMIT ${limit}`);
}

/**
 * Lists open deadlines of a range whose status, or whose framework's, is `action_required`, by due date, then
 * framework, then title.
 */
export function listUrgentDeadlines(
  tenant: TenantReader,
  { from, to, limit }: DateRange & { limit: number },
): Promise<readonly DeadlineRow[]> {
  return tenant.query<DeadlineRow>(Prisma.sql`
    SELECT ${DEADLINE_COLUMNS} FROM ${DEADLINES}
    WHERE due_date BETWEEN ${from}::date AND ${to}::date AND completed_on IS NULL
      AND (lower(status) = 'action_required'
        OR framework IN (SELECT s.framework FROM ${own.compliance_statuses} AS s WHERE s.status = 'action_required'))
    ORDER BY due_date, d.framework, title LIMIT ${limit}`);
}

/** Lists at most `limit` deadlines for each of several frameworks, by due date, then title; in one statement. */
export async function listDeadlinesOfFrameworks(
  tenant: TenantReader,
  frameworks: readonly Framework[],
  { filter, descending, limit }: FrameworkDeadlines,
): Promise<readonly DeadlineRow[]> {
  const direction = descending ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  const conditions = await deadlineConditions(tenant, { ...filter, frameworks });
  return tenant.query<DeadlineRow>(Prisma.sql`
    SELECT ${DEADLINE_COLUMNS}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY framework ORDER BY due_date ${direction}, title ${direction}) AS place
      FROM ${DEADLINES} ${whereAll(conditions)}
    ) AS ranked
    WHERE place <= ${limit}
    ORDER BY framework, place`);
}

async function deadlineConditions(
  tenant: TenantReader,
  { frameworks, statuses, dueDate, dueFrom, dueTo, overdue, duty }: DeadlineFilter,
): Promise<Prisma.Sql[]> {
  const recorded = statuses
    ? await tenant.query<{ status: string }>(Prisma.sql`SELECT DISTINCT status FROM ${DEADLINES}`)
    : [];
  const known = recorded.map(({ status }) => status);
  return [
    ...isOneOf("framework", "framework", frameworks),
    ...isOneOf("status", "text", statuses && inAnyCase(known, statuses)),
    ...isWithin("due_date", dueDate),
    ...(dueFrom ? [Prisma.sql`due_date >= ${dueFrom}::date`] : []),
    ...(dueTo ? [Prisma.sql`due_date <= ${dueTo}::date`] : []),
    ...(overdue
      ? [
          Prisma.sql`(lower(status) = 'pending' AND due_date < ${overdue.today}::date) = ${overdue.is}::boolean`,
        ]
      : []),
    ...(duty
      ? [Prisma.sql`(framework || ' ' || title <> ALL (${duty.events}::text[])) = ${duty.is}::boolean`]
      : []),
  ];
}

/** Finds a deadline by its id; null if the tenant has no such deadline. */
export async function findDeadline(tenant: TenantReader, id: string): Promise<DeadlineRow | null> {
  const [deadline] = await tenant.query<DeadlineRow>(
    Prisma.sql`SELECT ${DEADLINE_COLUMNS} FROM ${DEADLINES} WHERE id = ${id}::uuid`,
  );
  return deadline ?? null;
}

/** Reads a page of the matching deadlines, by due date, then framework, then title. */
export async function listDeadlines(
  tenant: TenantReader,
  filter: DeadlineFilter,
  page: PageRequest,
): Promise<Page<DeadlineRow>> {
  const query = {
    select: DEADLINE_COLUMNS,
    from: DEADLINES,
    where: await deadlineConditions(tenant, filter),
    order: {
      columns: [
        ["due_date", "date"],
        ["d.framework", "framework"],
        ["title", "text"],
      ] as const,
      descending: false,
    },
  };
  return readPage<DeadlineRow>(tenant, query, page);
}

/** Counts the deadlines that match. */
export async function countDeadlines(tenant: TenantReader, filter: DeadlineFilter): Promise<number> {
  return countRows(tenant, { from: DEADLINES, where: await deadlineConditions(tenant, filter) });
}
