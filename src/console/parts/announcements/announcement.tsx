import type { ComponentChildren } from "preact";
import { nameOf } from "../names.js";

interface AnnouncementProps {
  readonly title: string;
  readonly level: "INFO" | "WARNING" | "CRITICAL";
  readonly bodyMarkdown: string;
  /** Content at the end, such as a button. */
  readonly children?: ComponentChildren;
}

/** An announcement as its readers see it. */
export function Announcement({ title, level, bodyMarkdown, children }: AnnouncementProps) {
  return (
    <section class={`announcement ${level.toLowerCase()}`} aria-label={title}>
      <div>
        <p>
          <strong>
            {level === "INFO" ? "" : `${nameOf(level)}: `}
            {title}
          </strong>
        </p>
        <Markdown text={bodyMarkdown} />
      </div>
      {children}
    </section>
  );
}

/** Matches `[text](https://…)`, `**bold**` and `*italic*`. */
const INLINE = /\[([^[\]]+)\]\((https?:\/\/[^\s()]+)\)|\*\*([^*]+)\*\*|\*([^*]+)\*/g;

/** Renders links, bold and italic in a line of text. */
function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { index, 0: whole, 1: label, 2: url, 3: bold, 4: italic } of text.matchAll(INLINE)) {
    parts.push(text.slice(end, index));
    end = index + whole.length;
    if (label !== undefined) {
      parts.push(
        <a href={url} target="_blank" rel="noopener">
          {label}
        </a>,
      );
    } else parts.push(bold === undefined ? <em>{italic}</em> : <strong>{bold}</strong>);
  }
  return [...parts, text.slice(end)];
}

const BULLET = /^[-*] +/;
const NUMBER = /^\d{1,3}[.)] +/;

function Block({ text }: { text: string }) {
  const lines = text.split("\n").map((line) => line.trim());
  const List = lines.every((line) => BULLET.test(line)) ? "ul" : "ol";
  const marker = List === "ul" ? BULLET : NUMBER;
  if (!lines.every((line) => marker.test(line))) return <p>{inline(lines.join(" "))}</p>;
  return (
    <List>
      {lines.map((line) => (
        <li key={line}>{inline(line.replace(marker, ""))}</li>
      ))}
    </List>
  );
}

/** Renders a subset of Markdown: paragraphs, lists, bold, italic, and http and https links. Never renders HTML. */
export function Markdown({ text }: { text: string }) {
  const blocks = text.split(/\n[^\S\n]*\n\s*/).map((block) => block.trim());
  return (
    <>
      {blocks.filter(Boolean).map((block) => (
        <Block key={block} text={block} />
      ))}
    </>
  );
}
