import type { EmissionScope } from "../../domain/enums.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A month of a series of emissions. What is undefined does not matter; null stands for records without it. */
export interface MonthOfRecords {
  /** `YYYY-MM`. */
  readonly month: string;
  /** Code of the facility. */
  readonly facility?: string | null | undefined;
  readonly scope?: EmissionScope | undefined;
  readonly category?: string | null | undefined;
}

/** At most `limit` ids of the records of each month, largest amount first; in one statement, in the order of the months. */
export async function listRecordIds(
  tenant: TenantReader,
  months: readonly MonthOfRecords[],
  limit: number,
): Promise<string[][]> {
  const parts = <Part>(partOf: (month: MonthOfRecords) => Part) => months.map(partOf);
  const rows = await tenant.query<{ place: number; id: string }>(Prisma.sql`
    SELECT wanted.place, found.id
    FROM unnest(
      ${parts(({ month }) => `${month}-01`)}::text[]::date[], ${parts(({ scope }) => scope ?? null)}::text[],
      ${parts(({ facility }) => facility ?? null)}::text[], ${parts(({ facility }) => facility === undefined)}::boolean[],
      ${parts(({ category }) => category ?? null)}::text[], ${parts(({ category }) => category === undefined)}::boolean[]
    ) WITH ORDINALITY AS wanted (first, scope, facility, any_facility, category, any_category, place)
    CROSS JOIN LATERAL (
      SELECT r.id, r.co2e_tonnes FROM ${own.emission_records} AS r
      WHERE r.recorded_on BETWEEN wanted.first AND (wanted.first + interval '1 month - 1 day')::date
        AND (wanted.scope IS NULL OR r.scope::text = wanted.scope)
        AND (wanted.any_category OR coalesce(r.category, '') = coalesce(wanted.category, ''))
        AND (wanted.any_facility OR CASE WHEN wanted.facility IS NULL THEN r.facility_id IS NULL
          ELSE r.facility_id = (SELECT f.id FROM ${own.facilities} AS f WHERE f.code = wanted.facility) END)
      ORDER BY r.co2e_tonnes DESC, r.id LIMIT ${limit}
    ) AS found
    ORDER BY wanted.place, found.co2e_tonnes DESC, found.id`);
  const ids: string[][] = months.map(() => []);
  for (const { place, id } of rows) ids[place - 1]?.push(id);
  return ids;
}
