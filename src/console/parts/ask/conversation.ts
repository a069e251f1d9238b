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

export const ASK = graphql(`
  mutation ConsoleAsk($module: ChatModule!, $message: String!, $conversationId: UUID) {
    chat(input: { module: $module, message: $message, conversationId: $conversationId }) {
      conversationId
      message { ...ConsoleChatMessage }
    }
  }
`);

export const CONVERSATIONS = graphql(`
  query ConsoleConversations($after: String) {
    conversations(first: 20, after: $after) {
      nodes { id title lastMessageAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const CONVERSATION = graphql(`
  query ConsoleConversation($id: UUID!) {
    conversation(id: $id) {
      conversation { id }
      messages { ...ConsoleChatMessage }
    }
  }
`);

export const DELETE = graphql(`
  mutation ConsoleDeleteConversation($id: UUID!) {
    deleteConversation(input: { id: $id }) { id }
  }
`);

/** A question, or its answer. */
export type Message = NonNullable<ConsoleAskMutation["chat"]>["message"];
