import { type ConsoleAnnouncementsQuery, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";

graphql(`
  fragment ConsoleAnnouncement on ManagedAnnouncement {
    id title bodyMarkdown level startsAt endsAt isDismissible audience audienceValues version
  }
`);

export const READ_ANNOUNCEMENTS = graphql(`
  query ConsoleAnnouncements($after: String) {
    announcements(first: 25, after: $after) {
      nodes { ...ConsoleAnnouncement }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

type List = NonNullable<ConsoleAnnouncementsQuery["announcements"]>;
/** An announcement as a super admin sees it. */
export type ManagedAnnouncement = List["nodes"][number];

/** Reads the current state of an announcement; undefined if it was deleted. Looks through the list after a cursor. */
export async function readCurrent(
  id: string,
  after: string | null = null,
): Promise<ManagedAnnouncement | undefined> {
  const { announcements } = await run(READ_ANNOUNCEMENTS, { after });
  const found = announcements?.nodes.find((one) => one.id === id);
  if (found || !announcements?.pageInfo.hasNextPage) return found;
  return readCurrent(id, announcements.pageInfo.endCursor);
}

export function stateOf({ startsAt, endsAt }: ManagedAnnouncement, now = Date.now()) {
  if (endsAt !== null && Date.parse(endsAt) <= now) return "ended";
  return Date.parse(startsAt) > now ? "scheduled" : "active";
}
