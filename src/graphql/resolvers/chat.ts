import { requireAccess } from "../../access/context.js";
import { requirePersonContext } from "../../actions/actor-context.js";
import type { Answer } from "../../actions/chat/answer-by-rules.js";
import * as actions from "../../actions/chat/chat.js";
import { countConversations, listConversations } from "../../data/chat/conversations.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { itself, readConnection } from "../paging/page.js";
import { toolsAs } from "./chat-tools.js";
import type { ChatMessageModel } from "./models.js";

/** Returns the engine and details behind an answer. */
const basisOf = ({ engine, details }: ChatMessageModel) => ({ engine, ...(details as object) }) as Answer;

/** Questions in plain words, and the conversations of the signed-in user. */
export const chat = {
  Query: {
    conversations(_parent, args, context) {
      const caller = requirePersonContext(context);
      const active = actions.activeConversations(caller);
      return readConnection(requireAccess(context), args, {
        name: "conversations",
        parameters: [active.userId],
        read: (page) => listConversations(caller.tenant, active, page),
        count: () => countConversations(caller.tenant, active),
        toNode: itself,
      });
    },
    conversation: (_parent, { id }, context) => actions.readConversation(requirePersonContext(context), id),
  },

  Conversation: { expiresAt: ({ lastMessageAt }) => actions.endOfConversation(lastMessageAt) },
  ChatMessage: { answer: (message) => (message.engine === null ? null : basisOf(message)) },
  ChatPayload: { basis: ({ message }) => basisOf(message) },

  Mutation: {
    chat(_parent, { input }, context, { schema }) {
      const asking = { tools: toolsAs(context, schema), request: context.request };
      return actions.chat(requirePersonContext(context), asking, input);
    },
    deleteConversation: (_parent, { input }, context) =>
      actions.removeConversation(requirePersonContext(context), input.id),
  },
} satisfies Resolvers;
