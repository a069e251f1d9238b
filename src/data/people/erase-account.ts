import pg from "pg";
import { listTables } from "../database/schema/tables.js";
import type { SqlSession } from "../database/types.js";
import type { AccountRow } from "./accounts.js";
import { deleteMember } from "./members.js";

/** Name of an erased account. */
const ERASED_NAME = "Erased person";

/** Host of the address of an erased account. No mail server has it (RFC 6761). */
const ERASED_HOST = "@erased.invalid";

/** Lists organizations that would lose their last owner, or an owner who can sign in without the identity provider. */
export const listHeldOrganizations = (
  sql: Pick<SqlSession, "query">,
  userId: string,
): Promise<{ readonly slug: string; readonly isBreakGlass: boolean }[]> =>
  sql.query(
    `SELECT o.slug, s.organization_id IS NOT NULL AS "isBreakGlass"
     FROM memberships AS m JOIN organizations AS o ON o.id = m.organization_id
       LEFT JOIN sso_connections AS s ON s.organization_id = o.id AND s.enforced_at IS NOT NULL AND m.user_id = ANY (s.break_glass)
     WHERE m.user_id = $1::uuid AND (s.organization_id IS NOT NULL OR m.role = 'owner' AND NOT EXISTS (
       SELECT FROM memberships AS other WHERE other.organization_id = o.id AND other.role = 'owner' AND other.user_id <> m.user_id))
     ORDER BY o.slug`,
    [userId],
  );

/** Returns SQL that pads a text and blanks its punctuation, so that only whole words of it are found. */
const asWords = (text: string) => `' ' || translate(lower(${text}), E'.,:;()\\n', '       ') || ' '`;

/** Deletions and changes of rows that no foreign key ties to the account `e`. */
const UNTIED = [
  `DELETE FROM invitations USING e WHERE lower(invitations.email) = lower(e.email)`,
  `DELETE FROM mail_jobs USING e WHERE lower(mail_jobs.email) = lower(e.email)`,
  `DELETE FROM mail_links USING e WHERE lower(mail_links.email) = lower(e.email)`,
  // Stored answers to repeated requests, which are JSON.
  `DELETE FROM idempotency_keys USING e WHERE caller = 'user:' || e.id
     OR position(convert_to(to_json(e.email)::text, 'UTF8') IN body) > 0 OR position(convert_to(to_json(e.name)::text, 'UTF8') IN body) > 0`,
  // Notifications of other members, such as that of a new key, say who did it.
  `DELETE FROM notifications USING e WHERE organization_id IN (SELECT organization_id FROM member_history WHERE user_id = e.id)
     AND (strpos(${asWords("concat_ws(' ', title, body, summary)")}, ${asWords("e.name")}) > 0
       OR strpos(${asWords("concat_ws(' ', title, body, summary)")}, ${asWords("e.email")}) > 0)`,
  `UPDATE verification_requests SET verifier_email = e.id || '${ERASED_HOST}', verifier_link_hash = NULL, verifier_link_expires_at = NULL
   FROM e WHERE lower(verifier_email) = lower(e.email)`,
  `UPDATE compliance_deadlines SET owner = '${ERASED_NAME}' FROM e WHERE lower(owner) IN (lower(e.name), lower(e.email))
     AND organization_id IN (SELECT organization_id FROM member_history WHERE user_id = e.id)`,
];

/** Returns true if a super admin is the only one who can sign in. */
export async function isOnlySuperAdmin(
  { query }: Pick<SqlSession, "query">,
  userId: string,
): Promise<boolean> {
  const admins = await query<{ id: string }>(
    "SELECT id FROM users WHERE is_super_admin AND (disabled_at IS NULL OR id = $1::uuid) LIMIT 2",
    [userId],
  );
  return admins.length === 1 && admins[0]?.id === userId;
}

/** Returns true if somebody without an account was invited to an organization, or to verify a period. */
export async function isInvited({ query }: Pick<SqlSession, "query">, email: string): Promise<boolean> {
  const [found] = await query<{ is: boolean }>(
    `SELECT EXISTS (SELECT FROM invitations WHERE lower(email) = lower($1))
       OR EXISTS (SELECT FROM verification_requests WHERE lower(verifier_email) = lower($1)) AS is`,
    [email],
  );
  return found?.is ?? false;
}

/** Erases what no foreign key ties to a person, who may have no account. */
export async function erasePerson(
  sql: SqlSession,
  { id, email, name }: Pick<AccountRow, "id" | "email" | "name">,
): Promise<void> {
  for (const statement of UNTIED)
    await sql.execute(
      `WITH e (id, email, name) AS (VALUES ($1::uuid, $2::text COLLATE "C", $3::text)) ${statement}`,
      [id, email, name],
    );
}

/**
 * Replaces an account by a pseudonym with the same id, to which the audit trail and the rows of organizations refer.
 * Deletes all rows that refer to the account by a foreign key.
 */
export async function eraseAccount(sql: SqlSession, account: AccountRow, now: Date): Promise<void> {
  const { id } = account;
  await erasePerson(sql, account);
  const memberships = await sql.query<{ id: string }>(
    "SELECT organization_id AS id FROM memberships WHERE user_id = $1::uuid",
    [id],
  );
  for (const organization of memberships) await deleteMember(sql, organization.id, id, now);
  await sql.execute("DELETE FROM users WHERE id = $1::uuid", [id]);
  await sql.execute(
    `INSERT INTO users (id, email, name, disabled_at) VALUES ($1::uuid, $1 || '${ERASED_HOST}', $2, $3::timestamptz)`,
    [id, ERASED_NAME, now.toISOString()],
  );
}

/** Returns SQL for a column of any type as text. */
const textOf = (column: string) =>
  `CASE WHEN pg_typeof(${column}) = 'bytea'::regtype THEN encode(${column}::text::bytea, 'escape') ELSE ${column}::text END`;

/** Counts the rows of each column that contains one of the strings, ignoring case. Reads all rows of all tables. */
export async function countMentions(
  sql: Pick<SqlSession, "query">,
  texts: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  // JSON escapes quotes, for example.
  const wanted = texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const found: Record<string, number> = {};
  for (const { name, columns } of await listTables(sql)) {
    const counts = columns
      .map(pg.escapeIdentifier)
      .map(
        (column) =>
          `count(*) FILTER (WHERE EXISTS (SELECT FROM unnest($1::text[]) AS wanted WHERE strpos(lower(${textOf(`t.${column}`)}), lower(wanted)) > 0))::integer AS ${column}`,
      );
    const [row = {}] = await sql.query<Record<string, number>>(
      `SELECT ${counts.join(", ")} FROM ${pg.escapeIdentifier(name)} AS t`,
      [wanted],
    );
    for (const [column, count] of Object.entries(row)) if (count > 0) found[`${name}.${column}`] = count;
  }
  return found;
}
