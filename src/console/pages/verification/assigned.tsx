import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { daysOf, scopesOf } from "./names.js";
import { type Assignment, READ_ASSIGNMENTS } from "./read-requests.js";

/** The requests of other organizations that the user verifies. */
export function Assigned() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ_ASSIGNMENTS, { after });
  return (
    <>
      <p class="quiet">
        Requests from organizations that confirmed you as their verifier. You can read the records until you
        decide.
      </p>
      <LoadedField answer={answer} skeleton="short" field="verificationAssignments">
        {(verificationAssignments) => (
          <List caption="Assigned to me" {...verificationAssignments} columns={COLUMNS}>
            No requests for you. To accept one, open the link that the organization sent you.
          </List>
        )}
      </LoadedField>
    </>
  );
}

const COLUMNS: readonly Column<Assignment>[] = [
  {
    title: "Organization",
    wraps: true,
    cell: ({ id, organizationName, number }) => (
      <a href={`/console/verification/assigned?${new URLSearchParams({ id })}`}>
        <bdi>{organizationName}</bdi>, {number}
      </a>
    ),
  },
  { title: "Status", cell: ({ status }) => nameOf(status) },
  { title: "Period", cell: ({ period }) => daysOf(period) },
  { title: "Scopes", wraps: true, cell: ({ scopes }) => scopesOf(scopes) },
  { title: "Level", cell: ({ level }) => nameOf(level) },
  { title: "Submitted", cell: ({ snapshot }) => <Moment at={snapshot?.takenAt} /> },
];
