import { Prisma } from "../../generated/prisma/client.js";
import { countRows, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** A domain that an organization claims. */
export interface DomainRow {
  readonly domain: string;
  /** Part of the TXT record that proves the claim. */
  readonly token: string;
  /** Null until the record was found, and after it was missing for a week. */
  readonly provenAt: Date | null;
  readonly checkedAt: Date | null;
  /** Time of the first check that definitely found no record; null while it is found. */
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

/** Counts the tenant's domains. */
export const countDomains = (tenant: TenantReader): Promise<number> => countRows(tenant, listed);

/** Finds one of the tenant's domains; null if it does not exist. */
export async function findDomain(tenant: TenantReader, domain: string): Promise<DomainRow | null> {
  const [row] = await tenant.query<DomainRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${own.domains} AS d WHERE d.domain = ${domain}`,
  );
  return row ?? null;
}
