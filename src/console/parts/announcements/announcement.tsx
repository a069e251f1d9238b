import type { ComponentChildren } from "preact";
import { nameOf } from "../names.js";
import { Markdown } from "./markdown.js";

interface AnnouncementProps {
  readonly title: string;
  readonly level: "INFO" | "WARNING" | "CRITICAL";
  readonly bodyMarkdown: string;
  /** What stands at the end, such as a button. */
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
