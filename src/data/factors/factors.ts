import { hasCategory } from "../../domain/factor-search/selector-parts.js";
import { isConvertible, type Unit } from "../../domain/ghg/units.js";
import { type EmissionFactor, Prisma } from "../../generated/prisma/client.js";
import { regionKeyOf } from "../../regions/regions.js";
import type { Database } from "../database/types.js";
import { countRows, isOneOf, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** An emission factor from a publication, or the organization's own. */
export interface FactorRow
  extends Readonly<Omit<EmissionFactor, "organizationId" | "stamp" | "factor" | "dimension" | "qualifier">> {
  /** Kilograms of the gas per unit: as a float, and as an exact decimal. */
  readonly factor: number;
  readonly factorExact: string;
  readonly isOwn: boolean;
}

export const FACTOR_COLUMNS = `id, activity, other_name AS "otherName", detail, region, scope::text AS scope, category,
  publisher_category AS "publisherCategory", gas,
  factor::float8 AS factor, trim_scale(factor)::text AS "factorExact", unit, source, source_url AS "sourceUrl",
  source_year AS "sourceYear", source_factor_id AS "sourceFactorId", verified, organization_id IS NOT NULL AS "isOwn"`;
const COLUMNS = Prisma.raw(FACTOR_COLUMNS);

/** State of the emission factors shipped with the gateway: missing, from an earlier release, or from this one. */
export type ReferenceFactors = "none" | "outdated" | "current";

export async function checkReferenceFactors(database: Database): Promise<ReferenceFactors> {
  const [row] = await database.select<{ isCurrent: boolean | null }>(
    // Earlier releases had no publisher categories, and only 24 of Ember's grids.
    `SELECT bool_or(publisher_category IS NOT NULL) AS "isCurrent" FROM emission_factors WHERE organization_id IS NULL`,
    [],
  );
  if (row?.isCurrent == null) return "none";
  return row.isCurrent ? "current" : "outdated";
}

const MAX_ROWS = 400;

/**
 * Lists an organization's own factors, or all published ones if `organizationId` is null. Reads them in batches, so
 * that no statement blocks others for long.
 */
export async function listAllFactors(
  database: Pick<Database, "select">,
  organizationId: string | null,
): Promise<FactorRow[]> {
  const factors: FactorRow[] = [];
  for (;;) {
    const part = await database.select<FactorRow>(
      `SELECT ${FACTOR_COLUMNS} FROM emission_factors
       WHERE organization_id IS NOT DISTINCT FROM $1::uuid AND id > $2::uuid ORDER BY id LIMIT ${MAX_ROWS}`,
      [organizationId, factors.at(-1)?.id ?? "00000000-0000-0000-0000-000000000000"],
    );
    factors.push(...part);
    if (part.length < MAX_ROWS) return factors;
  }
}

/**
 * Returns a string that changes with any of an organization's own factors, or of the published ones if `organizationId`
 * is null; null without factors.
 */
export async function readFactorVersion(
  database: Pick<Database, "select">,
  organizationId: string | null,
): Promise<string | null> {
  const [row] = await database.select<{ version: string | null }>(
    `SELECT concat_ws('-', count(*), max(stamp), sum(stamp)) AS version FROM emission_factors
     WHERE organization_id IS NOT DISTINCT FROM $1::uuid HAVING count(*) > 0`,
    [organizationId],
  );
  return row?.version ?? null;
}

/** Names of an emission factor. */
export interface FactorName
  extends Readonly<
    Pick<EmissionFactor, "activity" | "otherName" | "region" | "publisherCategory" | "verified">
  > {}

/** Names shared by factors, with the number of those factors. */
export interface CountedName extends FactorName {
  readonly count: number;
}

/** Lists the names of all factors that the tenant can see, by activity, then region. */
export function listFactorNames(tenant: TenantReader): Promise<readonly CountedName[]> {
  return tenant.query<CountedName>(Prisma.sql`
    SELECT activity, other_name AS "otherName", region, publisher_category AS "publisherCategory", verified, count(*)::int AS count
    FROM ${own.emission_factors} GROUP BY activity, other_name, region, publisher_category, verified
    ORDER BY activity, region`);
}

/** Keys to find factors by. A factor matches if any key does. */
export interface FactorKeys {
  readonly ids?: readonly string[];
  readonly names?: readonly string[];
  /** Publishers' identifiers, in lower case. */
  readonly sourceFactorIds?: readonly string[];
}

/** Finds the factors that match any of these keys, in one statement. */
export function findFactors(
  tenant: TenantReader,
  { ids = [], names = [], sourceFactorIds = [] }: FactorKeys,
): Promise<readonly FactorRow[]> {
  // Omits empty keys: PostgreSQL scans every factor if one of the conditions has no index.
  const conditions = [
    Prisma.sql`id = ANY(${ids}::text[]::uuid[])`,
    ...(names.length > 0
      ? [Prisma.sql`activity = ANY(${names}::text[])`, Prisma.sql`other_name = ANY(${names}::text[])`]
      : []),
    ...(sourceFactorIds.length > 0
      ? [Prisma.sql`lower(source_factor_id) = ANY(${sourceFactorIds}::text[])`]
      : []),
  ];
  return tenant.query<FactorRow>(Prisma.sql`
    SELECT ${COLUMNS} FROM ${own.emission_factors} WHERE ${Prisma.join(conditions, " OR ")}
    ORDER BY activity, region, scope, source_year, category, detail, id`);
}

/** The factors of one year of a publication. */
export interface FactorSet {
  /** Title of the publication, as stored with its factors. */
  readonly source: string;
  readonly year: number;
}

export function listFactorSet(
  tenant: TenantReader,
  { source, year }: FactorSet,
): Promise<readonly FactorRow[]> {
  return tenant.query<FactorRow>(Prisma.sql`
    SELECT ${COLUMNS} FROM ${own.emission_factors} WHERE source = ${source} AND source_year = ${year}::int AND verified`);
}

/** Lists the titles of a year's publications that have verified factors, in alphabetical order. */
export async function listFactorSources(tenant: TenantReader, year: number): Promise<string[]> {
  const rows = await tenant.query<{ source: string }>(Prisma.sql`
    SELECT DISTINCT source FROM ${own.emission_factors} WHERE source_year = ${year}::int AND verified ORDER BY source`);
  return rows.map(({ source }) => source);
}

export async function findFactor(tenant: TenantReader, id: string): Promise<FactorRow | null> {
  const [factor] = await findFactors(tenant, { ids: [id] });
  return factor ?? null;
}

export interface FactorFilter {
  /** Code or any name of a region. */
  readonly region?: string | null | undefined;
  readonly scope?: string | null | undefined;
  /** Unit that must be convertible to the factor's unit. */
  readonly unit?: Unit | null | undefined;
  /** Year of the publication. */
  readonly year?: number | null | undefined;
  /** The factor's category, the publisher's category, or the first or second level of the latter. Case-insensitive. */
  readonly category?: string | null | undefined;
}

async function factorConditions(
  tenant: TenantReader,
  { region, scope, unit, year, category }: FactorFilter,
): Promise<Prisma.Sql[]> {
  return [
    ...(region ? isOneOf("region", "text", await listRegionNames(tenant, region)) : []),
    ...(scope ? isOneOf("scope", "emission_scope", [scope]) : []),
    ...(unit
      ? [
          Prisma.sql`dimension = ${unit.dimension} AND coalesce(qualifier::text, '') = ${unit.qualifier ?? ""}`,
        ]
      : []),
    ...(year == null ? [] : [Prisma.sql`source_year = ${year}::int`]),
    ...(category ? [await categoryCondition(tenant, category)] : []),
  ];
}

/** Lists all names for a region that occur in factors. */
async function listRegionNames(tenant: TenantReader, region: string): Promise<string[]> {
  const names = (await listFactorNames(tenant)).map((name) => name.region);
  const wanted = regionKeyOf(region);
  return [...new Set(names)].filter((name) => regionKeyOf(name) === wanted);
}

async function categoryCondition(tenant: TenantReader, category: string): Promise<Prisma.Sql> {
  const found = await tenant.query<Pick<FactorRow, "category" | "publisherCategory">>(Prisma.sql`
    SELECT DISTINCT category, publisher_category AS "publisherCategory" FROM ${own.emission_factors}`);
  const names = found.filter((factor) => hasCategory(factor, category));
  return Prisma.sql`${Prisma.raw("category || ' ' || coalesce(publisher_category, '')")} = ANY(${names.map(
    (factor) => `${factor.category} ${factor.publisherCategory ?? ""}`,
  )}::text[])`;
}

/** A factor in memory, with its parsed unit and region. */
interface ParsedFactor {
  readonly row: FactorRow;
  readonly unit: Unit;
  readonly regionKey: string;
}

/** Creates a predicate for factors that match a filter. Evaluates the region and each category only once. */
export function createFactorFilter({ region, scope, unit, year, category }: FactorFilter) {
  const wantedRegion = region ? regionKeyOf(region) : null;
  const categories = new Map<string, boolean>();
  const isInCategory = (row: FactorRow, wanted: string): boolean => {
    const key = `${row.category}\0${row.publisherCategory ?? ""}`;
    const isIn = categories.get(key) ?? hasCategory(row, wanted);
    categories.set(key, isIn);
    return isIn;
  };
  return (factor: ParsedFactor): boolean =>
    (wantedRegion === null || factor.regionKey === wantedRegion) &&
    (!scope || factor.row.scope === scope) &&
    (!unit || isConvertible(unit, factor.unit)) &&
    (year == null || factor.row.sourceYear === year) &&
    (!category || isInCategory(factor.row, category));
}

/** Reads a page of factors, ordered by activity, then region. */
export async function listFactors(
  tenant: TenantReader,
  filter: FactorFilter,
  page: PageRequest,
): Promise<Page<FactorRow>> {
  const query = {
    select: COLUMNS,
    from: own.emission_factors,
    where: await factorConditions(tenant, filter),
    order: {
      columns: [
        ["activity", "text"],
        ["region", "text"],
        ["id", "uuid"],
      ] as const,
      descending: false,
    },
  };
  return readPage<FactorRow>(tenant, query, page);
}

/** Counts the matching factors. */
export async function countFactors(tenant: TenantReader, filter: FactorFilter): Promise<number> {
  return countRows(tenant, { from: own.emission_factors, where: await factorConditions(tenant, filter) });
}

/** Returns a factor's one or two names. */
export const spellingsOf = ({ activity, otherName }: Pick<FactorRow, "activity" | "otherName">): string[] =>
  otherName === null ? [activity] : [activity, otherName];
