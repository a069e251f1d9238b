import { useEffect, useRef, useState } from "preact/hooks";
import { EXAMPLES } from "../../../domain/chat/examples.js";
import { run } from "../../gateway/run.js";
import { Button } from "../button.js";
import { Dialog } from "../forms/dialog.js";
import { Leave } from "../forms/use-leaving.js";
import { useAttempt } from "../states.js";
import { ChatEntry, SuggestedQuestions } from "./chat-entry.js";
import { ASK, CONVERSATION, type Message } from "./conversation.js";
import { PastConversations } from "./past-conversations.js";

export interface ChatPanelProps {
  readonly module: Uppercase<keyof typeof EXAMPLES>;
  readonly onClose: () => void;
}

interface Conversation {
  readonly id: string | null;
  readonly messages: readonly Message[];
}

const NEW: Conversation = { id: null, messages: [] };
const MAX_LENGTH = 2_000;

/** The chat, and the user's past conversations. */
export function ChatPanel({ module, onClose }: ChatPanelProps) {
  const [{ id, messages }, setConversation] = useState(NEW);
  const [isPast, setPast] = useState(false);
  const [asked, setAsked] = useState<string>();
  const { attempt, complaint } = useAttempt();
  const field = useRef<HTMLInputElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const isWaiting = asked !== undefined;
  useEffect(() => field.current?.focus(), [isPast, id, isWaiting]);
  // Also scrolls when a question is waiting for its answer.
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [messages.length, asked]);

  const ask = (question: string) =>
    attempt(async () => {
      const body = question.trim();
      if (isWaiting || body === "") return;
      setAsked(body);
      try {
        const { chat } = await run(ASK, { module, message: body, conversationId: id });
        if (!chat) return;
        const { conversationId, message } = chat;
        const own = { position: message.position - 1, role: "USER" as const, body, answer: null };
        setConversation({ id: conversationId, messages: [...messages, own, message] });
        if (field.current) field.current.value = "";
      } finally {
        setAsked(undefined);
      }
    });
  const open = (wanted: string) =>
    attempt(async () => {
      setPast(false);
      const { conversation } = await run(CONVERSATION, { id: wanted });
      if (conversation) setConversation({ id: wanted, messages: conversation.messages });
    });
  const begin = () => {
    setConversation(NEW);
    setPast(false);
  };

  const chat = (
    <>
      {messages.length === 0 && !isWaiting && (
        <>
          <p class="quiet">
            Answers come from your organization's data and show the figures and queries they are based on.
            Only you can see your conversations.
          </p>
          <SuggestedQuestions
            questions={EXAMPLES[module.toLowerCase() as keyof typeof EXAMPLES]}
            onAsk={ask}
          />
        </>
      )}
      <section
        class="chat"
        aria-label="Conversation"
        aria-live="polite"
        aria-busy={isWaiting}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
      >
        <ol>
          {messages.map((message) => (
            <ChatEntry
              key={message.position}
              message={message}
              isLatest={message === messages.at(-1) && !isWaiting}
              onAsk={ask}
            />
          ))}
          {isWaiting && <li class="asked">{asked}</li>}
        </ol>
        <div ref={end} />
      </section>
      {complaint}
      <form
        class="question"
        onSubmit={(event) => {
          event.preventDefault();
          ask(field.current?.value ?? "");
        }}
      >
        <input
          ref={field}
          name="question"
          aria-label="Question"
          placeholder="Ask a question"
          maxLength={MAX_LENGTH}
          autocomplete="off"
        />
        <button type="submit" aria-busy={isWaiting}>
          Ask
        </button>
      </form>
    </>
  );
  return (
    <Dialog title="Ask" onClose={onClose} isWide>
      <div class="follow-ups">
        <Button
          label="Past conversations"
          look="secondary outline"
          aria-expanded={isPast}
          onClick={() => setPast(!isPast)}
        />
        <Button label="New conversation" look="secondary outline" onClick={begin} />
        <Leave.Consumer>
          {(leave) => <Button label="Close" look="secondary outline" onClick={() => leave(onClose)} />}
        </Leave.Consumer>
      </div>
      {isPast ? (
        <PastConversations onOpen={open} onDeleted={(deleted) => deleted === id && setConversation(NEW)} />
      ) : (
        chat
      )}
    </Dialog>
  );
}
