import { type ConsoleSessionsQuery, graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { Moment } from "../../parts/moment.js";
import { programOf } from "../../parts/program.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const OPERATION = graphql(`
  query ConsoleSessions {
    viewer {
      sessions(first: 100) {
        nodes { id kind createdAt lastUsedAt expiresAt address userAgent isCurrent }
      }
    }
  }
`);

const END = graphql(`
  mutation ConsoleEndSession($id: UUID!) {
    endSession(input: { id: $id }) { session { id } }
  }
`);

type Session = NonNullable<ConsoleSessionsQuery["viewer"]>["sessions"]["nodes"][number];

/** The user's sessions. */
export function Sessions() {
  const answer = useQuery(OPERATION, {});
  return (
    <Dialogs onClosed={answer.reload}>
      <p>You are signed in here. Changing your password signs out all other sessions.</p>
      <LoadedField answer={answer} skeleton="table" field="viewer">
        {({ sessions }) => (
          <Table caption="Sessions" rows={sessions.nodes} columns={COLUMNS} actions={actionsFor} />
        )}
      </LoadedField>
    </Dialogs>
  );
}

const COLUMNS: readonly Column<Session>[] = [
  {
    title: "Program",
    wraps: true,
    cell: ({ userAgent }) => <bdi title={userAgent ?? ""}>{programOf(userAgent)}</bdi>,
  },
  { title: "Kind", cell: ({ kind }) => (kind === "BROWSER" ? "Browser" : "Access token") },
  { title: "IP address", cell: ({ address }) => address ?? "–" },
  { title: "Signed in", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: "Last used", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { title: "Expires", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
];

const actionsFor = ({ id, isCurrent }: Session) =>
  isCurrent ? (
    "This session"
  ) : (
    <DialogButton label="End session" look="quiet" opens={<EndSession id={id} />} />
  );

const EndSession = ({ id }: { id: string }) => (
  <Confirm title="End this session?" action="End session" onConfirm={() => run(END, { id })}>
    <p>That browser or program will have to sign in again.</p>
  </Confirm>
);
