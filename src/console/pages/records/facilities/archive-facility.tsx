import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import type { Facility } from "./read-facilities.js";

const OPERATION = graphql(`
  mutation ConsoleArchiveFacility($id: UUID!, $isArchived: Boolean!, $version: Int!) {
    updateFacility(input: { id: $id, isArchived: $isArchived, expectedVersion: $version }) {
      facility { id version }
    }
  }
`);

/** Archives or restores a facility, after a confirmation. */
export function ArchiveFacility({ facility }: { facility: Facility }) {
  const { id, name, version, archivedAt } = facility;
  const shouldArchive = archivedAt === null;
  const action = shouldArchive ? "Archive" : "Restore";
  return (
    <Confirm
      title={`${action} ${name}?`}
      action={action}
      onConfirm={() => run(OPERATION, { id, isArchived: shouldArchive, version })}
      successMessage={({ updateFacility }) =>
        updateFacility && {
          text: shouldArchive ? `${name} archived.` : `${name} restored.`,
          undo: () =>
            run(OPERATION, { id, isArchived: !shouldArchive, version: updateFacility.facility.version }),
        }
      }
    >
      <p>
        {shouldArchive
          ? "You can't add records to an archived facility. Its existing records are unchanged."
          : "You can add records to it again."}
      </p>
    </Confirm>
  );
}
