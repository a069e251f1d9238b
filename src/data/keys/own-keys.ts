import { EXPIRING_DAYS, type KeyStatus } from "../../domain/keys/rules.js";
import type { Scope } from "../../domain/scopes.js";
import type { Tier } from "../../domain/tiers.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { oldestFirst, type RowReader } from "../people/rows.js";
import { countRows, type Page, type PageRequest, readPage, whereAll } from "../tenant/keyset.js";
import { KEY_TIMES, legible, REPLACED_BY } from "./keys.js";

/** A key as the people of its organization see it. */
export interface OwnKeyRow {
  readonly id: string;
  readonly name: string;
  readonly display: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly status: KeyStatus;
  readonly createdAt: Date;
  /** Null for a key that a command made. */
  readonly createdBy: { readonly id: string; readonly name: string } | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** The id of the key that a rotation created in its place. */
  readonly replacedBy: string | null;
  readonly version: number;
}

/** Which keys are asked for: those of an organization, with one of these states (null: any) at a time. */
export interface OwnKeys {
  readonly organizationId: string;
  readonly statuses: readonly KeyStatus[] | null;
  readonly now: Date;
}

const COLUMNS = Prisma.raw(`k.id, k.name, k.display, k.tier::text AS tier, k.scopes, s.status, ${KEY_TIMES},
  ${legible("k.created_at")} AS "createdAt",
  CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'name', u.name) END AS "createdBy",
  r.replaced_by AS "replacedBy", k.version`);

/** The keys of an organization, each with its replacement `r` and its status `s`. */
const keysOf = ({ organizationId, statuses, now }: OwnKeys) => ({
  from: Prisma.sql`api_keys AS k LEFT JOIN users AS u ON u.id = k.created_by
    CROSS JOIN LATERAL (SELECT ${Prisma.raw(REPLACED_BY)} AS replaced_by) AS r
    CROSS JOIN LATERAL (SELECT CASE
      WHEN k.revoked_at IS NOT NULL THEN 'revoked'
      WHEN k.expires_at <= ${now.toISOString()}::timestamptz THEN 'expired'
      WHEN r.replaced_by IS NOT NULL OR k.expires_at <= ${now.toISOString()}::timestamptz + ${EXPIRING_DAYS} * interval '1 day'
        THEN 'expiring'
      ELSE 'active' END AS status) AS s`,
  where: [
    Prisma.sql`k.organization_id = ${organizationId}::uuid`,
    ...(statuses === null ? [] : [Prisma.sql`s.status = ANY(${[...statuses]}::text[])`]),
  ],
});

/** A page of keys, oldest first. */
export function listOwnKeys(rows: RowReader, wanted: OwnKeys, page: PageRequest): Promise<Page<OwnKeyRow>> {
  const order = oldestFirst("k.created_at", "k.id");
  return readPage(rows, { select: COLUMNS, ...keysOf(wanted), order }, page);
}

/** How many keys there are. */
export const countOwnKeys = (rows: RowReader, wanted: OwnKeys): Promise<number> =>
  countRows(rows, keysOf(wanted));

/** An organization's key by its id; null if it has none with that id. */
export async function findOwnKey(
  { query }: RowReader,
  organizationId: string,
  id: string,
  now: Date,
): Promise<OwnKeyRow | null> {
  const { from, where } = keysOf({ organizationId, statuses: null, now });
  const [key] = await query<OwnKeyRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${from} ${whereAll([...where, Prisma.sql`k.id = ${id}::uuid`])}`,
  );
  return key ?? null;
}

/** A key that works. */
export interface LivingKey {
  readonly id: string;
  readonly name: string;
  /** Whether another key has replaced it. */
  readonly isReplaced: boolean;
}

/** An organization's keys that work at a time. */
export function listLivingKeys(sql: SqlSession, organizationId: string, now: Date): Promise<LivingKey[]> {
  const { from, where } = keysOf({ organizationId, statuses: ["active", "expiring"], now });
  const { text, values } = Prisma.sql`
    SELECT k.id, k.name, r.replaced_by IS NOT NULL AS "isReplaced" FROM ${from} ${whereAll(where)}`;
  return sql.query<LivingKey>(text, values);
}

/** The requests with a key in an hour. */
export interface KeyUsageRow {
  readonly keyId: string;
  /** When the hour begins. */
  readonly hour: Date;
  readonly requests: number;
  readonly refused: number;
  readonly errors: number;
}

/** The use of an organization's keys since a time, by hour. Hours without requests have no row. */
export async function listKeyUsage(
  { query }: RowReader,
  organizationId: string,
  since: Date,
): Promise<readonly KeyUsageRow[]> {
  return query<KeyUsageRow>(Prisma.sql`
    SELECT g.key_id AS "keyId", g.hour, g.requests, g.refused, g.errors
    FROM api_keys AS k JOIN api_key_usage AS g ON g.key_id = k.id
    WHERE k.organization_id = ${organizationId}::uuid AND g.hour > ${since.toISOString()}::timestamptz ORDER BY g.hour`);
}
