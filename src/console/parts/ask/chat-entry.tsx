import { Button } from "../button.js";
import { Exact } from "../numbers.js";
import { Publication } from "../source.js";
import { Table } from "../table.js";
import type { Message } from "./conversation.js";

const NOTICES = {
  MODEL_UNAVAILABLE: "The language model was unavailable. The gateway's own rules answered instead.",
  UNGROUNDED_ANSWER_REPLACED:
    "The language model gave a number that is not in your data. The gateway's own rules answered instead.",
};

interface ChatEntryProps {
  readonly message: Message;
  /** True if the user can ask its suggested questions next. */
  readonly isLatest: boolean;
  readonly onAsk: (question: string) => void;
}

/** A question, or an answer with its figures, queries and sources. Renders all text unformatted. */
export function ChatEntry({ message: { role, body, answer }, isLatest, onAsk }: ChatEntryProps) {
  if (role === "USER" || !answer) return <li class="asked">{body}</li>;
  const { notices, figures, queries, sources, followUps } = answer;
  return (
    <li class="answered">
      <p class="lines">{body}</p>
      {notices.map((notice) => (
        <p key={notice} class="quiet">
          {NOTICES[notice]}
        </p>
      ))}
      {figures.length > 0 && (
        <details open={figures.length === 1}>
          <summary>Figures</summary>
          <Table
            caption="Figures"
            rows={figures}
            columns={[
              { title: "Figure", wraps: true, cell: ({ name }) => name },
              {
                title: "Value",
                isNumber: true,
                cell: ({ name, value }) => <Exact value={value} isChange={name.startsWith("Change")} />,
              },
              { title: "Unit", cell: ({ unit }) => unit },
            ]}
          />
        </details>
      )}
      {queries.length > 0 && (
        <details>
          <summary>Queries</summary>
          {queries.map(({ name, variables, document }, index) => (
            <div key={`${name} ${index}`}>
              <p>
                <code>{name}</code> with <code>{JSON.stringify(variables)}</code>
              </p>
              <pre>{document.trim().replaceAll("\n  ", "\n")}</pre>
            </div>
          ))}
        </details>
      )}
      {sources.length > 0 && (
        <ul class="sources">
          {sources.map(({ title, url }) => (
            <li key={url}>
              {/^https?:\/\//.test(url) ? <Publication source={title} sourceUrl={url} /> : title}
            </li>
          ))}
        </ul>
      )}
      {isLatest && <SuggestedQuestions questions={followUps} onAsk={onAsk} />}
    </li>
  );
}

/** Buttons that each ask a question. */
export function SuggestedQuestions({
  questions,
  onAsk,
}: {
  questions: readonly string[];
  onAsk: ChatEntryProps["onAsk"];
}) {
  return (
    <div class="follow-ups">
      {questions.map((question) => (
        <Button key={question} label={question} onClick={() => onAsk(question)} />
      ))}
    </div>
  );
}
