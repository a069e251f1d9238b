import { z } from "zod";
import { upperCase, uuidShape } from "../../../catalogue/values.js";
import { CHAT_MODULES, LONGEST_MESSAGE } from "../../../domain/chat/question.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { moduleParams, requireModule } from "../modules.js";
import { CHAT_EXAMPLE, chatShape, describeReply } from "./shapes.js";

const idShape = uuidShape;

/** Questions in plain words. */
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
];
