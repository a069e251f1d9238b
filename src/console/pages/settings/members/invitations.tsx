import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { useDialog } from "../../../parts/forms/use-dialog.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Empty } from "../../../parts/states.js";
import { Table } from "../../../parts/table.js";
import { Invite } from "./invite.js";
import type { Invitation } from "./read-members.js";

const REVOKE = graphql(`
  mutation ConsoleRevokeInvitation($id: UUID!) {
    revokeInvitation(id: $id) { id }
  }
`);

interface InvitationsProps {
  readonly invitations: readonly Invitation[];
  /** Called when there is another one, or one less. */
  readonly onChange: () => void;
}

/** The open invitations, and the form of another. */
export function Invitations({ invitations, onChange }: InvitationsProps) {
  const { open: revoked, setOpen: setRevoked, close } = useDialog<Invitation>(onChange);
  return (
    <section>
      <h2>Invitations</h2>
      <Invite onMade={onChange} />
      {invitations.length === 0 ? (
        <Empty>No invitation is open.</Empty>
      ) : (
        <Table
          caption="Invitations"
          rows={invitations}
          columns={[
            { title: "E-mail", wraps: true, cell: ({ email }) => email },
            { title: "Role", cell: ({ role }) => nameOf(role) },
            { title: "Made", cell: ({ createdAt }) => <Moment at={createdAt} /> },
            { title: "Expires", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
            {
              title: "Change",
              isActions: true,
              cell: (invitation) => (
                <button type="button" class="quiet" onClick={() => setRevoked(invitation)}>
                  Revoke
                </button>
              ),
            },
          ]}
        />
      )}
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
