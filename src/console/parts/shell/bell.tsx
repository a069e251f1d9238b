import { useEffect } from "preact/hooks";
import { useStore } from "../../gateway/store.js";
import { countUnread, unread } from "../../gateway/unread.js";
import { Icon } from "./icon.js";

/** The link to the notifications with the unread count, which is updated on each page. */
export function Bell({ path }: { path: string }) {
  const count = useStore(unread);
  useEffect(() => void countUnread(), [path]);
  return (
    <a
      class="bell"
      href="/console/notifications"
      aria-label={count === 0 ? "Notifications" : `Notifications, ${count} unread`}
      aria-current={path.startsWith("/console/notifications") ? "page" : undefined}
    >
      <Icon path="M18 16v-5a6 6 0 0 0-12 0v5l-2 2h16zM10 20a2 2 0 0 0 4 0" />
      {count > 0 && <span class="count">{count > 99 ? "99+" : count}</span>}
    </a>
  );
}
