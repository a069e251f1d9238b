import type { ChatEngine, ChatModule, ChatRole } from "../../domain/chat/question.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { countRows, newestFirst, type Page, type PageRequest, readPage } from "../tenant/keyset.js";
import type { TenantReader } from "../tenant/reader.js";
import { mine } from "../tenant/sources.js";

/** A user's active conversations. */
export interface ActiveConversations {
  readonly organizationId: string;
  readonly userId: string;
  /** Conversations without a message after this time have ended. */
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

/** Query of the caller's active conversations, latest first, or of the one with `id`. */
const listed = ({ since }: Pick<ActiveConversations, "since">, id?: string) => ({
  select: Prisma.sql`c.id, c.module::text AS module, c.created_at AS "createdAt", c.last_message_at AS "lastMessageAt",
    (SELECT m.said FROM ${mine.chat_messages} AS m WHERE m.conversation_id = c.id AND m.position = 0) AS title`,
  from: Prisma.sql`${mine.conversations} AS c`,
  where: [
    Prisma.sql`c.last_message_at > ${since.toISOString()}::timestamptz`,
    ...(id === undefined ? [] : [Prisma.sql`c.id = ${id}::uuid`]),
  ],
  order: newestFirst("c.last_message_at", "c.id"),
});

/** Reads a page of the caller's active conversations, latest first. */
export const listConversations = (
  tenant: TenantReader,
  active: ActiveConversations,
  page: PageRequest,
): Promise<Page<ConversationRow>> => readPage(tenant, listed(active), page);

/** Counts the caller's active conversations. */
export const countConversations = (tenant: TenantReader, active: ActiveConversations): Promise<number> =>
  countRows(tenant, listed(active));

/** Finds one of the caller's conversations by its id; null if it does not exist or has ended. */
export async function findConversation(
  tenant: TenantReader,
  active: ActiveConversations,
  id: string,
): Promise<ConversationRow | null> {
  const first = { size: 1, fromEnd: false, after: null, before: null };
  return (await readPage<ConversationRow>(tenant, listed(active, id), first)).rows[0] ?? null;
}

/** Lists the messages of one of the caller's conversations, oldest first. */
export const listMessages = (tenant: TenantReader, id: string): Promise<readonly MessageRow[]> =>
  tenant.query<MessageRow>(Prisma.sql`
    SELECT m.position, m.role::text AS role, m.said AS body, m.engine::text AS engine, m.details, m.sent_at AS "sentAt"
    FROM ${mine.chat_messages} AS m WHERE m.conversation_id = ${id}::uuid ORDER BY m.position`);

/** Starts a conversation. Resolves to the number of its messages: 0. */
export async function beginConversation(
  sql: SqlSession,
  { organizationId, userId }: ActiveConversations,
  { id, module, now }: { readonly id: string; readonly module: ChatModule; readonly now: Date },
): Promise<number> {
  await sql.execute(
    `INSERT INTO conversations (id, organization_id, user_id, module, created_at, last_message_at)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4::chat_module, $5::timestamptz, $5::timestamptz)`,
    [id, organizationId, userId, module, now.toISOString()],
  );
  return 0;
}

/**
 * Continues a user's conversation and locks it until the transaction ends. Resolves to the number of its messages, or
 * to null if it does not exist or has ended.
 */
export async function continueConversation(
  sql: SqlSession,
  { organizationId, userId, since }: ActiveConversations,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<number | null> {
  const continued = await sql.execute(
    `UPDATE conversations SET last_message_at = $5::timestamptz
     WHERE organization_id = $1::uuid AND user_id = $2::uuid AND last_message_at > $3::timestamptz AND id = $4::uuid`,
    [organizationId, userId, since.toISOString(), id, now.toISOString()],
  );
  if (continued === 0) return null;
  const [row] = await sql.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM chat_messages WHERE organization_id = $1::uuid AND conversation_id = $2::uuid`,
    [organizationId, id],
  );
  return row?.count ?? 0;
}

/** Adds messages to a conversation. */
export async function insertMessages(
  sql: SqlSession,
  { organizationId: organization_id, userId: user_id }: ActiveConversations,
  conversation_id: string,
  messages: readonly MessageRow[],
): Promise<void> {
  const of = { organization_id, user_id, conversation_id };
  const rows = messages.map(({ body, sentAt, ...message }) => {
    return { ...of, ...message, said: body, sent_at: sentAt };
  });
  await sql.execute(
    `INSERT INTO chat_messages SELECT * FROM jsonb_populate_recordset(NULL::chat_messages, $1::text::jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** Deletes a user's conversation with its messages. Returns true if it existed. */
export async function deleteConversation(
  sql: SqlSession,
  { organizationId, userId }: ActiveConversations,
  id: string,
): Promise<boolean> {
  const deleted = await sql.execute(
    "DELETE FROM conversations WHERE organization_id = $1::uuid AND user_id = $2::uuid AND id = $3::uuid",
    [organizationId, userId, id],
  );
  return deleted > 0;
}
