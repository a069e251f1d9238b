import { graphql, type Role } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { useDialog } from "../../../parts/forms/dialogs.js";
import { Form } from "../../../parts/forms/form.js";
import { SecretDialog } from "../../../parts/forms/secret-dialog.js";
import { textOf } from "../../../parts/forms/values.js";
import { MailNote } from "../../../parts/mail-note.js";
import { rolesOf } from "../../../parts/roles.js";

const OPERATION = graphql(`
  mutation ConsoleInviteMember($email: String!, $role: Role!) {
    inviteMember(input: { email: $email, role: $role }) {
      link
      invitation { email }
    }
  }
`);

/** Invites a new member, and shows the link to send them. */
export function Invite() {
  const { scopes } = useViewer();
  const { finish } = useDialog();
  const invite = async (values: FormData) => {
    const variables = { email: textOf(values, "email"), role: textOf(values, "role") as Role };
    const { inviteMember } = await run(OPERATION, variables);
    if (!inviteMember) return;
    await finish(
      <SecretDialog
        title={`Invitation for ${inviteMember.invitation.email}`}
        intro="Copy this link and send it to your colleague. It works once, within 7 days. You won't be able to see it again."
        label="Invitation link"
        value={inviteMember.link}
      >
        <MailNote
          mailed="We also e-mailed them a separate link that confirms their address."
          notMailed="This gateway doesn't send e-mails, so your colleague gets the link only from you."
        />
      </SecretDialog>,
    );
  };
  return (
    <div class="inline">
      <Form submit="Invite" onSubmit={invite}>
        <Field label="E-mail" name="email" type="email" required />
        <Select label="Role" name="role" options={rolesOf(scopes)} />
      </Form>
    </div>
  );
}
