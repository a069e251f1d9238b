import { useState } from "preact/hooks";
import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Confirm } from "../../../parts/confirm.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Empty, Shown } from "../../../parts/states.js";
import { Table } from "../../../parts/table.js";
import { Invite } from "./invite.js";

const OPERATION = graphql(`
  query ConsoleInvitations {
    invitations(first: 100) {
      nodes { id email role createdAt expiresAt }
    }
  }
`);

const REVOKE = graphql(`
  mutation ConsoleRevokeInvitation($id: UUID!) {
    revokeInvitation(id: $id) { id }
  }
`);

/** The invitations that nobody has accepted yet, and the form of another. */
export function Invitations() {
  const answer = useQuery(OPERATION, {});
  const [revoked, setRevoked] = useState<{ readonly id: string; readonly email: string } | null>(null);
  const close = () => {
    setRevoked(null);
    answer.reload();
  };
  return (
    <section>
      <h2>Invitations</h2>
      <Invite onMade={answer.reload} />
      <Shown answer={answer} as="line">
        {({ invitations }) =>
          invitations && invitations.nodes.length > 0 ? (
            <Table
              caption="Invitations"
              rows={invitations.nodes}
              keyOf={({ id }) => id}
              columns={[
                { title: "E-mail", cell: ({ email }) => email },
                { title: "Role", cell: ({ role }) => nameOf(role) },
                { title: "Made", cell: ({ createdAt }) => <Moment at={createdAt} /> },
                { title: "Expires", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
                {
                  title: "Change",
                  cell: (invitation) => (
                    <button type="button" class="outline" onClick={() => setRevoked(invitation)}>
                      Revoke
                    </button>
                  ),
                },
              ]}
            />
          ) : (
            <Empty>No invitation is open.</Empty>
          )
        }
      </Shown>
      {revoked && (
        <Confirm
          title={`Revoke the invitation of ${revoked.email}`}
          action="Revoke"
          onConfirm={() => run(REVOKE, { id: revoked.id })}
          onClose={close}
        >
          <p>Its link stops working.</p>
        </Confirm>
      )}
    </section>
  );
}
