import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { type Column, Table } from "../../../parts/table.js";
import { Invite } from "./invite.js";
import type { Invitation } from "./read-members.js";

const REVOKE = graphql(`
  mutation ConsoleRevokeInvitation($id: UUID!) {
    revokeInvitation(input: { id: $id }) { invitation { id } }
  }
`);

/** Pending invitations, with a form for a new one. */
export const Invitations = ({ invitations }: { invitations: readonly Invitation[] }) => (
  <section>
    <h2>Invitations</h2>
    <Invite />
    <Table caption="Invitations" rows={invitations} columns={COLUMNS} actions={actionsFor}>
      No pending invitations.
    </Table>
  </section>
);

const COLUMNS: readonly Column<Invitation>[] = [
  { title: "E-mail", wraps: true, cell: ({ email }) => email },
  { title: "Role", cell: ({ role }) => nameOf(role) },
  { title: "Created", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: "Expires", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
];

const actionsFor = (invitation: Invitation) => (
  <DialogButton label="Revoke" look="quiet" opens={<Revoke invitation={invitation} />} />
);

const Revoke = ({ invitation: { id, email } }: { invitation: Invitation }) => (
  <Confirm
    title={`Revoke the invitation for ${email}?`}
    action="Revoke"
    onConfirm={() => run(REVOKE, { id })}
    successMessage={`Invitation for ${email} revoked.`}
  >
    <p>The invitation link will stop working.</p>
  </Confirm>
);
