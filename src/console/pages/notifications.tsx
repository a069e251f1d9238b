import { graphql } from "../../generated/console.js";
import { run } from "../gateway/run.js";
import { countUnread } from "../gateway/unread.js";
import { useQuery } from "../gateway/use-query.js";
import { useAddress } from "../parts/address.js";
import { Button } from "../parts/button.js";
import { Paging, ShowAll, useShowsAll } from "../parts/paging.js";
import { Page } from "../parts/shell/shell.js";
import { Empty, LoadedField, useAttempt } from "../parts/states.js";
import { NotificationItem } from "./notifications/notification-item.js";

const OPERATION = graphql(`
  query ConsoleNotifications($unread: Boolean!, $after: String) {
    viewer {
      notifications(onlyUnread: $unread, first: 20, after: $after) {
        nodes { id category severity title body link createdAt readAt }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

const READ_ALL = graphql(`
  mutation ConsoleReadAllNotifications { readAllNotifications(input: {}) { readCount } }
`);

/** The user's unread notifications or all of them, newest first. */
export function Notifications() {
  const { query } = useAddress();
  const isAll = useShowsAll();
  const answer = useQuery(OPERATION, { unread: !isAll, after: query["after"] ?? null });
  const { attempt, complaint } = useAttempt();
  const change = (work: () => Promise<unknown>) =>
    attempt(async () => {
      await work();
      answer.reload();
      await countUnread();
    });
  const nodes = answer.data?.viewer?.notifications.nodes ?? [];
  return (
    <Page title="Notifications">
      <div class="row">
        <ShowAll label="Show read notifications" />
        <Button
          label="Mark all as read"
          disabled={!nodes.some(({ readAt }) => readAt === null)}
          onClick={() => change(() => run(READ_ALL, {}))}
        />
        <a href="/console/settings/notifications">Notification settings</a>
      </div>
      {complaint}
      <LoadedField answer={answer} skeleton="table" field="viewer">
        {({ notifications }) => (
          <>
            {notifications.nodes.length === 0 && (
              <Empty>{isAll ? "No notifications in the last 90 days." : "No unread notifications."}</Empty>
            )}
            <ul class="notifications">
              {notifications.nodes.map((notification) => (
                <NotificationItem key={notification.id} notification={notification} change={change} />
              ))}
            </ul>
            <Paging pageInfo={notifications.pageInfo} />
          </>
        )}
      </LoadedField>
    </Page>
  );
}
