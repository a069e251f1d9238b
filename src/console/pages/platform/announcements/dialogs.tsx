import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Edit } from "../../../parts/forms/edit.js";
import { AnnouncementFields, readAnnouncement } from "./fields.js";
import { type ManagedAnnouncement, readPresent } from "./read-announcements.js";

const CREATE = graphql(`
  mutation ConsoleCreateAnnouncement($input: AnnouncementInput!) { createAnnouncement(input: $input) { id } }
`);
const UPDATE = graphql(`
  mutation ConsoleUpdateAnnouncement($id: UUID!, $patch: AnnouncementPatchInput!, $version: Int!) {
    updateAnnouncement(id: $id, patch: $patch, expectedVersion: $version) { id }
  }
`);
const DELETE = graphql(`
  mutation ConsoleDeleteAnnouncement($id: UUID!, $version: Int!) {
    deleteAnnouncement(id: $id, expectedVersion: $version) { id }
  }
`);

/** What is to be done. */
export type Open =
  | { readonly what: "write" }
  | { readonly what: "edit" | "end" | "delete"; readonly announcement: ManagedAnnouncement };

/** The dialog of what is to be done. */
export function AnnouncementDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  if (open.what === "write") {
    const create = (values: FormData) => run(CREATE, { input: readAnnouncement(values) });
    return (
      <Confirm title="Write an announcement" action="Publish" onConfirm={create} onClose={onClose}>
        <AnnouncementFields />
      </Confirm>
    );
  }
  const { announcement } = open;
  const { id, title, version } = announcement;
  if (open.what === "edit") {
    return (
      <Edit<ManagedAnnouncement>
        title={`Edit ${title}`}
        row={announcement}
        read={() => readPresent(id)}
        save={(values, row) => run(UPDATE, { id, patch: readAnnouncement(values), version: row.version })}
        describe={(row) => ({ Title: row.title, Text: row.bodyMarkdown, Level: row.level })}
        onClose={onClose}
      >
        {(row) => <AnnouncementFields announcement={row} />}
      </Edit>
    );
  }
  const end = () => run(UPDATE, { id, patch: { endsAt: new Date().toISOString() }, version });
  const [action, said, act] =
    open.what === "end"
      ? ["End", "From now on nobody sees it. It stays in this list.", end]
      : [
          "Delete",
          "Nobody sees it any more, and it is gone from this list.",
          () => run(DELETE, { id, version }),
        ];
  return (
    <Confirm title={`${action} ${title}`} action={action} onConfirm={act} onClose={onClose}>
      <p>{said}</p>
    </Confirm>
  );
}
