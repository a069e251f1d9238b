import { type ConsoleAuditTrailQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { Details } from "../../parts/details.js";
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
          summary
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

/** The audit trail: each change in a sentence; with filters, a check of the chain, and an export. */
export function AuditTrail() {
  const { query } = useAddress();
  const { actor, targetType, since, until, after = null } = query;
  const filter = {
    ...(actor && { actor }),
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
            No entries match these filters. Choose a longer range of days, or fewer filters.
          </List>
        )}
      </Shown>
    </>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: "What happened", wraps: true, cell: (entry) => <Happened entry={entry} /> },
  { title: "When", cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { title: "No.", isNumber: true, cell: ({ seq }) => seq },
];

function Happened({ entry: { summary, action, changes, requestId, hash, targetId } }: { entry: Entry }) {
  return (
    <>
      {summary}
      <details>
        <summary>Details</summary>
        <Details
          items={{
            Action: <code>{action}</code>,
            Identifier: targetId && <code>{targetId}</code>,
            Request: requestId && <code>{requestId}</code>,
            Hash: <code>{hash}</code>,
          }}
        />
        <pre>
          <code>{JSON.stringify(changes, null, 2)}</code>
        </pre>
      </details>
    </>
  );
}
