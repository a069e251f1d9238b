import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A domain claimed by an organization. */
export interface DomainRow {
  readonly domain: string;
  /** Token in the TXT record that proves the claim. */
  readonly token: string;
  /** Null until a check finds the record, and again once it has been missing for a week. */
  readonly provenAt: Date | null;
  readonly checkedAt: Date | null;
  /** Time of the first check that missed a proven domain's record; null while checks find it, or if unproven. */
  readonly failingSince: Date | null;
}

const COLUMNS = Prisma.sql`d.domain, d.proof AS token, d.proven_at AS "provenAt", d.checked_at AS "checkedAt", d.failing_since AS "failingSince"`;

const listed = { from: Prisma.sql`${own.domains} AS d`, where: [] };

/** Reads a page of the tenant's domains, by name. */
export const listDomains = (tenant: TenantReader, page: PageRequest): Promise<Page<DomainRow>> =>
  readPage(
    tenant,
    { select: COLUMNS, ...listed, order: { columns: [["d.domain", "text"]], descending: false } },
    page,
  );

export const countDomains = (tenant: TenantReader): Promise<number> => countRows(tenant, listed);

/** Finds a domain of the tenant; null if it does not exist. */
export async function findDomain(tenant: TenantReader, domain: string): Promise<DomainRow | null> {
  const [row] = await tenant.query<DomainRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${own.domains} AS d WHERE d.domain = ${domain}`,
  );
  return row ?? null;
}
