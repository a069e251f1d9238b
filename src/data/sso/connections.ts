import type { RoleRules } from "../../domain/sso/role-rules.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { Database } from "../database/types.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";

/** An organization's connection to its identity provider, without the client secret. */
export interface ConnectionRow extends RoleRules {
  readonly id: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly missingEmailVerified: "refuse" | "accept";
  /** `provider` if a sign-in with the provider also counts as a second factor. */
  readonly secondFactor: "provider" | "gateway";
  readonly testedAt: Date | null;
  readonly testedBy: string | null;
  readonly enabledAt: Date | null;
  readonly enforcedAt: Date | null;
  /** Ids of the owners who may sign in without it while it is enforced. */
  readonly breakGlass: readonly string[];
  readonly version: number;
}

/** A connection with its organization and client secret. */
export interface Connection extends ConnectionRow {
  readonly organizationId: string;
  /** Encrypted; null for a client without a secret. */
  readonly clientSecretSealed: string | null;
}

const ROW_COLUMNS = `c.id, c.issuer, c.client_id AS "clientId", c.default_role AS "defaultRole", c.role_claim AS "roleClaim",
  c.role_map AS "roleMap", c.missing_email_verified AS "missingEmailVerified", c.second_factor AS "secondFactor",
  c.tested_at AS "testedAt", c.tested_by AS "testedBy", c.enabled_at AS "enabledAt", c.enforced_at AS "enforcedAt",
  c.break_glass AS "breakGlass", c.version`;

export const CONNECTION_COLUMNS = `${ROW_COLUMNS}, c.organization_id AS "organizationId", c.client_secret_sealed AS "clientSecretSealed"`;

/** Finds the tenant's connection; null if it has none. */
export async function findOwnConnection(tenant: TenantReader): Promise<ConnectionRow | null> {
  const [row] = await tenant.query<ConnectionRow>(
    Prisma.sql`SELECT ${Prisma.raw(ROW_COLUMNS)} FROM ${own.sso_connections} AS c`,
  );
  return row ?? null;
}

export async function findConnection(
  database: Pick<Database, "select">,
  id: string,
): Promise<Connection | null> {
  const [row] = await database.select<Connection>(
    `SELECT ${CONNECTION_COLUMNS} FROM sso_connections AS c WHERE c.id = $1::uuid`,
    [id],
  );
  return row ?? null;
}

/** Finds the connection through which a session began; null for other sessions. */
export async function findConnectionOfSession(
  database: Pick<Database, "select">,
  sessionId: string,
): Promise<Connection | null> {
  const [row] = await database.select<Connection>(
    `SELECT ${CONNECTION_COLUMNS} FROM sessions AS s JOIN identities AS i ON i.id = s.identity_id
     JOIN sso_connections AS c ON c.id = i.connection_id WHERE s.id = $1::uuid`,
    [sessionId],
  );
  return row ?? null;
}

/** The enabled connection of a proven domain. */
export interface DomainConnection {
  readonly id: string;
  readonly isEnforced: boolean;
}

/** Finds the enabled connection of the organization that has proven a domain; null if none exists. */
export async function findConnectionOfDomain(
  database: Database,
  domain: string,
): Promise<DomainConnection | null> {
  const [row] = await database.select<DomainConnection>(
    `SELECT c.id, c.enforced_at IS NOT NULL AS "isEnforced" FROM domains AS d
     JOIN sso_connections AS c ON c.organization_id = d.organization_id
     WHERE d.domain = $1 AND d.proven_at IS NOT NULL AND c.enabled_at IS NOT NULL`,
    [domain],
  );
  return row ?? null;
}
