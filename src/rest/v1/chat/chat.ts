import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { upperCase, uuidShape } from "../../../catalogue/values.js";
import { CHAT_MODULES, LONGEST_MESSAGE } from "../../../domain/chat/question.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { moduleParams, requireModule } from "../modules.js";
import {
  CHAT_EXAMPLE,
  CONVERSATION_EXAMPLE,
  chatShape,
  conversationShape,
  describeConversation,
  describeMessage,
  describeReply,
  WHOLE_EXAMPLE,
  wholeConversationShape,
} from "./shapes.js";

const idShape = uuidShape;
const params = z.object({ id: idShape });

/** Questions in plain words, and the conversations of the person who asks. */
export const chat = [
  endpoint({
    method: "POST",
    path: "/{module}/chat",
    summary: "Answers a question in plain words",
    scope: null,
    operation: graphql(`
      mutation RestChat($module: ChatModule!, $message: String!, $conversationId: UUID) {
        chat(module: $module, message: $message, conversationId: $conversationId) {
          conversationId
          message { ...ChatMessageFields }
        }
      }
    `),
    params: moduleParams,
    body: z.strictObject({
      message: z.string().meta({ description: `The question, 1 to ${LONGEST_MESSAGE} characters.` }),
      conversation_id: idShape
        .nullish()
        .meta({ description: "The conversation that it goes on with; a new one if it is left out." }),
    }),
    variables: ({ params: { module }, body: { message, conversation_id } }) => ({
      module: upperCase(requireModule(module, "chat", CHAT_MODULES) as (typeof CHAT_MODULES)[number]),
      message,
      conversationId: conversation_id ?? null,
    }),
    data: chatShape,
    example: CHAT_EXAMPLE,
    reshape: ({ chat: { conversationId, message } }) => describeReply(conversationId, message),
    failures: ["NOT_SUPPORTED_FOR_MODULE", "RATE_LIMIT_EXCEEDED"],
  }),
  endpoint({
    path: "/conversations",
    summary: "Your conversations, the latest first",
    scope: null,
    operation: graphql(`
      query RestConversations($first: Int, $after: String) {
        conversations(first: $first, after: $after) {
          nodes { id module title createdAt lastMessageAt expiresAt }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("Conversations", conversationShape),
    example: { items: [CONVERSATION_EXAMPLE], next_cursor: null },
    reshape: ({ conversations: { nodes, pageInfo } }) => ({
      items: nodes.map(describeConversation),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    path: "/conversations/{id}",
    summary: "A conversation of yours with its messages",
    scope: null,
    operation: graphql(`
      query RestConversation($id: UUID!) {
        conversation(id: $id) {
          conversation { id module title createdAt lastMessageAt expiresAt }
          messages { ...ChatMessageFields }
        }
      }
    `),
    params,
    variables: ({ params }) => params,
    data: wholeConversationShape,
    example: WHOLE_EXAMPLE,
    reshape: ({ conversation }) => ({
      ...describeConversation(conversation.conversation),
      messages: conversation.messages.map(describeMessage),
    }),
  }),
  endpoint({
    method: "DELETE",
    path: "/conversations/{id}",
    summary: "Deletes a conversation of yours",
    scope: null,
    operation: graphql(`
      mutation RestDeleteConversation($id: UUID!) {
        deleteConversation(id: $id) { id }
      }
    `),
    params,
    variables: ({ params }) => params,
    data: z.object({ id: z.uuid() }).meta({ id: "DeletedConversation" }),
    example: { id: CONVERSATION_EXAMPLE.id },
    reshape: ({ deleteConversation: { id } }) => ({ id }),
  }),
];
