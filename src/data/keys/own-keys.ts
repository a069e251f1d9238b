import { EXPIRING_DAYS, type KeyStatus } from "../../domain/keys/key-limits.js";
import type { Scope } from "../../domain/scopes.js";
import type { Tier } from "../../domain/tiers.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { contains } from "../emissions/records.js";
import { countRows, oldestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { clampedTime, KEY_TIMES, replacedBy } from "./keys.js";

/** A key, as the users of its organization see it. */
export interface OwnKeyRow {
  readonly id: string;
  readonly name: string;
  readonly display: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly status: KeyStatus;
  readonly createdAt: Date;
  /** Null for a key that a command created. */
  readonly createdBy: { readonly id: string; readonly name: string } | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** Id of the key that replaced this one in a rotation. */
  readonly replacedBy: string | null;
  readonly version: number;
}

/** Filter by the status that keys have at `now`. */
export interface KeyFilter {
  /** Null for any status. */
  readonly statuses: readonly KeyStatus[] | null;
  /** Text that the name contains. */
  readonly search?: string | null;
  readonly now: Date;
}

const COLUMNS = Prisma.raw(`k.id, k.name, k.display, k.tier::text AS tier, k.scopes, s.status, ${KEY_TIMES},
  ${clampedTime("k.created_at")} AS "createdAt",
  CASE WHEN k.creator_name IS NOT NULL THEN json_build_object('id', k.created_by, 'name', k.creator_name) END AS "createdBy",
  k.replaced_by AS "replacedBy", k.version`);

/** Selects the organization's keys `k`, each with its status `s`. */
const listed = ({ statuses, search, now }: KeyFilter) => ({
  from: Prisma.sql`${own.api_keys} AS k
    CROSS JOIN LATERAL (SELECT CASE
      WHEN k.revoked_at IS NOT NULL THEN 'revoked'
      WHEN k.expires_at <= ${now.toISOString()}::timestamptz THEN 'expired'
      WHEN k.replaced_by IS NOT NULL OR k.expires_at <= ${now.toISOString()}::timestamptz + ${EXPIRING_DAYS} * interval '1 day'
        THEN 'expiring'
      ELSE 'active' END AS status) AS s`,
  where: [
    ...(statuses === null ? [] : [Prisma.sql`s.status = ANY(${[...statuses]}::text[])`]),
    ...contains("k.name", search),
  ],
});

/** Reads a page of the organization's keys, oldest first. */
export function listOwnKeys(
  tenant: TenantReader,
  filter: KeyFilter,
  page: PageRequest,
): Promise<Page<OwnKeyRow>> {
  const order = oldestFirst("k.created_at", "k.id");
  return readPage(tenant, { select: COLUMNS, ...listed(filter), order }, page);
}

export const countOwnKeys = (tenant: TenantReader, filter: KeyFilter): Promise<number> =>
  countRows(tenant, listed(filter));

export async function findOwnKey(tenant: TenantReader, id: string, now: Date): Promise<OwnKeyRow | null> {
  const { from } = listed({ statuses: null, now });
  const [key] = await tenant.query<OwnKeyRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${from} WHERE k.id = ${id}::uuid`,
  );
  return key ?? null;
}

export interface ActiveKey {
  readonly id: string;
  readonly name: string;
  /** True if another key has replaced it. */
  readonly isReplaced: boolean;
}

/** Lists an organization's keys that are active at a time. */
export function listActiveKeys(sql: SqlSession, organizationId: string, now: Date): Promise<ActiveKey[]> {
  return sql.query<ActiveKey>(
    `SELECT k.id, k.name, ${replacedBy("k.id")} IS NOT NULL AS "isReplaced" FROM api_keys AS k
     WHERE k.organization_id = $1::uuid AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > $2::timestamptz)`,
    [organizationId, now.toISOString()],
  );
}

/** Requests made with a key in one hour. */
export interface KeyUsageRow {
  readonly keyId: string;
  /** Start of the hour. */
  readonly hour: Date;
  readonly requests: number;
  readonly refused: number;
  readonly errors: number;
}

/** Lists the usage of the organization's keys since a time, by hour. Hours without requests have no row. */
export const listKeyUsage = (tenant: TenantReader, since: Date): Promise<readonly KeyUsageRow[]> =>
  tenant.query<KeyUsageRow>(Prisma.sql`
    SELECT g.key_id AS "keyId", g.hour, g.requests, g.refused, g.errors FROM ${own.api_key_usage} AS g
    WHERE g.hour > ${since.toISOString()}::timestamptz ORDER BY g.hour`);
