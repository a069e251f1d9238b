import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { useDialog } from "../../parts/forms/use-dialog.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Paging } from "../../parts/paging.js";
import { Empty, Shown } from "../../parts/states.js";
import { Table } from "../../parts/table.js";
import { AnnouncementDialog, type Open } from "./announcements/dialogs.js";
import { type ManagedAnnouncement, READ_ANNOUNCEMENTS, stateOf } from "./announcements/read-announcements.js";

/** What the people who use the platform are told, and the ways to write, change, end and delete it. */
export function PlatformAnnouncements() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ_ANNOUNCEMENTS, { after });
  const { open, setOpen, close } = useDialog<Open>(answer.reload);
  return (
    <>
      <div class="row">
        <p class="quiet">Shown on every page of the console to those who are meant.</p>
        <button type="button" onClick={() => setOpen({ what: "write" })}>
          Write an announcement
        </button>
      </div>
      <Shown answer={answer} as="table">
        {({ announcements }) =>
          announcements && (
            <>
              <List announcements={announcements.nodes} onOpen={setOpen} />
              <Paging pageInfo={announcements.pageInfo} />
            </>
          )
        }
      </Shown>
      {open && <AnnouncementDialog open={open} onClose={close} />}
    </>
  );
}

interface ListProps {
  readonly announcements: readonly ManagedAnnouncement[];
  readonly onOpen: (open: Open) => void;
}

function List({ announcements, onOpen }: ListProps) {
  if (announcements.length === 0) return <Empty>Nothing was announced yet.</Empty>;
  return (
    <Table
      caption="Announcements"
      rows={announcements}
      columns={[
        { title: "Title", wraps: true, cell: ({ title }) => <bdi>{title}</bdi> },
        { title: "State", cell: (announcement) => nameOf(stateOf(announcement).toUpperCase()) },
        { title: "Level", cell: ({ level }) => nameOf(level) },
        {
          title: "Audience",
          wraps: true,
          cell: ({ audience, audienceValues }) =>
            [nameOf(audience), audienceValues.join(", ")].filter(Boolean).join(": "),
        },
        { title: "From", cell: ({ startsAt }) => <Moment at={startsAt} /> },
        { title: "Until", cell: ({ endsAt }) => <Moment at={endsAt} /> },
        {
          title: "Change",
          isActions: true,
          cell: (announcement) =>
            (["edit", "end", "delete"] as const)
              .filter((what) => what !== "end" || stateOf(announcement) === "active")
              .map((what) => (
                <button key={what} type="button" class="quiet" onClick={() => onOpen({ what, announcement })}>
                  {nameOf(what.toUpperCase())}
                </button>
              )),
        },
      ]}
    />
  );
}
