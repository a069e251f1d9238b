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
  /** Cursors of the pages up to the current one. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const { attempt, complaint } = useAttempt();
  const answer = useQuery(CONVERSATIONS, { after: cursors.at(-1) ?? null });
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
          {cursors.length > 0 && (
            <Button label="Later conversations" onClick={() => setCursors(cursors.slice(0, -1))} />
          )}
          {hasNextPage && (
            <Button label="Earlier conversations" onClick={() => setCursors([...cursors, endCursor ?? ""])} />
          )}
        </>
      )}
    </LoadedField>
  );
}
