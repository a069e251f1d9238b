import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import type { Facility } from "./read-facilities.js";

const OPERATION = graphql(`
  mutation ConsoleArchiveFacility($id: UUID!, $isArchived: Boolean!, $version: Int!) {
    updateFacility(input: { id: $id, isArchived: $isArchived, expectedVersion: $version }) {
      facility { id archivedAt }
    }
  }
`);

/** Archives a facility after a confirmation, or restores it. */
export function ArchiveFacility({ facility }: { facility: Facility }) {
  const { id, name, version, archivedAt } = facility;
  const isArchived = archivedAt === null;
  const action = isArchived ? "Archive" : "Bring back";
  return (
    <Confirm
      title={`${action} ${name}`}
      action={action}
      onConfirm={() => run(OPERATION, { id, isArchived, version })}
    >
      <p>
        {isArchived ? "Its records stay as they are. It takes no new ones." : "It takes new records again."}
      </p>
    </Confirm>
  );
}
