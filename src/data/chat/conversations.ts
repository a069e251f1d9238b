import type { ChatEngine, ChatModule, ChatRole } from "../../domain/chat/question.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { countRows, newestFirst, type Page, type PageRequest, readPage, whereAll } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { mine } from "../tenant/sources.js";

/** A user's active conversations. */
export interface Living {
  readonly organizationId: string;
  readonly userId: string;
  /** A conversation without a later message has ended. */
  readonly since: Date;
}

export interface ConversationRow {
  readonly id: string;
  readonly module: ChatModule;
  readonly createdAt: Date;
  readonly lastMessageAt: Date;
  /** The first question. */
  readonly title: string;
}

export interface MessageRow {
  readonly position: number;
  readonly role: ChatRole;
  readonly body: string;
  readonly engine: ChatEngine | null;
  /** Null for a question. */
  readonly details: unknown;
  readonly sentAt: Date;
}

const COLUMNS = Prisma.sql`c.id, c.module::text AS module, c.created_at AS "createdAt", c.last_message_at AS "lastMessageAt",
  (SELECT m.said FROM ${mine.chat_messages} AS m WHERE m.conversation_id = c.id AND m.position = 0) AS title`;

/** Filter for the caller's conversations with a message since a time. */
type Since = Pick<Living, "since">;

const listed = ({ since }: Since) => ({
  from: Prisma.sql`${mine.conversations} AS c`,
  where: [Prisma.sql`c.last_message_at > ${since.toISOString()}::timestamptz`],
});

/** Reads a page of those conversations, the latest first. */
export const listConversations = (
  tenant: TenantReader,
  living: Since,
  page: PageRequest,
): Promise<Page<ConversationRow>> =>
  readPage(
    tenant,
    { select: COLUMNS, ...listed(living), order: newestFirst("c.last_message_at", "c.id") },
    page,
  );

/** Counts those conversations. */
export const countConversations = (tenant: TenantReader, living: Since): Promise<number> =>
  countRows(tenant, listed(living));

/** Finds one of those conversations by its id; null if it does not exist. */
export async function findConversation(
  tenant: TenantReader,
  living: Since,
  id: string,
): Promise<ConversationRow | null> {
  const { from, where } = listed(living);
  const [found] = await tenant.query<ConversationRow>(
    Prisma.sql`SELECT ${COLUMNS} FROM ${from} ${whereAll([...where, Prisma.sql`c.id = ${id}::uuid`])}`,
  );
  return found ?? null;
}

/** Lists the messages of one of the caller's conversations, oldest first. */
export const listMessages = (tenant: TenantReader, id: string): Promise<readonly MessageRow[]> =>
  tenant.query<MessageRow>(Prisma.sql`
    SELECT m.position, m.role::text AS role, m.said AS body, m.engine::text AS engine, m.details, m.sent_at AS "sentAt"
    FROM ${mine.chat_messages} AS m WHERE m.conversation_id = ${id}::uuid ORDER BY m.position`);

/** Begins a conversation. */
export async function insertConversation(
  sql: SqlSession,
  { organizationId, userId }: Living,
  { id, module, now }: { readonly id: string; readonly module: ChatModule; readonly now: Date },
): Promise<void> {
  await sql.execute(
    `INSERT INTO conversations (id, organization_id, user_id, module, created_at, last_message_at)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4::chat_module, $5::timestamptz, $5::timestamptz)`,
    [id, organizationId, userId, module, now.toISOString()],
  );
}

/**
 * Sets the time of the last message in a user's conversation, and locks the conversation until the transaction ends.
 * Resolves to the number of its messages; null if the user has no such active conversation.
 */
export async function continueConversation(
  sql: SqlSession,
  { organizationId, userId, since }: Living,
  id: string,
  now: Date,
): Promise<number | null> {
  const values = [organizationId, userId, since.toISOString(), id, now.toISOString()];
  const updated = await sql.execute(
    `UPDATE conversations SET last_message_at = $5::timestamptz
     WHERE organization_id = $1::uuid AND user_id = $2::uuid AND last_message_at > $3::timestamptz AND id = $4::uuid`,
    values,
  );
  if (updated === 0) return null;
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM chat_messages WHERE organization_id = $1::uuid AND conversation_id = $2::uuid`,
    [organizationId, id],
  );
  return row?.count ?? 0;
}

/** Adds a message to a conversation. */
export async function insertMessage(
  sql: SqlSession,
  { organizationId, userId }: Living,
  conversationId: string,
  { position, role, body, engine, details, sentAt }: MessageRow,
): Promise<void> {
  await sql.execute(
    `INSERT INTO chat_messages (organization_id, user_id, conversation_id, position, role, said, engine, details, sent_at)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5::chat_role, $6, $7::chat_engine, $8::jsonb, $9::timestamptz)`,
    [
      organizationId,
      userId,
      conversationId,
      position,
      role,
      body,
      engine,
      details === null ? null : JSON.stringify(details),
      sentAt.toISOString(),
    ],
  );
}

/** Deletes a user's conversation with its messages. Returns true if it existed. */
export async function deleteConversation(
  sql: SqlSession,
  { organizationId, userId }: Pick<Living, "organizationId" | "userId">,
  id: string,
): Promise<boolean> {
  const deleted = await sql.execute(
    "DELETE FROM conversations WHERE organization_id = $1::uuid AND user_id = $2::uuid AND id = $3::uuid",
    [organizationId, userId, id],
  );
  return deleted > 0;
}
