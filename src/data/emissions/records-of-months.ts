import type { EmissionScope } from "../../domain/enums.js";
import { monthNumber } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { IN_INDEX_ORDER } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A month of an emission series. An undefined field matches all records; null matches those without a value. */
export interface MonthOfRecords {
  /** `YYYY-MM`. */
  readonly month: string;
  /** Code of the facility. */
  readonly facility?: string | null | undefined;
  readonly scope?: EmissionScope | undefined;
  readonly category?: string | null | undefined;
}

/** Returns SQL for the number of a day's month since the year 0. Three indexes contain this expression. */
export function monthNumberOf(column: string): Prisma.Sql {
  const day = Prisma.raw(column);
  return Prisma.sql`(12 * date_part('year', ${day})::integer + date_part('month', ${day})::integer - 1)`;
}

const MONTH_OF_RECORD = monthNumberOf("r.recorded_on");

/**
 * Returns a SELECT of the `limit` largest records `r` of the month `wanted.month`, largest first, by the index that
 * begins with `part`. `condition` must fix the value of `part`.
 */
export function largestOfMonth(
  columns: string,
  part: string,
  condition: Prisma.Sql,
  limit: number,
): Prisma.Sql {
  // Ordering by the part and the month, which are constant, matches the index. PostgreSQL treats neither IS NULL nor,
  // under row-level security, the value of an expression as constant. The limit is a constant, because PostgreSQL plans
  // for many rows if it is a parameter.
  return Prisma.sql`
    SELECT ${Prisma.raw(columns)} FROM ${own.emission_records} AS r ${IN_INDEX_ORDER}
    WHERE ${condition} AND ${MONTH_OF_RECORD} = wanted.month
    ORDER BY ${Prisma.raw(part)}, ${MONTH_OF_RECORD}, r.co2e_tonnes DESC, r.id LIMIT ${Prisma.raw(String(limit))}`;
}

/**
 * Lists the ids of each month's `limit` largest records, largest first, in the order of `months`. All months must
 * belong to series with the same split. Uses one statement, which reads only these records, because an index has this
 * order.
 */
export async function listRecordIds(
  tenant: TenantReader,
  months: readonly MonthOfRecords[],
  limit: number,
): Promise<string[][]> {
  const parts = <Part>(partOf: (month: MonthOfRecords) => Part) => months.map(partOf);
  const isBy = (part: "facility" | "category") => months.some((month) => month[part] !== undefined);
  const largest = (part: string, condition: Prisma.Sql) =>
    largestOfMonth("r.id, r.co2e_tonnes", part, condition, limit);
  const ofScopes = (part: string, condition: Prisma.Sql) => Prisma.sql`
    SELECT of_scope.id, of_scope.co2e_tonnes FROM unnest(enum_range(NULL::emission_scope)) AS scopes (scope)
    CROSS JOIN LATERAL (${largest(part, Prisma.sql`${condition} AND r.scope = scopes.scope`)}) AS of_scope
    WHERE wanted.scope IS NULL OR scopes.scope::text = wanted.scope`;
  const candidates = isBy("category")
    ? Prisma.sql`(${largest("r.category", Prisma.sql`r.category = wanted.category`)})
        UNION ALL (${largest("r.category", Prisma.sql`r.category IS NULL AND wanted.category IS NULL`)})`
    : isBy("facility")
      ? Prisma.sql`${ofScopes("r.facility_id", Prisma.sql`r.facility_id = f.id`)}
          UNION ALL ${ofScopes("r.facility_id", Prisma.sql`r.facility_id IS NULL AND wanted.facility IS NULL`)}`
      : ofScopes("r.scope", Prisma.sql`true`);
  const rows = await tenant.query<{ place: number; id: string }>(Prisma.sql`
    SELECT wanted.place, found.id
    FROM unnest(
      ${parts(({ month }) => monthNumber(month))}::integer[], ${parts(({ scope }) => scope ?? null)}::text[],
      ${parts(({ facility }) => facility ?? null)}::text[], ${parts(({ category }) => category ?? null)}::text[]
    ) WITH ORDINALITY AS wanted (month, scope, facility, category, place)
    LEFT JOIN ${own.facilities} AS f ON f.code = wanted.facility
    CROSS JOIN LATERAL (
      SELECT id, co2e_tonnes FROM (${candidates}) AS candidates ORDER BY co2e_tonnes DESC, id LIMIT ${Prisma.raw(String(limit))}
    ) AS found
    ORDER BY wanted.place, found.co2e_tonnes DESC, found.id`);
  const ids: string[][] = months.map(() => []);
  for (const { place, id } of rows) ids[place - 1]?.push(id);
  return ids;
}
