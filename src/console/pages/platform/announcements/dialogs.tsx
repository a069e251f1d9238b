import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Edit } from "../../../parts/forms/edit.js";
import { AnnouncementFields, readAnnouncement } from "./fields.js";
import { type ManagedAnnouncement, readCurrent } from "./read-announcements.js";

const CREATE = graphql(`
  mutation ConsoleCreateAnnouncement($input: CreateAnnouncementInput!) {
    createAnnouncement(input: $input) { announcement { id } }
  }
`);
const UPDATE = graphql(`
  mutation ConsoleUpdateAnnouncement($input: UpdateAnnouncementInput!) {
    updateAnnouncement(input: $input) { announcement { id } }
  }
`);
const DELETE = graphql(`
  mutation ConsoleDeleteAnnouncement($id: UUID!, $version: Int!) {
    deleteAnnouncement(input: { id: $id, expectedVersion: $version }) { announcement { id } }
  }
`);

interface AnnouncementProps {
  readonly announcement: ManagedAnnouncement;
}

/** Publishes an announcement at once, or schedules it. */
export const CreateAnnouncement = () => (
  <Confirm
    title="New announcement"
    action="Publish"
    onConfirm={(values) => run(CREATE, { input: readAnnouncement(values) })}
  >
    <AnnouncementFields />
  </Confirm>
);

export const EditAnnouncement = ({ announcement }: AnnouncementProps) => (
  <Edit<ManagedAnnouncement>
    title={`Edit "${announcement.title}"`}
    row={announcement}
    read={() => readCurrent(announcement.id)}
    save={(values, { id, version }) => {
      const input = { id, startsAt: new Date().toISOString(), ...readAnnouncement(values) };
      return run(UPDATE, { input: { ...input, expectedVersion: version } });
    }}
    describe={({ title, bodyMarkdown, level }) => ({ Title: title, Text: bodyMarkdown, Level: level })}
  >
    {(row) => <AnnouncementFields announcement={row} />}
  </Edit>
);

/** Ends an announcement now. */
export const EndAnnouncement = ({ announcement: { id, title, version } }: AnnouncementProps) => (
  <Confirm
    title={`End "${title}"?`}
    action="End"
    onConfirm={() =>
      run(UPDATE, { input: { id, endsAt: new Date().toISOString(), expectedVersion: version } })
    }
  >
    <p>Users will no longer see it. It stays in this list.</p>
  </Confirm>
);

export const DeleteAnnouncement = ({ announcement: { id, title, version } }: AnnouncementProps) => (
  <Confirm title={`Delete "${title}"?`} action="Delete" onConfirm={() => run(DELETE, { id, version })}>
    <p>It will be removed for all users and from this list. You can't undo this.</p>
  </Confirm>
);
