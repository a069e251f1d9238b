import { z } from "zod";
import { CHAT_ENGINES, CHAT_MODULES, CHAT_NOTICES, CHAT_ROLES } from "../../../domain/chat/question.js";
import { type ChatMessageFieldsFragment, graphql } from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";

graphql(`
  fragment ChatMessageFields on ChatMessage {
    role
    body
    sentAt
    answer {
      engine
      figures { name value unit }
      queries { name variables }
      sources { title url }
      followUps
      notices
    }
  }
`);

const figureShape = z
  .object({ name: z.string(), value: z.number(), unit: z.string() })
  .meta({ id: "ChatFigure" });
const queryShape = z
  .object({ name: z.string(), variables: z.record(z.string(), z.unknown()) })
  .meta({ id: "ChatQuery" });
const sourceShape = z.object({ title: z.string(), url: z.string() }).meta({ id: "ChatSource" });

/** What an answer stands on. */
const answerShape = {
  figures: z.array(figureShape).meta({
    description: "The numbers that the answer says; empty if it says none.",
  }),
  queries: z.array(queryShape).meta({
    description: "The queries of the graph that gave them. `ChatQuery.document` of the graph is their text.",
  }),
  sources: z.array(sourceShape).meta({ description: "The publications that it quotes." }),
  engine: z.enum(CHAT_ENGINES).meta({ description: "What the answer was made by." }),
  follow_ups: z.array(z.string()).meta({ description: "Questions that can be asked next." }),
  notices: z.array(z.enum(CHAT_NOTICES)).meta({ description: "What is to be known about the answer." }),
};

const basisShape = z.object(answerShape).meta({ id: "ChatBasis" });

/** An answer. */
export const chatShape = z
  .object({
    conversation_id: z.uuid(),
    answer: z.string().meta({ description: "Plain text, whose lines are separated by line breaks." }),
    ...answerShape,
  })
  .meta({ id: "ChatAnswer" });

/** A message of a conversation. */
export const messageShape = z
  .object({
    role: z.enum(CHAT_ROLES),
    body: z.string(),
    at: z.iso.datetime(),
    answer: basisShape.nullable().meta({ description: "What an answer stands on; null for a question." }),
  })
  .meta({ id: "ChatMessage" });

const conversation = {
  id: z.uuid(),
  module: z.enum(CHAT_MODULES),
  title: z.string().meta({ description: "The first question." }),
  created_at: z.iso.datetime(),
  last_message_at: z.iso.datetime(),
  expires_at: z.iso.datetime().meta({ description: "30 days after the last message." }),
};
/** A conversation in a list. */
export const conversationShape = z.object(conversation).meta({ id: "Conversation" });
/** A conversation with its messages. */
export const wholeConversationShape = z
  .object({ ...conversation, messages: z.array(messageShape) })
  .meta({ id: "ConversationWithMessages" });

type GivenAnswer = NonNullable<ChatMessageFieldsFragment["answer"]>;

const describeBasis = ({ engine, followUps, figures, queries, sources, notices }: GivenAnswer) => ({
  figures: [...figures],
  queries: queries.map(({ name, variables }) => ({ name, variables })),
  sources: [...sources],
  engine: lowerCase(engine),
  follow_ups: [...followUps],
  notices: [...notices],
});

/** An answer, as it is sent. */
export function describeReply(
  conversationId: string,
  { body, answer }: ChatMessageFieldsFragment,
): z.infer<typeof chatShape> {
  if (!answer) throw new Error("a chat was answered with a question");
  return { conversation_id: conversationId, answer: body, ...describeBasis(answer) };
}

/** A message, as it is sent. */
export const describeMessage = ({
  role,
  body,
  sentAt,
  answer,
}: ChatMessageFieldsFragment): z.infer<typeof messageShape> => ({
  role: lowerCase(role),
  body,
  at: sentAt.toISOString(),
  answer: answer ? describeBasis(answer) : null,
});

/** A conversation without its messages, as it is sent. */
export const describeConversation = (given: {
  readonly id: string;
  readonly module: Uppercase<(typeof CHAT_MODULES)[number]>;
  readonly title: string;
  readonly createdAt: Date;
  readonly lastMessageAt: Date;
  readonly expiresAt: Date;
}): z.infer<typeof conversationShape> => ({
  id: given.id,
  module: lowerCase(given.module),
  title: given.title,
  created_at: given.createdAt.toISOString(),
  last_message_at: given.lastMessageAt.toISOString(),
  expires_at: given.expiresAt.toISOString(),
});

const BASIS = {
  figures: [{ name: "Total", value: 1208.25, unit: "tCO2e" }],
  queries: [
    { name: "ChatEmissions", variables: { range: { from: "2025-11-21", to: "2026-11-20" }, filter: {} } },
  ],
  sources: [],
  engine: "rules" as const,
  follow_ups: ["And scope 2?", "And by facility?", "And last year?"],
  notices: [],
};
const ID = "0c0b6d0e-0f5a-4a37-9a55-7f3d5c1b2a49";
const QUESTION = "What were our total emissions in the last 12 months?";
const ANSWER = "Emissions from 2025-11-21 to 2026-11-20: 1,208.25 tCO2e, in 31 records.";

export const CHAT_EXAMPLE: z.infer<typeof chatShape> = { conversation_id: ID, answer: ANSWER, ...BASIS };
export const CONVERSATION_EXAMPLE: z.infer<typeof conversationShape> = {
  id: ID,
  module: "emissions",
  title: QUESTION,
  created_at: "2026-11-20T10:00:00.000Z",
  last_message_at: "2026-11-20T10:00:00.000Z",
  expires_at: "2026-12-20T10:00:00.000Z",
};
export const WHOLE_EXAMPLE: z.infer<typeof wholeConversationShape> = {
  ...CONVERSATION_EXAMPLE,
  messages: [
    { role: "user", body: QUESTION, at: "2026-11-20T10:00:00.000Z", answer: null },
    { role: "assistant", body: ANSWER, at: "2026-11-20T10:00:00.000Z", answer: BASIS },
  ],
};
