import type { ComponentChildren } from "preact";
import { type ConsoleAuditTrailQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { Details } from "../../parts/details.js";
import { Day, Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { LoadedField } from "../../parts/states.js";
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

/** The audit trail, with filters, verification and export. */
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
      <LoadedField answer={answer} skeleton="table" field="auditLog">
        {(auditLog) => (
          <List caption="Audit trail" {...auditLog.entries} columns={COLUMNS}>
            No matching entries. Choose a longer date range or fewer filters.
          </List>
        )}
      </LoadedField>
    </>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: "Event", wraps: true, cell: (entry) => <EventCell entry={entry} /> },
  { title: "When", cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { title: "No.", isNumber: true, cell: ({ seq }) => seq },
];

function EventCell({ entry: { summary, action, changes, requestId, hash, targetId } }: { entry: Entry }) {
  const values = Object.entries(changes ?? {}).map(([field, change]) => [
    nameOf(field),
    <Change key={field} of={change} />,
  ]);
  return (
    <>
      {summary}
      <details>
        <summary>Details</summary>
        <Details
          items={{
            ...Object.fromEntries(values),
            Action: <code>{action}</code>,
            Target: targetId && <code>{targetId}</code>,
            Request: requestId && <code>{requestId}</code>,
            Hash: <code>{hash}</code>,
          }}
        />
      </details>
    </>
  );
}

/** A value, or the change from an old to a new value. */
function Change({ of }: { of: unknown }) {
  if (typeof of !== "object" || of === null || !("to" in of)) return <Value of={of} />;
  return (
    <>
      <Value of={"from" in of ? of.from : null} /> → <Value of={of.to} />
    </>
  );
}

function Value({ of }: { of: unknown }): ComponentChildren {
  if (of === null) return <span class="quiet">none</span>;
  if (typeof of !== "string") return JSON.stringify(of);
  if (/^\d{4}-\d\d-\d\d$/.test(of)) return <Day on={of} />;
  return /^\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)$/.test(of) ? <Moment at={of} /> : of;
}
