import type { Role } from "../../domain/people/roles.js";
import { write } from "../database/transaction.js";
import type { Database, SqlSession } from "../database/types.js";
import { endSessionsOf } from "./write-sessions.js";

/** A user's account, as operators see it. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isSuperAdmin: boolean;
  readonly organizations: readonly { readonly slug: string; readonly role: Role }[];
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  /** Start of the latest session; null if none is stored. */
  readonly lastSignInAt: Date | null;
}

export type AccountRow = Pick<Account, "id" | "email" | "name" | "disabledAt">;

/** Matches the unique index, which ignores the case of ASCII letters. */
const OF_EMAIL = `lower(email) = lower($1 COLLATE "C")`;
const RETURNED = `id, email, name, disabled_at AS "disabledAt"`;

/** Finds the account with an e-mail address; null if it does not exist. */
export async function findAccount(
  database: Pick<Database, "select">,
  email: string,
): Promise<(AccountRow & { readonly hasPassword: boolean }) | null> {
  const [row] = await database.select<AccountRow & { hasPassword: boolean }>(
    `SELECT ${RETURNED}, password_hash IS NOT NULL AS "hasPassword" FROM users WHERE ${OF_EMAIL}`,
    [email],
  );
  return row ?? null;
}

/** Lists all accounts, by e-mail address. */
export async function listAccounts({ prisma }: Database): Promise<Account[]> {
  const rows = await prisma.user.findMany({
    select: {
      id: true,
      email: true,
      name: true,
      isSuperAdmin: true,
      createdAt: true,
      disabledAt: true,
      memberships: {
        select: { role: true, organization: { select: { slug: true } } },
        orderBy: { organization: { slug: "asc" } },
      },
      sessions: { select: { createdAt: true }, orderBy: { createdAt: "desc" }, take: 1 },
    },
    orderBy: { email: "asc" },
  });
  return rows.map(({ memberships, sessions, ...row }) => ({
    ...row,
    organizations: memberships.map(({ role, organization: { slug } }) => ({ slug, role })),
    lastSignInAt: sessions[0]?.createdAt ?? null,
  }));
}

/** Adds a super admin without a password, and returns the id; null if the e-mail address is taken. */
export async function insertSuperAdmin(sql: SqlSession, email: string, name: string): Promise<string | null> {
  const [row] = await sql.query<{ id: string }>(
    "INSERT INTO users (email, name, is_super_admin) VALUES ($1, $2, true) ON CONFLICT (lower(email)) DO NOTHING RETURNING id",
    [email, name],
  );
  return row?.id ?? null;
}

/**
 * Disables an account and ends its sessions; null if it does not exist. If it is already disabled, keeps the time.
 * Otherwise changes the time of the recovery codes, which voids pending challenges: their seal includes it.
 */
export function disableAccount(database: Database, email: string, now: Date): Promise<AccountRow | null> {
  return write(database, "users disable", async (sql) => {
    const [row] = await sql.query<AccountRow>(
      `UPDATE users SET disabled_at = coalesce(disabled_at, $2::timestamptz), disabled_by = NULL,
         recovery_codes_at = CASE WHEN disabled_at IS NULL THEN $2::timestamptz ELSE recovery_codes_at END
       WHERE ${OF_EMAIL} RETURNING ${RETURNED}`,
      [email, now.toISOString()],
    );
    if (!row) return null;
    await endSessionsOf(sql, row.id, now);
    return row;
  });
}

/** Lets a user sign in again; null if the account does not exist. */
export async function enableAccount(database: Database, email: string): Promise<AccountRow | null> {
  const [row] = await write(database, "users enable", (sql) =>
    sql.query<AccountRow>(
      `UPDATE users SET disabled_at = NULL, disabled_by = NULL WHERE ${OF_EMAIL} RETURNING ${RETURNED}`,
      [email],
    ),
  );
  return row ?? null;
}

/**
 * Makes the account with an e-mail address the owner of an organization, if that has no members. Adds the account,
 * without a password, if it is missing.
 */
export async function insertFirstOwner(
  sql: SqlSession,
  organizationId: string,
  { email, name }: Pick<Account, "email" | "name">,
): Promise<void> {
  const [member] = await sql.query("SELECT 1 FROM memberships WHERE organization_id = $1::uuid LIMIT 1", [
    organizationId,
  ]);
  if (member) return;
  const named = "INSERT INTO users (email, name) VALUES ($1, $2) ON CONFLICT (lower(email)) DO NOTHING";
  await sql.execute(named, [email, name]);
  await sql.execute(
    `INSERT INTO memberships (organization_id, user_id, role) SELECT $2::uuid, id, 'owner' FROM users WHERE ${OF_EMAIL}`,
    [email, organizationId],
  );
}
