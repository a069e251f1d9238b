import type { EmissionScope } from "../../domain/enums.js";
import type { DateRange, IsoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import { Prisma } from "../../generated/prisma/client.js";
import { HAS_RECORDS } from "../emissions/sums.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Sums of the records of a facility, scope and category in one or more months. Amounts are plain decimals. */
export interface Cell {
  /** Null for records without a facility. */
  readonly facilityId: string | null;
  /** The first of the months, such as `2025-07`. */
  readonly month: string;
  readonly scope: EmissionScope;
  /** Null for records without a category. */
  readonly category: string | null;
  readonly co2eTonnes: string;
  /** The energy of the records that state one. */
  readonly energyKwh: string;
  readonly biogenicCo2Tonnes: string;
  readonly recordCount: number;
  readonly energyRecordCount: number;
}

/** Maximum number of cells: an inventory holds all of them in memory. */
export const MOST_CELLS = 60_000;

/**
 * Lists the sums of whole months, by facility, scope and category in byte order. A cell covers the months from one of
 * `monthBreaks` to the next: first days of months, in ascending order. Throws VALIDATION_FAILED for over 60,000 cells.
 */
export async function listYearCells(
  tenant: TenantReader,
  { from, to }: DateRange,
  monthBreaks: readonly IsoDate[] = [],
): Promise<readonly Cell[]> {
  // Without the breaks that no month of the range is before, so that other holdings leave the statement the same.
  const starts = [from, ...monthBreaks.filter((month) => month > from && month <= to)];
  const cells = await tenant.query<Cell>(Prisma.sql`
    SELECT nullif(part, '') AS "facilityId", left((${starts}::text[])[span], 7) AS month, scope::text AS scope,
      nullif(subpart, '') AS category, trim_scale(sum(co2e_tonnes))::text AS "co2eTonnes",
      trim_scale(sum(energy_kwh))::text AS "energyKwh", trim_scale(sum(biogenic_co2_tonnes))::text AS "biogenicCo2Tonnes",
      sum(record_count)::bigint AS "recordCount", sum(energy_record_count)::bigint AS "energyRecordCount"
    FROM (
      SELECT *, width_bucket(recorded_on, ${starts}::date[]) AS span FROM ${own.emission_days}
      WHERE grain = 'month_cell' AND recorded_on BETWEEN ${from}::date AND ${to}::date
    ) AS days
    GROUP BY part, scope, subpart, span ${HAS_RECORDS}
    ORDER BY part, scope, subpart, span LIMIT ${MOST_CELLS + 1}`);
  if (cells.length <= MOST_CELLS) return cells;
  const limit = `The records from ${from} to ${to} have more than ${MOST_CELLS} different combinations of facility, scope and category`;
  throw new AppError(
    "VALIDATION_FAILED",
    `${limit}, which is the maximum of an inventory. Use fewer categories.`,
  );
}
