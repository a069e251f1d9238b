import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { Button } from "../button.js";
import { useAttempt } from "../states.js";
import { Announcement } from "./announcement.js";

const READ = graphql(`
  query ConsoleActiveAnnouncements {
    activeAnnouncements { id title bodyMarkdown level isDismissible isDismissed }
  }
`);

const DISMISS = graphql(`
  mutation ConsoleDismissAnnouncement($id: UUID!) {
    dismissAnnouncement(input: { id: $id }) { announcement { id isDismissed } }
  }
`);

/** The operators' active announcements. Renders nothing while they load or if reading fails. */
export function Announcements() {
  const { data, reload } = useQuery(READ, {});
  const { attempt, complaint } = useAttempt();
  const dismiss = (id: string) => attempt(() => run(DISMISS, { id }).then(reload));
  return (
    <div class="announcements">
      {data?.activeAnnouncements.map(({ id, isDismissible, isDismissed, ...announcement }) => (
        <Announcement key={id} {...announcement}>
          {isDismissible && !isDismissed && (
            <Button
              label="Dismiss"
              look="quiet"
              aria-label={`Dismiss ${announcement.title}`}
              onClick={() => dismiss(id)}
            />
          )}
        </Announcement>
      ))}
      {complaint}
    </div>
  );
}
