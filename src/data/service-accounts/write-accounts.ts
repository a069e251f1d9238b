import { randomUUID } from "node:crypto";
import type { Scope } from "../../domain/scopes.js";
import type { SqlSession } from "../database/types.js";
import type { ServiceRole } from "./tokens.js";

export interface NewAccount {
  readonly organizationId: string;
  readonly name: string;
  readonly role: ServiceRole;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  /** Id of the user; null for a command. */
  readonly createdBy: string | null;
}

/** Adds a service account, and returns its id. */
export async function insertAccount(sql: SqlSession, account: NewAccount): Promise<string> {
  const { organizationId, name, role, scopes, createdAt, createdBy } = account;
  const id = randomUUID();
  await sql.execute(
    `INSERT INTO service_accounts (id, organization_id, name, role, scopes, created_by, created_at)
     VALUES ($1::uuid, $2::uuid, $3, $4::member_role, $5::text[], $6::uuid, $7::timestamptz)`,
    [id, organizationId, name, role, scopes, createdBy, createdAt.toISOString()],
  );
  return id;
}

export interface NewToken {
  readonly organizationId: string;
  readonly accountId: string;
  readonly hash: string;
  /** Fingerprint of the hash's pepper. */
  readonly pepper: string;
  readonly display: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

export async function insertToken(sql: SqlSession, token: NewToken): Promise<void> {
  const { organizationId, accountId, hash, pepper, display, createdAt, expiresAt } = token;
  await sql.execute(
    `INSERT INTO service_account_tokens (organization_id, service_account_id, hash, pepper, display, created_at, expires_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6::timestamptz, $7::timestamptz)`,
    [
      organizationId,
      accountId,
      hash,
      pepper,
      display,
      createdAt.toISOString(),
      expiresAt?.toISOString() ?? null,
    ],
  );
}

/** Ends the tokens of a service account, now or at a later time. Tokens that end earlier are unchanged. */
export async function endTokens(sql: SqlSession, accountId: string, end: Date, now: Date): Promise<void> {
  const column = end > now ? "expires_at" : "revoked_at";
  await sql.execute(
    `UPDATE service_account_tokens SET ${column} = $2::timestamptz
     WHERE service_account_id = $1::uuid AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2::timestamptz)`,
    [accountId, end.toISOString()],
  );
}

export interface AccountChanges {
  readonly name: string;
  readonly role: ServiceRole;
  readonly scopes: readonly Scope[];
}

/** Updates a service account. Its version increases even if nothing changes. */
export async function updateAccount(
  sql: SqlSession,
  id: string,
  { name, role, scopes }: AccountChanges,
): Promise<void> {
  await sql.execute(
    `UPDATE service_accounts SET name = $2, role = $3::member_role, scopes = $4::text[] WHERE id = $1::uuid`,
    [id, name, role, scopes],
  );
}

/** Revokes a service account, and thereby all of its tokens. */
export async function revokeAccount(sql: SqlSession, id: string, now: Date): Promise<void> {
  await sql.execute(
    "UPDATE service_accounts SET revoked_at = $2::timestamptz WHERE id = $1::uuid AND revoked_at IS NULL",
    [id, now.toISOString()],
  );
}

/** Counts an organization's service accounts that are not revoked. */
export async function countLiveAccounts(sql: SqlSession, organizationId: string): Promise<number> {
  const [counted] = await sql.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM service_accounts WHERE organization_id = $1::uuid AND revoked_at IS NULL`,
    [organizationId],
  );
  return counted?.count ?? 0;
}
