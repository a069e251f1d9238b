import type { Role } from "../../domain/people/roles.js";
import type { Scope } from "../../domain/scopes.js";
import { sizeOfText } from "../../domain/texts/size-in-memory.js";
import type { Database } from "../database/types.js";
import { ORGANIZATION_JSON, type OrganizationRow } from "../organizations/organizations.js";

/** A role that a service account can have. */
export type ServiceRole = Exclude<Role, "owner">;

/** A token with its service account and organization, as needed for authentication. */
export interface StoredToken {
  readonly id: string;
  readonly hash: string;
  readonly display: string;
  readonly expiresAt: Date | null;
  /** Time at which its account or the token itself was revoked. */
  readonly revokedAt: Date | null;
  lastUsedAt: Date | null;
  readonly account: {
    readonly id: string;
    readonly name: string;
    readonly role: ServiceRole;
    readonly scopes: readonly Scope[];
  };
  readonly organization: OrganizationRow;
}

/** The tables that a stored token is read from. */
export const TOKEN_TABLES: ReadonlySet<string> = new Set([
  "service_account_tokens",
  "service_accounts",
  "organizations",
]);

/** Estimates how much memory a stored token takes, in bytes. */
export function sizeOfToken({ account, organization }: StoredToken): number {
  const texts = [account.name, ...account.scopes, organization.slug, organization.name];
  return texts.reduce((size, text) => size + sizeOfText(text), 900);
}

/** Finds a token by its possible hashes, valid or not. */
export const findTokenByHash = (reader: Pick<Database, "select">, hashes: readonly string[]) =>
  findToken(reader, "t.hash = ANY($1::text[])", hashes);

/** Finds a token by its id, valid or not. */
export const findTokenById = (reader: Pick<Database, "select">, id: string) =>
  findToken(reader, "t.id = $1::uuid", id);

async function findToken(
  reader: Pick<Database, "select">,
  condition: string,
  value: unknown,
): Promise<StoredToken | null> {
  const [token] = await reader.select<StoredToken>(
    `SELECT t.id, t.hash, t.display, t.expires_at AS "expiresAt", coalesce(a.revoked_at, t.revoked_at) AS "revokedAt",
       t.last_used_at AS "lastUsedAt",
       jsonb_build_object('id', a.id, 'name', a.name, 'role', a.role, 'scopes', a.scopes) AS account,
       ${ORGANIZATION_JSON} AS organization
     FROM service_account_tokens AS t JOIN service_accounts AS a ON a.id = t.service_account_id
       JOIN organizations AS o ON o.id = a.organization_id
     WHERE ${condition}`,
    [value],
  );
  return token ?? null;
}
