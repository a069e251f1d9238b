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

/** How many notifications the person has not read, as it was last counted. */
export const unread = createStore(0);

/** Counts them anew. What fails is tried again with the next page: nobody waits for it. */
export async function countUnread(): Promise<void> {
  const answer = await run(OPERATION, {}).catch(() => null);
  if (answer?.viewer) unread.set(answer.viewer.notifications.totalCount);
}
