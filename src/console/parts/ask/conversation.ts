import { type ConsoleAskMutation, graphql } from "../../../generated/console.js";

graphql(`
  fragment ConsoleChatMessage on ChatMessage {
    position
    role
    body
    answer {
      engine
      figures { name value unit }
      queries { name variables document }
      sources { title url }
      followUps
      notices
    }
  }
`);

/** Asks a question. */
export const ASK = graphql(`
  mutation ConsoleAsk($module: ChatModule!, $message: String!, $conversationId: UUID) {
    chat(input: { module: $module, message: $message, conversationId: $conversationId }) {
      conversationId
      message { ...ConsoleChatMessage }
    }
  }
`);

/** The user's conversations. */
export const CONVERSATIONS = graphql(`
  query ConsoleConversations($after: String) {
    conversations(first: 20, after: $after) {
      nodes { id title lastMessageAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** A conversation with its messages. */
export const CONVERSATION = graphql(`
  query ConsoleConversation($id: UUID!) {
    conversation(id: $id) {
      conversation { id }
      messages { ...ConsoleChatMessage }
    }
  }
`);

/** Deletes a conversation. */
export const DELETE = graphql(`
  mutation ConsoleDeleteConversation($id: UUID!) {
    deleteConversation(input: { id: $id }) { id }
  }
`);

/** A question, or its answer. */
export type Message = NonNullable<ConsoleAskMutation["chat"]>["message"];
export type Basis = NonNullable<Message["answer"]>;

/** Returns the subject of questions on a page that name none. */
export function moduleOf(path: string) {
  if (path.startsWith("/console/compliance") || path.startsWith("/console/cbam")) return "COMPLIANCE";
  if (path.startsWith("/console/credits")) return "CREDITS";
  return path.startsWith("/console/market") ? "MARKET" : "EMISSIONS";
}

export type ChatModule = ReturnType<typeof moduleOf>;
