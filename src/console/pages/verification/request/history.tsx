import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Table } from "../../../parts/table.js";
import type { Request } from "../read-requests.js";

/** The status changes of a request, latest first. */
export function History({ request: { statusChanges, organizationName, verifier } }: { request: Request }) {
  const parties = { ORGANIZATION: organizationName, VERIFIER: verifier.name ?? verifier.email };
  return (
    <section>
      <h2>History</h2>
      <Table
        caption="History"
        rows={statusChanges}
        columns={[
          { title: "When", cell: ({ changedAt }) => <Moment at={changedAt} /> },
          { title: "Status", cell: ({ status }) => nameOf(status) },
          { title: "By", wraps: true, cell: ({ changedBy }) => <bdi>{parties[changedBy]}</bdi> },
          {
            title: "Note",
            wraps: true,
            cell: ({ note }) => (note === null ? "–" : <span class="lines">{note}</span>),
          },
        ]}
      />
    </section>
  );
}
