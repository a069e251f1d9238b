import { useEffect, useRef, useState } from "preact/hooks";
import { EXAMPLES } from "../../../domain/chat/examples.js";
import { run } from "../../gateway/run.js";
import { Button } from "../button.js";
import { Dialog } from "../forms/dialog.js";
import { useAttempt } from "../states.js";
import { Answered } from "./answer.js";
import { ASK, type ChatModule, CONVERSATION, type Message } from "./conversation.js";
import { Past } from "./past.js";

interface Conversation {
  readonly id: string | null;
  readonly messages: readonly Message[];
}

const NEW: Conversation = { id: null, messages: [] };
const LONGEST = 2_000;

/** Questions in plain words with their answers, and the earlier conversations. */
export function Panel({ module, onClose }: { module: ChatModule; onClose: () => void }) {
  const [conversation, setConversation] = useState(NEW);
  const [isPast, setPast] = useState(false);
  const [asked, setAsked] = useState<string>();
  const { attempt, complaint } = useAttempt();
  const field = useRef<HTMLInputElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const { id, messages } = conversation;
  useEffect(() => {
    field.current?.focus();
  }, [isPast]);
  // Scrolls while a question waits for its answer as well.
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [messages.length, asked]);

  const ask = (question: string) =>
    attempt(async () => {
      if (asked !== undefined || question.trim() === "") return;
      setAsked(question);
      try {
        const { chat } = await run(ASK, { module, message: question, conversationId: id });
        if (!chat) return;
        const { conversationId, message } = chat;
        const own = {
          position: message.position - 1,
          role: "USER" as const,
          body: question.trim(),
          answer: null,
        };
        setConversation({ id: conversationId, messages: [...messages, own, message] });
        if (field.current) field.current.value = "";
      } finally {
        setAsked(undefined);
        field.current?.focus();
      }
    });
  const open = (wanted: string) =>
    attempt(async () => {
      setPast(false);
      const { conversation: found } = await run(CONVERSATION, { id: wanted });
      if (found) setConversation({ id: found.conversation.id, messages: found.messages });
    });
  const begin = () =>
    attempt(async () => {
      setConversation(NEW);
      setPast(false);
      field.current?.focus();
    });

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
        <Button label="Close" look="secondary outline" onClick={onClose} />
      </div>
      {isPast ? (
        <Past onOpen={open} onDeleted={(deleted) => deleted === id && setConversation(NEW)} />
      ) : (
        <>
          {messages.length === 0 && asked === undefined && <Suggestions module={module} onAsk={ask} />}
          <section
            class="chat"
            aria-label="Conversation"
            aria-live="polite"
            aria-busy={asked !== undefined}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
            tabIndex={0}
          >
            <ol>
              {messages.map((message) => (
                <Answered
                  key={message.position}
                  message={message}
                  isLatest={message === messages.at(-1) && asked === undefined}
                  onAsk={ask}
                />
              ))}
              {asked !== undefined && <li class="asked">{asked}</li>}
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
              name="message"
              aria-label="Question"
              placeholder="Ask a question"
              maxLength={LONGEST}
              autocomplete="off"
            />
            <button type="submit" aria-busy={asked !== undefined}>
              Ask
            </button>
          </form>
        </>
      )}
    </Dialog>
  );
}

function Suggestions({ module, onAsk }: { module: ChatModule; onAsk: (question: string) => void }) {
  return (
    <>
      <p class="quiet">
        Answers come from your organization's data, with the figures and queries that they stand on. Only you
        see your conversations.
      </p>
      <div class="follow-ups">
        {EXAMPLES[module.toLowerCase() as Lowercase<ChatModule>].map((question) => (
          <Button key={question} label={question} onClick={() => onAsk(question)} />
        ))}
      </div>
    </>
  );
}
