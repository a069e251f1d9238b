import type { IssueBasis, IssueBoundary, RestatementReason } from "../../domain/inventory/issue.js";
import type { ScopeAmount } from "../../domain/inventory/scope-sums.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** An issue of an inventory, without the statement. */
export interface IssueRow {
  readonly year: number;
  readonly issue: number;
  readonly basis: IssueBasis;
  /** `YYYY-MM`. */
  readonly holdingsAsOf: string | null;
  readonly reasons: readonly RestatementReason[];
  readonly note: string | null;
  readonly digest: string;
  readonly issuedAt: Date;
}

export const ISSUE_COLUMNS = `year, issue, basis::text AS basis, to_char(holdings_as_of, 'YYYY-MM') AS "holdingsAsOf",
  to_json(reasons) AS reasons, note, digest, issued_at AS "issuedAt"`;

const listed = (year: number) => ({
  from: own.inventory_issues,
  where: [Prisma.sql`year = ${year}`],
});

/** Reads a page of a year's issues, latest first. */
export const listIssues = (
  tenant: TenantReader,
  year: number,
  page: PageRequest,
): Promise<Page<IssueRow>> => {
  const order = { columns: [["issue", "bigint"]] as const, descending: true };
  return readPage(
    tenant,
    { select: Prisma.raw(ISSUE_COLUMNS), ...listed(year), order, isIndexed: true },
    page,
  );
};

export const countIssues = (tenant: TenantReader, year: number): Promise<number> =>
  countRows(tenant, listed(year));

/** Finds an issue; null if it does not exist. */
export async function findIssue(tenant: TenantReader, year: number, issue: number): Promise<IssueRow | null> {
  const [row] = await tenant.query<IssueRow>(Prisma.sql`
    SELECT ${Prisma.raw(ISSUE_COLUMNS)} FROM ${own.inventory_issues} WHERE year = ${year} AND issue = ${issue}`);
  return row ?? null;
}

/** Finds a year's latest issue; null if it has none. */
export async function findLatestIssue(tenant: TenantReader, year: number): Promise<IssueRow | null> {
  const [row] = await tenant.query<IssueRow>(Prisma.sql`
    SELECT ${Prisma.raw(ISSUE_COLUMNS)} FROM ${own.inventory_issues} WHERE year = ${year} ORDER BY issue DESC LIMIT 1`);
  return row ?? null;
}

/** Reads the statement of an issue as canonical JSON. */
export async function readIssueText(
  tenant: TenantReader,
  { year, issue }: Pick<IssueRow, "year" | "issue">,
): Promise<string> {
  const [row] = await tenant.query<{ statement: string }>(
    Prisma.sql`SELECT statement FROM ${own.inventory_issues} WHERE year = ${year} AND issue = ${issue}`,
  );
  if (row === undefined)
    throw new Error(`issue ${issue} of ${year} is missing, although issues are never deleted`);
  return row.statement;
}

/** Figures of an issue, for comparisons. */
export interface IssuedFigures extends Pick<IssueRow, "year" | "issue" | "holdingsAsOf"> {
  readonly scopes: readonly ScopeAmount[];
}

interface StatedScope {
  readonly scope: ScopeAmount["scope"];
  readonly co2e_tonnes: string;
  readonly market_based_co2e_tonnes: string | null;
}

const readScopes = (scopes: readonly StatedScope[]): ScopeAmount[] =>
  scopes.map(({ scope, co2e_tonnes, market_based_co2e_tonnes }) => ({
    scope,
    co2eTonnesExact: co2e_tonnes,
    marketBasedCo2eTonnesExact: market_based_co2e_tonnes,
  }));

/** Reads the figures of each year's latest issue, by year. */
export async function listIssuedFigures(
  tenant: TenantReader,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<IssuedFigures[]> {
  // The database extracts the scopes, since a statement may have millions of characters.
  const issues = await tenant.query<Omit<IssuedFigures, "scopes"> & { scopes: readonly StatedScope[] }>(
    Prisma.sql`SELECT year, issue, to_char(holdings_as_of, 'YYYY-MM') AS "holdingsAsOf", statement::json -> 'scopes' AS scopes
      FROM (
        SELECT DISTINCT ON (year) year, issue, holdings_as_of, statement FROM ${own.inventory_issues}
        WHERE year BETWEEN ${first} AND ${last} ORDER BY year, issue DESC
      ) AS latest ORDER BY year`,
  );
  return issues.map((issue) => ({ ...issue, scopes: readScopes(issue.scopes) }));
}

/** The parts of an issue that a certificate quotes. */
export interface CertifiableIssue extends Pick<IssueRow, "year" | "issue" | "basis" | "digest"> {
  readonly period: { readonly from: string; readonly to: string };
  readonly boundary: IssueBoundary;
  readonly scopes: readonly ScopeAmount[];
}

/** Reads the parts of an issue that a certificate quotes; null if the issue does not exist. */
export async function findCertifiableIssue(
  tenant: Pick<TenantReader, "query">,
  { year, issue }: Pick<IssueRow, "year" | "issue">,
): Promise<CertifiableIssue | null> {
  const [row] = await tenant.query<Omit<CertifiableIssue, "scopes"> & { scopes: readonly StatedScope[] }>(
    Prisma.sql`SELECT year, issue, basis::text AS basis, digest, stated -> 'period' AS period, stated -> 'boundary' AS boundary,
        stated -> 'scopes' AS scopes
      FROM (
        SELECT year, issue, basis, digest, statement::json AS stated FROM ${own.inventory_issues}
        WHERE year = ${year} AND issue = ${issue}
      ) AS found`,
  );
  return row ? { ...row, scopes: readScopes(row.scopes) } : null;
}
