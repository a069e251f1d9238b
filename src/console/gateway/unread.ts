import { graphql } from "../../generated/console.js";
import { run } from "./run.js";
import { createStore } from "./store.js";

const OPERATION = graphql(`
  query ConsoleUnread {
    viewer {
      notifications(onlyUnread: true, first: 1) { totalCount }
    }
  }
`);

/** Number of unread notifications at the last count. */
export const unread = createStore(0);

/** Counts the unread notifications again. Ignores failures, because the next page counts again. */
export async function countUnread(): Promise<void> {
  const answer = await run(OPERATION, {}).catch(() => null);
  if (answer?.viewer) unread.set(answer.viewer.notifications.totalCount);
}
