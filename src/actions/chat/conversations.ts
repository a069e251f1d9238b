import { deleteConversation, type Living } from "../../data/chat/conversations.js";
import { write } from "../../data/database/transaction.js";
import { CONVERSATION_DAYS } from "../../domain/chat/question.js";
import type { PersonActing } from "../acting.js";
import { requireFound } from "../action-error.js";

const DAY_MS = 86_400_000;

/** Selects the user's conversations in the active organization that have not ended. */
export const livingConversations = ({
  writer,
  person,
  now,
}: Pick<PersonActing, "writer" | "person" | "now">): Living => ({
  organizationId: writer.organizationId,
  userId: person.user.id,
  since: new Date(now.getTime() - CONVERSATION_DAYS * DAY_MS),
});

/** Returns the time at which a conversation ends if no message is added to it. */
export const endOfConversation = (lastMessageAt: Date): Date =>
  new Date(lastMessageAt.getTime() + CONVERSATION_DAYS * DAY_MS);

/** Deletes a conversation of the user with its messages. Throws NOT_FOUND if the user has none with the id. */
export async function removeConversation(acting: PersonActing, id: string): Promise<{ readonly id: string }> {
  const living = livingConversations(acting);
  await write(acting.resources.database, acting.writer, async (sql) =>
    requireFound((await deleteConversation(sql, living, id)) || null, "conversation", id),
  );
  return { id };
}
