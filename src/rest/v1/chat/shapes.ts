import { z } from "zod";
import { CHAT_ENGINES, CHAT_NOTICES } from "../../../domain/chat/question.js";
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
  .meta({ id: "ChatFigureGiven" });
const queryShape = z
  .object({ name: z.string(), variables: z.record(z.string(), z.unknown()) })
  .meta({ id: "ChatQueryGiven" });
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

/** An answer. */
export const chatShape = z
  .object({
    conversation_id: z.uuid(),
    answer: z.string().meta({ description: "Plain text, whose lines are separated by line breaks." }),
    ...answerShape,
  })
  .meta({ id: "ChatAnswer" });

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
const ANSWER = "Emissions from 2025-11-21 to 2026-11-20: 1,208.25 tCO2e, in 31 records.";

export const CHAT_EXAMPLE: z.infer<typeof chatShape> = { conversation_id: ID, answer: ANSWER, ...BASIS };
