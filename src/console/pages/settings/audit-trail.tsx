import { type ConsoleAuditTrailQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { Moment } from "../../parts/moment.js";
import { Shown } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { AuditFilters } from "./audit/filters.js";
import { Verification } from "./audit/verification.js";

const OPERATION = graphql(`
  query ConsoleAuditTrail($filter: AuditEntryFilter, $after: String) {
    auditLog {
      entries(filter: $filter, first: 25, after: $after) {
        nodes {
          id
          seq
          occurredAt
          action
          actorType
          actorId
          actorName
          targetType
          targetId
          changes
          requestId
          hash
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

type Entry = NonNullable<ConsoleAuditTrailQuery["auditLog"]>["entries"]["nodes"][number];

/** The audit trail: actor, action, time and target of each entry; with filters, a check of the chain, and an export. */
export function AuditTrail() {
  const { query } = useAddress();
  const { action, targetType, since, until, after = null } = query;
  const filter = {
    ...(action && { action }),
    ...(targetType && { targetType }),
    ...(since && { from: new Date(`${since}T00:00:00`).toISOString() }),
    ...(until && { to: new Date(`${until}T24:00:00`).toISOString() }),
  };
  const answer = useQuery(OPERATION, { filter, after });
  return (
    <>
      <Verification />
      <AuditFilters />
      <Shown answer={answer} as="table" of="auditLog">
        {(auditLog) => (
          <List caption="Audit trail" {...auditLog.entries} columns={COLUMNS}>
            No entries match. Choose other days, or fewer filters.
          </List>
        )}
      </Shown>
    </>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: "No.", isNumber: true, cell: ({ seq }) => seq },
  { title: "When", cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { title: "Who", cell: (entry) => whoDid(entry) },
  { title: "What", cell: ({ action }) => <code>{action}</code> },
  { title: "To", cell: (entry) => entry.targetType },
  { title: "Details", cell: (entry) => <EntryDetails entry={entry} /> },
];

const whoDid = ({ actorType, actorId, actorName }: Entry) =>
  actorName ?? [actorType, actorId].filter(Boolean).join(" ");

function EntryDetails({ entry: { changes, requestId, hash, targetId } }: { entry: Entry }) {
  return (
    <details>
      <summary>Show</summary>
      <pre>
        <code>{JSON.stringify({ changes, target: targetId, request: requestId, hash }, null, 2)}</code>
      </pre>
    </details>
  );
}
