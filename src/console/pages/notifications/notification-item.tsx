import { type ConsoleNotificationsQuery, graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { Button } from "../../parts/button.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";

const READ = graphql(`
  mutation ConsoleReadNotification($id: UUID!) {
    readNotification(input: { id: $id }) { notification { id readAt } }
  }
`);

type Notification = NonNullable<ConsoleNotificationsQuery["viewer"]>["notifications"]["nodes"][number];

interface NotificationItemProps {
  readonly notification: Notification;
  readonly change: (work: () => Promise<unknown>) => Promise<void>;
}

/** One notification. Opening its link marks it as read. */
export function NotificationItem({ notification, change }: NotificationItemProps) {
  const { id, category, severity, title, body, link, createdAt, readAt } = notification;
  const read = () => change(() => run(READ, { id }));
  return (
    <li class={readAt === null ? "unread" : undefined}>
      <h2>
        {link === null ? (
          title
        ) : (
          <a href={link} onClick={() => readAt === null && read()}>
            {title}
          </a>
        )}
      </h2>
      <p class="quiet">
        {nameOf(category)} · <span class={`severity ${severity.toLowerCase()}`}>{nameOf(severity)}</span> ·{" "}
        <Moment at={createdAt} />
      </p>
      <p class="lines">{linked(body)}</p>
      {readAt === null && <Button label="Mark as read" look="quiet" onClick={read} />}
    </li>
  );
}

/** Turns the web addresses in a string into links. */
const linked = (text: string) =>
  text.split(/(https?:\/\/\S+)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <a key={part} href={part} rel="noopener noreferrer" target="_blank">
        {part}
      </a>
    ),
  );
