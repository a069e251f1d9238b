import type { EmissionScope } from "../../domain/enums.js";
import type { NumberedAmount } from "../../domain/foresight/scored-series.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { monthNumberOf } from "./records-of-months.js";
import { fromParts, HAS_RECORDS } from "./select-sums.js";

/** Monthly emissions of a facility or a category, or of one of its scopes. */
export interface PartSeries {
  /** The facility's code or the category; null for records without one. */
  readonly name: string | null;
  /** Day on which the facility was archived. */
  readonly archivedOn: IsoDate | null;
  /** Null if all scopes are summed. */
  readonly scope: EmissionScope | null;
  /** Months with records, earliest first: each month's number and exact tonnes, separated by spaces. */
  readonly months: string;
}

export interface PartSplit {
  readonly by: "facility" | "category";
  readonly byScope: boolean;
  /** Facility ids or categories; an empty string for records without one. */
  readonly parts?: readonly string[] | undefined;
}

/**
 * Lists up to `limit` series of monthly emissions in a range of whole months. Each series is one row, to keep large
 * results small.
 */
export function listPartSeries(
  tenant: TenantReader,
  range: DateRange,
  { by, byScope, parts }: PartSplit,
  limit: number,
): Promise<readonly PartSeries[]> {
  const scope = byScope ? Prisma.sql`scope::text` : Prisma.sql`NULL::text`;
  const isFacility = by === "facility";
  const name = isFacility ? Prisma.sql`f.code` : Prisma.sql`nullif(part, '')`;
  const archivedOn = isFacility
    ? Prisma.sql`to_char(f.archived_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`
    : Prisma.sql`NULL::text`;
  const facilities = isFacility
    ? Prisma.sql`LEFT JOIN ${own.facilities} AS f ON f.id::text = part`
    : Prisma.empty;
  return tenant.query<PartSeries>(Prisma.sql`
    SELECT ${name} AS name, ${archivedOn} AS "archivedOn", scope, months FROM (
      SELECT part, scope, string_agg(concat_ws(' ', month, tonnes), ' ' ORDER BY month) AS months FROM (
        SELECT part, ${scope} AS scope, ${monthNumberOf("recorded_on")} AS month,
          trim_scale(sum(co2e_tonnes))::text AS tonnes
        FROM ${fromParts({ range, filter: {} }, by, parts)} GROUP BY 1, 2, recorded_on ${HAS_RECORDS}
      ) AS sums GROUP BY part, scope LIMIT ${limit}
    ) AS series ${facilities}`);
}

/** Parses the months of a series. */
export function readMonths({ months }: PartSeries): NumberedAmount[] {
  const parts = months.split(" ");
  return Array.from({ length: parts.length / 2 }, (_, index) => [
    Number(parts[2 * index]),
    Number(parts[2 * index + 1]),
  ]);
}
