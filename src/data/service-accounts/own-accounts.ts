import type { Scope } from "../../domain/scopes.js";
import { Prisma } from "../../generated/prisma/client.js";
import { countRows, oldestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { TOKEN_COLUMNS, type TokenRow } from "./accounts.js";
import type { ServiceRole } from "./tokens.js";

export type ServiceAccountStatus = "active" | "revoked";

/** A service account, as the users of its organization see it. */
export interface OwnAccountRow {
  readonly id: string;
  readonly name: string;
  readonly role: ServiceRole;
  readonly scopes: readonly Scope[];
  readonly status: ServiceAccountStatus;
  /** Null for an account created by a command. */
  readonly createdBy: { readonly id: string; readonly name: string } | null;
  readonly createdAt: Date;
  readonly version: number;
}

const COLUMNS = Prisma.raw(`a.id, a.name, a.role::text AS role, a.scopes, s.status,
  CASE WHEN a.creator_name IS NOT NULL THEN json_build_object('id', a.created_by, 'name', a.creator_name) END AS "createdBy",
  a.created_at AS "createdAt", a.version`);

/** Selects the organization's service accounts `a` with one of these statuses `s`; null for any. */
const listed = (statuses: readonly ServiceAccountStatus[] | null) => ({
  from: Prisma.sql`${own.service_accounts} AS a
    CROSS JOIN LATERAL (SELECT CASE WHEN a.revoked_at IS NULL THEN 'active' ELSE 'revoked' END AS status) AS s`,
  where: statuses === null ? [] : [Prisma.sql`s.status = ANY(${[...statuses]}::text[])`],
});

/** Reads a page of the organization's service accounts, oldest first. */
export function listOwnAccounts(
  tenant: TenantReader,
  statuses: readonly ServiceAccountStatus[] | null,
  page: PageRequest,
): Promise<Page<OwnAccountRow>> {
  const order = oldestFirst("a.created_at", "a.id");
  return readPage(tenant, { select: COLUMNS, ...listed(statuses), order }, page);
}

export const countOwnAccounts = (
  tenant: TenantReader,
  statuses: readonly ServiceAccountStatus[] | null,
): Promise<number> => countRows(tenant, listed(statuses));

export async function findOwnAccount(tenant: TenantReader, id: string): Promise<OwnAccountRow | null> {
  const { from } = listed(null);
  const [account] = await tenant.query<OwnAccountRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${from} WHERE a.id = ${id}::uuid`,
  );
  return account ?? null;
}

/** Lists the organization's valid tokens, oldest first: at most two for each of 20 service accounts. */
export const listOwnTokens = (tenant: TenantReader, now: Date): Promise<readonly TokenRow[]> =>
  tenant.query<TokenRow>(Prisma.sql`
    SELECT ${Prisma.raw(TOKEN_COLUMNS)}
    FROM ${own.service_account_tokens} AS t JOIN ${own.service_accounts} AS a ON a.id = t.service_account_id
    WHERE a.revoked_at IS NULL AND t.revoked_at IS NULL
      AND (t.expires_at IS NULL OR t.expires_at > ${now.toISOString()}::timestamptz)
    ORDER BY t.created_at, t.id`);
