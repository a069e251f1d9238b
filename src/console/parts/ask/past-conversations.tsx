import { useState } from "preact/hooks";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { Button } from "../button.js";
import { Moment } from "../moment.js";
import { Empty, LoadedField, useAttempt } from "../states.js";
import { CONVERSATIONS, DELETE } from "./conversation.js";

interface PastConversationsProps {
  readonly onOpen: (id: string) => void;
  readonly onDeleted: (id: string) => void;
}

/** The user's past conversations. */
export function PastConversations({ onOpen, onDeleted }: PastConversationsProps) {
  const [after, setAfter] = useState<string | null>(null);
  const { attempt, complaint } = useAttempt();
  const answer = useQuery(CONVERSATIONS, { after });
  const remove = (id: string) =>
    attempt(async () => {
      await run(DELETE, { id });
      onDeleted(id);
      answer.reload();
    });
  return (
    <LoadedField answer={answer} skeleton="short" field="conversations">
      {({ nodes, pageInfo: { hasNextPage, endCursor } }) => (
        <>
          {complaint}
          {nodes.length === 0 && <Empty>No conversations yet. Each is deleted after 30 days.</Empty>}
          <ul class="conversations">
            {nodes.map(({ id, title, lastMessageAt }) => (
              <li key={id}>
                <Button label={title} look="link" onClick={() => onOpen(id)} />
                <Moment at={lastMessageAt} />
                <Button
                  label="Delete"
                  aria-label={`Delete ${title}`}
                  look="quiet"
                  onClick={() => remove(id)}
                />
              </li>
            ))}
          </ul>
          {hasNextPage && <Button label="Earlier conversations" onClick={() => setAfter(endCursor)} />}
        </>
      )}
    </LoadedField>
  );
}
