import type { SqlSession } from "../database/types.js";
import { CONNECTION_COLUMNS, type Connection, type ConnectionRow } from "./connections.js";

export type ConnectionSettings = Pick<
  Connection,
  | "organizationId"
  | "issuer"
  | "clientId"
  | "clientSecretSealed"
  | "defaultRole"
  | "roleClaim"
  | "roleMap"
  | "missingEmailVerified"
  | "secondFactor"
>;

/** Locks an organization's connection until the transaction ends, and returns it; null if it has none. */
export async function lockConnection(sql: SqlSession, organizationId: string): Promise<Connection | null> {
  const [row] = await sql.query<Connection>(
    `SELECT ${CONNECTION_COLUMNS} FROM sso_connections AS c WHERE c.organization_id = $1::uuid FOR UPDATE`,
    [organizationId],
  );
  return row ?? null;
}

/** Prevents changes to an enabled connection until the transaction ends. Returns its version; null if not enabled. */
export async function holdConnection(sql: SqlSession, id: string): Promise<number | null> {
  const [row] = await sql.query<Pick<Connection, "version">>(
    "SELECT version FROM sso_connections WHERE id = $1::uuid AND enabled_at IS NOT NULL FOR SHARE",
    [id],
  );
  return row?.version ?? null;
}

/** Adds an organization's connection, or replaces its settings. */
export async function saveConnection(sql: SqlSession, settings: ConnectionSettings): Promise<void> {
  const { organizationId, issuer, clientId, clientSecretSealed, defaultRole, roleClaim, roleMap } = settings;
  await sql.execute(
    `INSERT INTO sso_connections (organization_id, issuer, client_id, client_secret_sealed, default_role, role_claim, role_map,
       missing_email_verified, second_factor)
     VALUES ($1::uuid, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)
     ON CONFLICT (organization_id) DO UPDATE SET issuer = excluded.issuer, client_id = excluded.client_id,
       client_secret_sealed = excluded.client_secret_sealed, default_role = excluded.default_role, role_claim = excluded.role_claim,
       role_map = excluded.role_map, missing_email_verified = excluded.missing_email_verified, second_factor = excluded.second_factor`,
    [
      organizationId,
      issuer,
      clientId,
      clientSecretSealed,
      defaultRole,
      roleClaim,
      JSON.stringify(roleMap),
      settings.missingEmailVerified,
      settings.secondFactor,
    ],
  );
}

export type ConnectionState = Pick<
  ConnectionRow,
  "testedAt" | "testedBy" | "enabledAt" | "enforcedAt" | "breakGlass"
>;

/** State of a connection that has not been tested. */
export const DRAFT: ConnectionState = {
  testedAt: null,
  testedBy: null,
  enabledAt: null,
  enforcedAt: null,
  breakGlass: [],
};

export async function updateState(
  sql: SqlSession,
  organizationId: string,
  { testedAt, testedBy, enabledAt, enforcedAt, breakGlass }: ConnectionState,
): Promise<void> {
  const times = [testedAt, enabledAt, enforcedAt].map((time) => time?.toISOString() ?? null);
  await sql.execute(
    `UPDATE sso_connections SET tested_at = $2::timestamptz, enabled_at = $3::timestamptz, enforced_at = $4::timestamptz,
       tested_by = $5::uuid, break_glass = $6::uuid[] WHERE organization_id = $1::uuid`,
    [organizationId, ...times, testedBy, [...breakGlass]],
  );
}

/** Deletes an organization's connection, its identities and their sessions. */
export async function deleteConnection(sql: SqlSession, organizationId: string): Promise<void> {
  await sql.execute("DELETE FROM sso_connections WHERE organization_id = $1::uuid", [organizationId]);
}
