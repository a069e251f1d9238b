import type { SessionKind } from "../../domain/people/session-kinds.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { countRows, oldestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { mine } from "../tenant/sources.js";

/** A session, as its user sees it. */
export interface OwnSessionRow {
  readonly id: string;
  readonly kind: SessionKind;
  readonly createdAt: Date;
  readonly authenticatedAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Selects a user's active sessions. */
export interface ActiveSessionFilter {
  readonly userId: string;
  readonly now: Date;
  /** Browser sessions last used before this time have expired. */
  readonly idleSince: Date;
}

const COLUMNS = Prisma.sql`s.id, s.kind::text AS kind, s.created_at AS "createdAt", s.authenticated_at AS "authenticatedAt",
  s.last_used_at AS "lastUsedAt", s.expires_at AS "expiresAt", s.address, s.user_agent AS "userAgent"`;

const isActive = ({ now, idleSince }: ActiveSessionFilter) => Prisma.sql`s.revoked_at IS NULL
  AND s.expires_at > ${now.toISOString()}::timestamptz
  AND (s.kind = 'token' OR s.last_used_at > ${idleSince.toISOString()}::timestamptz)`;

const listed = (active: ActiveSessionFilter) => ({
  from: Prisma.sql`${mine.sessions} AS s`,
  where: [isActive(active)],
});

/** Reads a page of the caller's active sessions, oldest first. */
export function listOwnSessions(
  tenant: TenantReader,
  active: ActiveSessionFilter,
  page: PageRequest,
): Promise<Page<OwnSessionRow>> {
  const order = oldestFirst("s.created_at", "s.id");
  return readPage(tenant, { select: COLUMNS, ...listed(active), order }, page);
}

export const countOwnSessions = (tenant: TenantReader, active: ActiveSessionFilter): Promise<number> =>
  countRows(tenant, listed(active));

/** Finds a session of the caller, even if it has ended; null if it does not exist. */
export async function findOwnSession(tenant: TenantReader, id: string): Promise<OwnSessionRow | null> {
  const [session] = await tenant.query<OwnSessionRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${mine.sessions} AS s WHERE s.id = ${id}::uuid`,
  );
  return session ?? null;
}

/** Ends a user's sessions, except the `kept` most recently used. */
export async function endExcessSessions(
  sql: SqlSession,
  active: ActiveSessionFilter,
  kept: number,
): Promise<void> {
  const { text, values } =
    Prisma.sql`UPDATE sessions SET revoked_at = ${active.now.toISOString()}::timestamptz
    WHERE id IN (SELECT s.id FROM sessions AS s WHERE s.user_id = ${active.userId}::uuid AND ${isActive(active)}
      ORDER BY s.last_used_at DESC, s.created_at DESC, s.id OFFSET ${kept}::int)`;
  await sql.execute(text, values);
}

/** Ends a session of the user; null if it is not active. */
export async function endOwnSession(
  sql: SqlSession,
  active: ActiveSessionFilter,
  id: string,
): Promise<OwnSessionRow | null> {
  const { text, values } =
    Prisma.sql`UPDATE sessions AS s SET revoked_at = ${active.now.toISOString()}::timestamptz
    WHERE s.id = ${id}::uuid AND s.user_id = ${active.userId}::uuid AND ${isActive(active)} RETURNING ${COLUMNS}`;
  const [session] = await sql.query<OwnSessionRow>(text, values);
  return session ?? null;
}
