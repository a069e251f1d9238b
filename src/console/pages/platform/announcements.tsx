import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import {
  CreateAnnouncement,
  DeleteAnnouncement,
  EditAnnouncement,
  EndAnnouncement,
} from "./announcements/dialogs.js";
import { type ManagedAnnouncement, READ_ANNOUNCEMENTS, stateOf } from "./announcements/read-announcements.js";

/** Announcements to the platform's users. */
export function PlatformAnnouncements() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ_ANNOUNCEMENTS, { after });
  return (
    <Dialogs onClosed={answer.reload}>
      <div class="row">
        <p class="quiet">Announcements appear at the top of every page for their audience.</p>
        <DialogButton label="New announcement" look="primary" opens={<CreateAnnouncement />} />
      </div>
      <LoadedField answer={answer} skeleton="table" field="announcements">
        {(announcements) => (
          <List caption="Announcements" {...announcements} columns={COLUMNS} actions={actionsFor}>
            No announcements yet.
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}

const COLUMNS: readonly Column<ManagedAnnouncement>[] = [
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
];

const actionsFor = (announcement: ManagedAnnouncement) => (
  <>
    <DialogButton label="Edit" look="quiet" opens={<EditAnnouncement announcement={announcement} />} />
    {stateOf(announcement) === "active" && (
      <DialogButton label="End" look="quiet" opens={<EndAnnouncement announcement={announcement} />} />
    )}
    <DialogButton label="Delete" look="quiet" opens={<DeleteAnnouncement announcement={announcement} />} />
  </>
);
