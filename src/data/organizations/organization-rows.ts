import pg from "pg";
import { countOf } from "../../domain/texts/count-of.js";
import { OperatorError } from "../../errors.js";
import { asTexts, toCopyLine } from "../database/schema/copy-database.js";
import { listTables, suspendTriggers, type Table } from "../database/schema/tables.js";
import type { Snapshot, SqlSession } from "../database/types.js";
import { insertUser } from "../people/write-users.js";

const quote = pg.escapeIdentifier;

/**
 * Tables with rows of organizations that do not move. They hold credentials and links, which work with one gateway
 * only; what depends on these; messages, queues and conversations of single people; and the order of changes, which
 * counts transactions of one server.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(
  `api_keys audit_pending change_sets chat_messages conversations directory_groups directory_members
   directory_users domains idempotency_keys invitations key_events mail_jobs notifications outbox
   removed_rows service_account_tokens sessions sso_connections sso_events webhook_deliveries
   webhook_endpoints webhook_progress`.split(/\s+/),
);

/** Columns of accounts that move. */
const ACCOUNT_COLUMNS: ReadonlySet<string> = new Set(["id", "email", "name", "created_at", "disabled_at"]);

/** Matches columns that give an account of this gateway access to a verification request. */
const VERIFIER = /^verifier_(?!email$)/;

/** Column with the id of the organization, for tables in which it has another name. */
const OWNERS: Readonly<Record<string, string>> = { organizations: "id", audit_heads: "chain" };

/** Conditions on rows `t` of tables without such a column. $1 is the organization. */
const CONDITIONS: Readonly<Record<string, string>> = {
  users: "t.id IN (SELECT m.user_id FROM memberships AS m WHERE m.organization_id = $1::uuid)",
  signing_keys: "t.kid IN (SELECT c.kid FROM certificates AS c WHERE c.organization_id = $1::uuid)",
};

/** A table whose rows move with their organization, each after those that its foreign keys refer to. */
export interface MovingTable {
  readonly name: string;
  /** Columns that move. */
  readonly columns: readonly string[];
  /** The one of these with the organization's id; undefined for tables shared by organizations. */
  readonly owner: string | undefined;
  /** Condition on the organization's rows `t`; $1 is the organization. */
  readonly condition: string;
}

/** Lists the tables whose rows move. */
export async function listMovingTables(sql: Pick<SqlSession, "query">): Promise<MovingTable[]> {
  const tables = await listTables(sql);
  const ownerOf = ({ name, columns }: Table) =>
    OWNERS[name] ?? columns.find((column) => column === "organization_id");
  const users = tables.filter((table) => ownerOf(table) && table.columns.includes("factor_id"));
  const used = users.map(
    ({ name }) => `SELECT factor_id FROM ${quote(name)} WHERE organization_id = $1::uuid`,
  );
  return tables.flatMap((table) => {
    const { name, columns, numbered } = table;
    const owner = ownerOf(table);
    const own = owner === undefined ? CONDITIONS[name] : `t.${owner} = $1::uuid`;
    if (own === undefined || LEFT_OUT.has(name)) return [];
    // Shared factors do not move, but their rows tell what the organization's rows need.
    const isNeeded = `t.organization_id IS NULL AND t.id IN (${used.join(" UNION ALL ")})`;
    const moving = columns.filter(
      (column) =>
        !numbered.includes(column) &&
        !(name === "verification_requests" && VERIFIER.test(column)) &&
        (name !== "users" || ACCOUNT_COLUMNS.has(column)),
    );
    const condition = name === "emission_factors" ? `(${own} OR ${isNeeded})` : own;
    return [{ name, columns: moving, owner, condition }];
  });
}

/** Reads an organization's rows of a table, as text. */
export const readRows = (snapshot: Snapshot, { name, columns, condition }: MovingTable, id: string) =>
  snapshot.stream(`SELECT ${asTexts(columns)} FROM ${quote(name)} AS t WHERE ${condition}`, [id]);

/** Returns true if a row of the table may be in the file of this organization. */
export function belongsTo(
  id: string,
  { name, columns, owner }: MovingTable,
  row: readonly (string | null)[],
) {
  if (owner === undefined) return true;
  const found = row[columns.indexOf(owner)];
  return found === id || (found === null && name === "emission_factors");
}

/** Name of the temporary table with the received rows of a table. */
const received = (name: string) => quote(`received_${name}`);

const listColumns = ({ columns }: MovingTable) => columns.map(quote).join(", ");

/** Creates the temporary table that receives rows of a table, without a lock on that table. */
export const openReceiver = (sql: SqlSession, table: MovingTable): Promise<void> =>
  sql.script(
    `CREATE TEMPORARY TABLE ${received(table.name)} ON COMMIT DROP AS SELECT ${listColumns(table)} FROM ${quote(table.name)} WITH NO DATA`,
  );

/** Adds rows to the temporary table. If one is refused, the error's `where` has its number. */
export async function receiveRows(
  sql: SqlSession,
  table: MovingTable,
  rows: readonly (readonly (string | null)[])[],
): Promise<void> {
  async function* lines() {
    yield rows.map(toCopyLine).join("");
  }
  await sql.copy(`${received(table.name)} (${listColumns(table)})`, lines());
}

/** A member of an imported organization. */
export interface ImportedMember {
  readonly email: string;
  readonly role: string;
}

export interface ImportedPeople {
  /** Members with a new account, which has no password yet. */
  readonly joined: readonly ImportedMember[];
  /** Members to invite, because they have an account, or because nobody could become an owner. */
  readonly uninvited: readonly ImportedMember[];
}

/** Time to wait for a write that is under way. Later writes of the same tables wait behind it. */
const LOCK_SECONDS = 3;

/** Tables whose triggers record an import. */
const RECORDED: ReadonlySet<string> = new Set(["organizations", "users", "memberships"]);

/** Conditions for storing received rows, for tables whose rows may exist. */
const STORED: Readonly<Record<string, string>> = {
  emission_factors: "WHERE organization_id IS NOT NULL",
  signing_keys: "ON CONFLICT DO NOTHING",
};

/**
 * Stores the received rows of a new organization as they are, and returns the members whom somebody has to invite. The
 * triggers of most tables are suspended, so writers of these tables wait until the transaction ends. Throws
 * OperatorError if a shared emission factor is missing.
 */
export async function storeReceived(
  sql: SqlSession,
  tables: readonly MovingTable[],
  now: Date,
): Promise<ImportedPeople> {
  await requireFactors(sql);
  // A key that signed elsewhere never signs here.
  await sql.execute(`UPDATE ${received("signing_keys")} SET used_until = coalesce(used_until, now())`);
  const store = (table: MovingTable) =>
    sql.execute(
      `INSERT INTO ${quote(table.name)} (${listColumns(table)}) SELECT ${listColumns(table)} FROM ${received(table.name)} ${STORED[table.name] ?? ""}`,
    );
  for (const table of tables) if (table.name === "organizations") await store(table);
  await sql.script(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`);
  const kept = tables.filter(({ name }) => !RECORDED.has(name));
  // The trail comes last, so that people can sign in until then.
  const trail = kept.filter(({ name }) => name.startsWith("audit_"));
  for (const group of [kept.filter((table) => !trail.includes(table)), trail]) {
    const restoreTriggers = await suspendTriggers(sql, group);
    for (const table of group) await store(table);
    await restoreTriggers();
  }
  await sql.execute(
    `INSERT INTO certificate_numbers AS n (year, last)
     SELECT split_part(number, '-', 2)::integer, max(split_part(number, '-', 3)::integer) FROM ${received("certificates")} GROUP BY 1
     ON CONFLICT (year) DO UPDATE SET last = greatest(n.last, excluded.last)`,
  );
  return storePeople(sql, now);
}

async function requireFactors(sql: SqlSession): Promise<void> {
  const missing = await sql.query<{ name: string; count: number }>(
    `SELECT activity || ' (' || source || ')' AS name, count(*) OVER ()::integer AS count FROM ${received("emission_factors")} AS t
     WHERE organization_id IS NULL AND NOT EXISTS (SELECT FROM emission_factors AS f WHERE f.id = t.id AND f.organization_id IS NULL)
     ORDER BY 1 LIMIT 3`,
  );
  const [first] = missing;
  if (first === undefined) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw new OperatorError(
    `This gateway lacks ${countOf(first.count, "emission factor")} that the organization uses, such as ${names}. Run load-factors, and load the bundles with factors that the other gateway has. Nothing was imported.`,
  );
}

/**
 * Adds accounts without a password for people whom this gateway does not know, with their memberships. An account that
 * exists becomes a member only by an invitation. So does everybody if none of the new accounts is an owner's.
 */
async function storePeople(sql: SqlSession, now: Date): Promise<ImportedPeople> {
  // The id of a former account, which another organization's trail names, must not become somebody else's.
  const people = await sql.query<{ id: string; email: string; name: string; role: string; isUsed: boolean }>(
    `SELECT u.id, u.email, u.name, m.role::text AS role, EXISTS (SELECT FROM member_history AS h
       WHERE h.user_id = u.id AND h.organization_id <> m.organization_id) AS "isUsed"
     FROM ${received("memberships")} AS m JOIN ${received("users")} AS u ON u.id = m.user_id ORDER BY u.email`,
  );
  const added: typeof people = [];
  for (const person of people)
    if (!person.isUsed && (await insertUser(sql, { ...person, passwordHash: null }, now))) added.push(person);
  const ids = added.map(({ id }) => id);
  await sql.execute(
    `UPDATE users AS u SET created_at = r.created_at, disabled_at = r.disabled_at FROM ${received("users")} AS r
     WHERE u.id = r.id AND u.id = ANY ($1::uuid[])`,
    [ids],
  );
  const members = added.some(({ role }) => role === "owner") ? new Set(ids) : new Set<string>();
  await sql.execute(
    `INSERT INTO memberships (organization_id, user_id, role, created_at)
     SELECT organization_id, user_id, role, created_at FROM ${received("memberships")} WHERE user_id = ANY ($1::uuid[])`,
    [[...members]],
  );
  const list = (isMember: boolean) =>
    people
      .filter(({ id }) => members.has(id) === isMember)
      .map(({ email, role }): ImportedMember => ({ email, role }));
  return { joined: list(true), uninvited: list(false) };
}
