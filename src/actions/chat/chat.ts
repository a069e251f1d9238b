import { randomUUID } from "node:crypto";
import {
  type ActiveConversations,
  beginConversation,
  continueConversation,
  deleteConversation,
  findConversation,
  insertMessages,
  listMessages,
  type MessageRow,
} from "../../data/chat/conversations.js";
import { write } from "../../data/database/transaction.js";
import {
  type ChatModule,
  type ChatNotice,
  CONVERSATION_DAYS,
  MAX_MESSAGE_LENGTH,
  MAX_MESSAGES,
} from "../../domain/chat/question.js";
import type { RequestInfo } from "../../http/request-info.js";
import { ActionError, requireFound } from "../action-error.js";
import type { PersonContext } from "../actor-context.js";
import { readLines } from "../read-text.js";
import { type Answer, type AskedQuestion, answerByRules } from "./answer-by-rules.js";
import { answerByModel } from "./model/answer-by-model.js";
import type { Tools } from "./tools.js";

/** The user's tools and request. */
export interface ChatContext {
  readonly tools: Tools;
  readonly request: Pick<RequestInfo, "log" | "renewTime">;
}

export interface ChatRequest {
  readonly module: ChatModule;
  readonly message: string;
  /** Conversation to continue; a new one if omitted. */
  readonly conversationId?: string | null | undefined;
}

export interface ChatResponse {
  readonly conversationId: string;
  readonly message: MessageRow;
}

const CONVERSATION_MS = CONVERSATION_DAYS * 86_400_000;

/** Selects the user's active conversations in the organization. */
export const activeConversations = ({ writer, person, now }: PersonContext): ActiveConversations => ({
  organizationId: writer.organizationId,
  userId: person.user.id,
  since: new Date(now.getTime() - CONVERSATION_MS),
});

/** Returns the time at which a conversation ends unless a message is added. */
export const endOfConversation = (lastMessageAt: Date): Date =>
  new Date(lastMessageAt.getTime() + CONVERSATION_MS);

/** Reads one of the user's active conversations and its messages. Throws NOT_FOUND. */
export async function readConversation(caller: PersonContext, id: string) {
  const { tenant } = caller;
  const found = await findConversation(tenant, activeConversations(caller), id);
  const conversation = requireFound(found, "conversation", id);
  return { conversation, messages: await listMessages(tenant, id) };
}

/** Deletes one of the user's active conversations and its messages. Throws NOT_FOUND. */
export async function removeConversation(
  caller: PersonContext,
  id: string,
): Promise<{ readonly id: string }> {
  const active = activeConversations(caller);
  await write(caller.resources.database, caller.writer, async (sql) =>
    requireFound((await deleteConversation(sql, active, id)) || null, "conversation", id),
  );
  return { id };
}

/**
 * Answers a question from data that the user may read, and stores the question and the answer. Throws InvalidInput
 * for the message, NOT_FOUND if the conversation is not the user's or has ended, CONFLICT if it is full, and
 * RATE_LIMIT_EXCEEDED.
 */
export async function chat(
  caller: PersonContext,
  context: ChatContext,
  given: ChatRequest,
): Promise<ChatResponse> {
  const { resources, person, writer, now } = caller;
  const { module, conversationId } = given;
  const message = readLines("message", "message", given.message, MAX_MESSAGE_LENGTH);
  const before = conversationId == null ? [] : (await readConversation(caller, conversationId)).messages;
  requireRoom(before.length);
  await resources.countQuestion(person.user.id);
  const last = before.at(-1)?.details as Partial<Answer> | null | undefined;
  const asked = { message, module, previous: last?.question ?? null, now, place: caller.tenant.place };
  const { text, engine, ...details } = await answerBy(caller, context, asked, before);
  context.request.renewTime();
  const active = activeConversations(caller);
  const id = conversationId ?? randomUUID();
  return write(resources.database, writer, async (sql) => {
    // Does not recreate a conversation that was deleted in the meantime.
    const hold = conversationId == null ? beginConversation : continueConversation;
    const held = await hold(sql, active, { id, module, now });
    const position = requireFound(held, "conversation", id);
    // Other requests may have added messages since the conversation was read.
    requireRoom(position);
    const question = { role: "user", body: message, engine: null, details: null } as const;
    const answer = { role: "assistant", body: text, engine, details } as const;
    const answered = { ...answer, position: position + 1, sentAt: now };
    await insertMessages(sql, active, id, [{ ...question, position, sentAt: now }, answered]);
    return { conversationId: id, message: answered };
  });
}

/** Throws CONFLICT if a conversation has no room for a question and its answer. */
function requireRoom(count: number): void {
  if (count + 2 <= MAX_MESSAGES) return;
  const reason = `The conversation already has ${MAX_MESSAGES} messages, the maximum. Start a new one.`;
  throw new ActionError("CONFLICT", "conversation", reason);
}

/** Answers with the model if one is configured and its answer is grounded; otherwise by rules. */
async function answerBy(
  { resources }: PersonContext,
  { tools, request }: ChatContext,
  asked: AskedQuestion,
  before: readonly MessageRow[],
): Promise<Answer> {
  if (!resources.model) return answerByRules(asked, tools);
  const onModelFailed = (err: unknown) => request.log.warn({ err }, "the model did not answer a question");
  const given = { asked, before, tools, onModelFailed };
  const outcome: Answer | ChatNotice = await answerByModel(resources.model, given);
  if (typeof outcome !== "string") return outcome;
  // The rules get the full time limit again.
  request.renewTime();
  return { ...(await answerByRules(asked, tools)), notices: [outcome] };
}
