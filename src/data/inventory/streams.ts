import type { EmissionScope } from "../../domain/enums.js";
import type { StreamMethod } from "../../domain/inventory/inventory.js";
import type { InventoryLine } from "../../domain/inventory/lines.js";
import { type IsoDate, monthNumber } from "../../domain/window.js";
import { Prisma } from "../../generated/prisma/client.js";
import { largestOfMonth } from "../emissions/records-of-months.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** Scope and category, which identify a stream. */
export interface StreamKey {
  readonly scope: EmissionScope;
  /** Null for records without a category. */
  readonly category: string | null;
}

/** A stream's mapping to an inventory line. */
export interface MappedStream extends StreamKey {
  readonly line: InventoryLine;
  readonly method: StreamMethod | null;
  readonly activityUncertaintyPercentExact: string | null;
  readonly factorUncertaintyPercentExact: string | null;
  readonly renewable: boolean | null;
  readonly note: string | null;
  readonly version: number;
}

/** A stream that has records or a mapping. */
export interface StreamRow extends Omit<MappedStream, "line"> {
  /** Null if unmapped. */
  readonly line: InventoryLine | null;
  /** Sum over all years, in tonnes of CO2 equivalent. */
  readonly co2eTonnesExact: string;
  readonly recordCount: number;
  /** First day of the latest month with records; null without records. */
  readonly latestMonth: IsoDate | null;
}

export const MAPPED_STREAM_COLUMNS = `scope::text AS scope, category, line::text AS line, method::text AS method,
  trim_scale(activity_uncertainty_pct)::text AS "activityUncertaintyPercentExact",
  trim_scale(factor_uncertainty_pct)::text AS "factorUncertaintyPercentExact", renewable, note, version`;

/** Returns a FROM item for all streams, or for one. `part` is the category; empty for records without one. */
function streams(key?: StreamKey): Prisma.Sql {
  const [ofRecords, mapped] = key
    ? [
        Prisma.sql`AND scope = ${key.scope}::text::emission_scope AND part = ${key.category ?? ""}`,
        Prisma.sql`WHERE scope = ${key.scope}::text::emission_scope AND coalesce(category, '') = ${key.category ?? ""}`,
      ]
    : [Prisma.empty, Prisma.empty];
  return Prisma.sql`(
    SELECT coalesce(r.scope, m.scope) AS scope, coalesce(r.part, m.part) AS part, m.line, m.method, m.activity_uncertainty_pct,
      m.factor_uncertainty_pct, m.renewable, m.note, coalesce(m.version, 0) AS version,
      coalesce(r.co2e_tonnes, 0) AS co2e_tonnes, coalesce(r.record_count, 0) AS record_count, r.latest
    FROM (
      SELECT scope::text AS scope, part, sum(co2e_tonnes) AS co2e_tonnes, sum(record_count) AS record_count,
        max(recorded_on) FILTER (WHERE record_count > 0) AS latest
      FROM ${own.emission_days} WHERE grain = 'month_category' ${ofRecords}
      GROUP BY 1, 2 HAVING sum(record_count) > 0
    ) AS r
    FULL JOIN (
      SELECT scope::text AS scope, coalesce(category, '') AS part, line, method, activity_uncertainty_pct,
        factor_uncertainty_pct, renewable, note, version
      FROM ${own.emission_streams} ${mapped}
    ) AS m ON m.scope = r.scope AND m.part = r.part
  ) AS streams`;
}

const STREAM_COLUMNS =
  Prisma.raw(`scope, nullif(part, '') AS category, line::text AS line, method::text AS method,
  trim_scale(activity_uncertainty_pct)::text AS "activityUncertaintyPercentExact",
  trim_scale(factor_uncertainty_pct)::text AS "factorUncertaintyPercentExact", renewable, note, version,
  trim_scale(co2e_tonnes)::text AS "co2eTonnesExact", record_count::bigint AS "recordCount", latest::text AS "latestMonth"`);

const listed = (isUnmapped: boolean | null | undefined) => ({
  from: streams(),
  where: isUnmapped == null ? [] : [isUnmapped ? Prisma.sql`line IS NULL` : Prisma.sql`line IS NOT NULL`],
});

/** Reads a page of streams by scope and category: all, or only those that `isUnmapped` selects. */
export function listStreams(
  tenant: TenantReader,
  isUnmapped: boolean | null | undefined,
  page: PageRequest,
): Promise<Page<StreamRow>> {
  const columns = [["scope", "text"] as const, ["part", "text"] as const];
  const order = { columns, descending: false };
  return readPage<StreamRow>(tenant, { select: STREAM_COLUMNS, ...listed(isUnmapped), order }, page);
}

/** Counts the streams that `listStreams` lists. */
export const countStreams = (tenant: TenantReader, isUnmapped: boolean | null | undefined): Promise<number> =>
  countRows(tenant, listed(isUnmapped));

/** Finds a stream; null if it has neither records nor a mapping. */
export async function findStream(tenant: TenantReader, key: StreamKey): Promise<StreamRow | null> {
  const [row] = await tenant.query<StreamRow>(Prisma.sql`SELECT ${STREAM_COLUMNS} FROM ${streams(key)}`);
  return row ?? null;
}

/** Maximum number of a category's records to read for their factors. */
const MAX_RECORDS = 20;

/** Category of an emission factor that a stream's records were calculated with. */
export interface StreamFactor {
  readonly stream: string;
  readonly factorCategory: string;
}

/** Returns a string that identifies a stream. NUL never occurs in PostgreSQL's text. */
export const streamId = ({ scope, category }: StreamKey): string => `${scope}\0${category ?? ""}`;

/**
 * Lists the factor categories of each stream's records among the 20 largest of its category, in all scopes, in the
 * stream's latest month. Reads only these, by an index.
 */
export async function listFactorCategories(
  tenant: TenantReader,
  streams: readonly Pick<StreamRow, "scope" | "category" | "latestMonth">[],
): Promise<readonly StreamFactor[]> {
  const largest = (condition: Prisma.Sql) =>
    largestOfMonth("r.scope, r.factor_id", "r.category", condition, MAX_RECORDS);
  const parts = <Part>(partOf: (stream: (typeof streams)[number]) => Part) => streams.map(partOf);
  const rows = await tenant.query<{ place: number; factorCategory: string }>(Prisma.sql`
    SELECT DISTINCT wanted.place::int AS place, f.category AS "factorCategory"
    FROM unnest(
      ${parts(({ scope }) => scope)}::text[], ${parts(({ category }) => category)}::text[],
      ${parts(({ latestMonth }) => (latestMonth === null ? null : monthNumber(latestMonth)))}::integer[]
    ) WITH ORDINALITY AS wanted (scope, category, month, place)
    CROSS JOIN LATERAL (
      (${largest(Prisma.sql`r.category = wanted.category`)})
      UNION ALL (${largest(Prisma.sql`r.category IS NULL AND wanted.category IS NULL`)})
    ) AS largest
    JOIN ${own.emission_factors} AS f ON f.id = largest.factor_id
    WHERE largest.scope::text = wanted.scope`);
  return rows.flatMap(({ place, factorCategory }) => {
    const stream = streams[place - 1];
    return stream ? [{ stream: streamId(stream), factorCategory }] : [];
  });
}
