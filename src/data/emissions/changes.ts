import type { ChangeSplit } from "../../domain/emissions/change-splits.js";
import type { Changes, PartDifference } from "../../domain/emissions/contributions.js";
import { type DateRange, monthNumber } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { monthNumberOf } from "./records-of-months.js";
import { fromParts, fromSums, HAS_RECORDS, type RecordsToSum } from "./select-sums.js";

type ChangeRow = PartDifference<string> & Omit<Changes<unknown>, "largest">;

const NONE = { largest: [], count: 0, falls: "0", rises: "0", hasPrevious: false };

/**
 * Compares emissions with those of the period `before` by part, and lists the `limit` largest changes. A part is a
 * scope, a facility id, a category, or `facility id:category`; empty for records without one. `likeForLike` counts only
 * series that are complete in both periods, which must then be whole calendar months. The database ranks the changes,
 * since the number of parts is unlimited.
 */
export async function listChanges(
  tenant: TenantReader,
  summed: RecordsToSum,
  by: ChangeSplit,
  {
    before,
    likeForLike,
    limit,
  }: { readonly before: DateRange; readonly likeForLike: boolean; readonly limit: number },
): Promise<Changes<PartDifference<string>>> {
  const parts = (likeForLike ? selectComparable : selectAll)(summed, before, by);
  const rows = await tenant.query<ChangeRow>(Prisma.sql`
    SELECT part, trim_scale(now)::text AS now, trim_scale(before)::text AS before, trim_scale(change)::text AS change,
      trim_scale(coalesce(sum(change) FILTER (WHERE change < 0) OVER (), 0))::text AS falls,
      trim_scale(coalesce(sum(change) FILTER (WHERE change > 0) OVER (), 0))::text AS rises,
      count(*) OVER ()::int AS count, bool_or(before <> 0) OVER () AS "hasPrevious"
    FROM (SELECT part, now, before, now - before AS change FROM (${parts}) AS parts) AS changes
    WHERE change <> 0 ORDER BY abs(changes.change) DESC, changes.now DESC, part LIMIT ${limit}`);
  const [first] = rows;
  if (!first) return NONE;
  const { count, falls, rises, hasPrevious } = first;
  return { largest: rows, count, falls, rises, hasPrevious };
}

/** Returns a SELECT of each part's tonnes in both periods. */
function selectAll({ range, filter }: RecordsToSum, before: DateRange, by: ChangeSplit): Prisma.Sql {
  const tonnesOf = (period: DateRange, isNow: boolean) => {
    const of = { range: period, filter };
    const part = by === "scope" ? Prisma.sql`scope::text` : Prisma.sql`part`;
    return Prisma.sql`SELECT ${part} AS part, ${isNow}::boolean AS is_now, co2e_tonnes
      FROM ${by === "scope" ? fromSums(of) : fromParts(of, by)}`;
  };
  const tonnes = (isNow: boolean) =>
    Prisma.sql`coalesce(sum(co2e_tonnes) FILTER (WHERE is_now = ${isNow}::boolean), 0)`;
  return Prisma.sql`SELECT part, ${tonnes(true)} AS now, ${tonnes(false)} AS before
    FROM (${tonnesOf(range, true)} UNION ALL ${tonnesOf(before, false)}) AS periods GROUP BY part`;
}

/** A month with a smaller share of the usual number of records is incomplete. February has 28 of 31 days. */
const MIN_RECORDS = 0.9;

/**
 * Returns a SELECT of each part's tonnes in two periods of whole calendar months, for series that are complete in both:
 * those with records in the same months of each. A series is a scope of a facility or of a category. If at least half
 * of its months have the same number of records, a month with fewer is incomplete, such as one with one of two bills.
 */
function selectComparable({ range, filter }: RecordsToSum, before: DateRange, by: ChangeSplit): Prisma.Sql {
  const detail = by === "scope" ? "facility" : by;
  const monthsOf = (period: DateRange, isNow: boolean) => Prisma.sql`
    SELECT part, scope, ${isNow}::boolean AS is_now, sum(co2e_tonnes) AS tonnes, sum(record_count) AS records,
      ${monthNumberOf("recorded_on")} - ${monthNumber(period.from)}::int AS month
    FROM ${fromParts({ range: period, filter }, detail)} GROUP BY part, scope, recorded_on ${HAS_RECORDS}`;
  const months = (isNow: boolean) =>
    Prisma.sql`array_agg(month ORDER BY month) FILTER (WHERE is_now = ${isNow}::boolean)`;
  const tonnes = (isNow: boolean) => Prisma.sql`sum(tonnes) FILTER (WHERE is_now = ${isNow}::boolean)`;
  return Prisma.sql`
    SELECT ${by === "scope" ? Prisma.sql`scope::text` : Prisma.sql`part`} AS part,
      sum(tonnes_now) AS now, sum(tonnes_before) AS before
    FROM (
      SELECT part, scope, ${months(true)} AS months_now, ${months(false)} AS months_before,
        ${tonnes(true)} AS tonnes_now, ${tonnes(false)} AS tonnes_before,
        array_agg(records) AS counts, mode() WITHIN GROUP (ORDER BY records DESC) AS usual
      FROM (${monthsOf(range, true)} UNION ALL ${monthsOf(before, false)}) AS months GROUP BY part, scope
    ) AS series
    WHERE months_now = months_before AND (
      SELECT 2 * count(*) FILTER (WHERE records = usual) < count(*) OR min(records) >= ${MIN_RECORDS}::numeric * usual
      FROM unnest(counts) AS counted (records)
    )
    GROUP BY 1`;
}
