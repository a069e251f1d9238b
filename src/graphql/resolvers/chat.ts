import { requireAccess } from "../../access/context.js";
import { type PersonActing, requirePersonActing } from "../../actions/acting.js";
import { requireFound } from "../../actions/action-error.js";
import { chat as answer } from "../../actions/chat/chat.js";
import {
  endOfConversation,
  livingConversations,
  removeConversation,
} from "../../actions/chat/conversations.js";
import type { Answer } from "../../actions/chat/rules.js";
import {
  countConversations,
  findConversation,
  listConversations,
  listMessages,
} from "../../data/chat/conversations.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { itself, readConnection } from "../paging/page.js";
import { toolsAs } from "./chat-tools.js";
import type { ChatMessageModel } from "./models.js";

async function readConversation(acting: PersonActing, id: string) {
  const { tenant } = acting;
  const found = await findConversation(tenant, livingConversations(acting), id);
  const conversation = requireFound(found, "conversation", id);
  return { conversation, messages: await listMessages(tenant, id) };
}

/** Returns the engine and details behind an answer; null for a question. */
const answerOf = ({ engine, details }: ChatMessageModel): Answer | null =>
  engine === null ? null : ({ engine, ...(details as object) } as Answer);

/** Questions in plain words, and the conversations of the signed-in user. */
export const chat = {
  Query: {
    conversations(_parent, args, context) {
      const acting = requirePersonActing(context);
      const living = livingConversations(acting);
      return readConnection(requireAccess(context), args, {
        name: "conversations",
        parameters: [living.userId],
        read: (page) => listConversations(acting.tenant, living, page),
        count: () => countConversations(acting.tenant, living),
        toNode: itself,
      });
    },
    conversation: (_parent, { id }, context) => readConversation(requirePersonActing(context), id),
  },

  Conversation: { expiresAt: ({ lastMessageAt }) => endOfConversation(lastMessageAt) },

  ChatMessage: { answer: answerOf },
  ChatPayload: {
    basis({ message }) {
      const answer = answerOf(message);
      if (!answer) throw new Error("a chat was answered with a question");
      return answer;
    },
  },

  Mutation: {
    chat(_parent, { input }, context, { schema }) {
      const asking = { tools: toolsAs(context, schema), request: context.request };
      return answer(requirePersonActing(context), asking, input);
    },
    deleteConversation: (_parent, { input }, context) =>
      removeConversation(requirePersonActing(context), input.id),
  },
} satisfies Resolvers;
