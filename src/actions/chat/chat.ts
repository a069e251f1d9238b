import { randomUUID } from "node:crypto";
import {
  continueConversation,
  findConversation,
  insertConversation,
  insertMessage,
  listMessages,
  type MessageRow,
} from "../../data/chat/conversations.js";
import { write } from "../../data/database/transaction.js";
import {
  type ChatModule,
  type ChatNotice,
  LONGEST_MESSAGE,
  MOST_MESSAGES,
  type Question,
} from "../../domain/chat/question.js";
import type { RequestInfo } from "../../http/request-info.js";
import type { PersonActing } from "../acting.js";
import { ActionError, requireFound } from "../action-error.js";
import { readLines } from "../names.js";
import { livingConversations } from "./conversations.js";
import { answerByModel } from "./model/answer-by-model.js";
import { type Answer, type Asked, answerByRules } from "./rules.js";
import type { Tools } from "./tools.js";

/** The tools and the request of the user who asks. */
export interface Asking {
  readonly tools: Tools;
  readonly request: Pick<RequestInfo, "log" | "renewTime">;
}

export interface GivenQuestion {
  readonly module: ChatModule;
  readonly message: string;
  /** The conversation to continue; a new one if omitted. */
  readonly conversationId?: string | null | undefined;
}

/** An answer and its conversation. */
export interface Answered {
  readonly conversationId: string;
  readonly message: MessageRow;
}

/**
 * Answers a user's question from data that the user may read, and stores both. Throws InvalidInput for the message,
 * NOT_FOUND if the conversation is not the user's or has ended, CONFLICT if it is full, and RATE_LIMIT_EXCEEDED.
 */
export async function chat(acting: PersonActing, asking: Asking, given: GivenQuestion): Promise<Answered> {
  const { resources, person, now } = acting;
  const message = readLines("message", "message", given.message, LONGEST_MESSAGE);
  const before = given.conversationId == null ? [] : await readBefore(acting, given.conversationId);
  await resources.countQuestion(person.user.id);
  const asked = { message, module: given.module, previous: previousQuestion(before), now };
  const answer = await answerBy(acting, asking, asked, before);
  asking.request.renewTime();
  return keep(acting, given, message, answer);
}

async function readBefore(acting: PersonActing, id: string): Promise<readonly MessageRow[]> {
  const { tenant } = acting;
  requireFound(await findConversation(tenant, livingConversations(acting), id), "conversation", id);
  const messages = await listMessages(tenant, id);
  if (messages.length >= MOST_MESSAGES) throw full();
  return messages;
}

const full = () =>
  new ActionError(
    "CONFLICT",
    "conversation",
    `The conversation has ${MOST_MESSAGES} messages. Begin another one.`,
  );

/** Returns the question of the latest answer. */
const previousQuestion = (messages: readonly MessageRow[]): Question | null =>
  (messages.at(-1)?.details as Partial<Answer> | null | undefined)?.question ?? null;

/** Answers with the model if one is configured and its figures are grounded; otherwise by rules. */
async function answerBy(
  { resources }: PersonActing,
  { tools, request }: Asking,
  asked: Asked,
  before: readonly MessageRow[],
): Promise<Answer> {
  if (!resources.model) return answerByRules(asked, tools);
  const onModelFailed = (error: unknown) =>
    request.log.warn({ err: error }, "the model did not answer a question");
  const outcome: Answer | ChatNotice = await answerByModel(resources.model, {
    asked,
    before,
    tools,
    onModelFailed,
  });
  if (typeof outcome !== "string") return outcome;
  // Further reads have the whole time limit.
  request.renewTime();
  return { ...(await answerByRules(asked, tools)), notices: [outcome] };
}

async function keep(
  acting: PersonActing,
  given: GivenQuestion,
  question: string,
  answer: Answer,
): Promise<Answered> {
  const { resources, writer, now } = acting;
  const living = livingConversations(acting);
  const { text, engine, ...details } = answer;
  const conversationId = given.conversationId ?? randomUUID();
  const message = await write(resources.database, writer, async (sql) => {
    if (given.conversationId == null) {
      await insertConversation(sql, living, { id: conversationId, module: given.module, now });
    }
    const count = requireFound(
      await continueConversation(sql, living, conversationId, now),
      "conversation",
      conversationId,
    );
    // Other requests may have added messages since the conversation was read.
    if (count + 2 > MOST_MESSAGES) throw full();
    const asked: MessageRow = {
      position: count,
      role: "user",
      body: question,
      engine: null,
      details: null,
      sentAt: now,
    };
    const answered: MessageRow = {
      position: count + 1,
      role: "assistant",
      body: text,
      engine,
      details,
      sentAt: now,
    };
    for (const message of [asked, answered]) await insertMessage(sql, living, conversationId, message);
    return answered;
  });
  return { conversationId, message };
}
