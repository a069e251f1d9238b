import type { Scope } from "../../domain/scopes.js";
import type { Database } from "../database/types.js";
import { ORGANIZATION_JSON, type OrganizationRow } from "../organizations/organizations.js";
import type { ServiceRole } from "./tokens.js";

export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly role: ServiceRole;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly version: number;
  readonly organization: OrganizationRow;
}

/** A token of a service account, without its secret. */
export interface TokenRow {
  readonly id: string;
  readonly accountId: string;
  readonly display: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const ACCOUNT = `SELECT a.id, a.name, a.role::text AS role, a.scopes, a.created_at AS "createdAt", a.revoked_at AS "revokedAt",
    a.version, ${ORGANIZATION_JSON} AS organization
  FROM service_accounts AS a JOIN organizations AS o ON o.id = a.organization_id`;

export async function findAccount(
  { select }: Pick<Database, "select">,
  id: string,
): Promise<AccountRow | null> {
  const [account] = await select<AccountRow>(`${ACCOUNT} WHERE a.id = $1::uuid`, [id]);
  return account ?? null;
}

/** Lists the service accounts of an organization, or of all organizations by slug, oldest first. */
export const listAccounts = ({ select }: Pick<Database, "select">, organizationId: string | undefined) =>
  select<AccountRow>(
    `${ACCOUNT} WHERE $1::uuid IS NULL OR a.organization_id = $1::uuid ORDER BY o.slug, a.created_at, a.id`,
    [organizationId ?? null],
  );

export const TOKEN_COLUMNS = `t.id, t.service_account_id AS "accountId", t.display, t.created_at AS "createdAt",
  t.expires_at AS "expiresAt", t.last_used_at AS "lastUsedAt"`;

/** Lists the valid tokens of service accounts, oldest first. */
export const listLiveTokens = (
  { select }: Pick<Database, "select">,
  accountIds: readonly string[],
  now: Date,
) =>
  select<TokenRow>(
    `SELECT ${TOKEN_COLUMNS} FROM service_account_tokens AS t JOIN service_accounts AS a ON a.id = t.service_account_id
     WHERE a.id = ANY($1::uuid[]) AND a.revoked_at IS NULL AND t.revoked_at IS NULL
       AND (t.expires_at IS NULL OR t.expires_at > $2::timestamptz)
     ORDER BY t.created_at, t.id`,
    [accountIds, now.toISOString()],
  );

/** Finds the latest token of a service account, valid or not; null if it has none. */
export async function findLatestToken(
  { select }: Pick<Database, "select">,
  accountId: string,
): Promise<TokenRow | null> {
  const [token] = await select<TokenRow>(
    `SELECT ${TOKEN_COLUMNS} FROM service_account_tokens AS t WHERE t.service_account_id = $1::uuid
     ORDER BY t.created_at DESC, t.id DESC LIMIT 1`,
    [accountId],
  );
  return token ?? null;
}
