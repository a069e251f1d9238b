import { useLocation } from "preact-iso";
import { graphql } from "../../../generated/console.js";
import { askAndSend, run } from "../../gateway/run.js";
import { changeAddress, changePassword, switchOrganization } from "../../gateway/session.js";
import { refreshViewer, useViewer, type Viewer } from "../../gateway/viewer.js";
import { Button } from "../../parts/button.js";
import { Details } from "../../parts/details.js";
import { Field } from "../../parts/fields/field.js";
import { checkNewPassword, NewPassword } from "../../parts/fields/passwords.js";
import { Form } from "../../parts/forms/form.js";
import { need, textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { nameOf } from "../../parts/names.js";
import { mayDo } from "../../parts/roles.js";
import { useAttempt } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const RENAME_VIEWER = graphql(`
  mutation ConsoleRenameViewer($name: String!) {
    renameViewer(input: { name: $name }) { user { id name } }
  }
`);

/** The user's own account: name, password and organizations. */
export function Profile() {
  const { user, role } = useViewer();
  const rename = async (values: FormData) => {
    await run(RENAME_VIEWER, { name: textOf(values, "name") });
    refreshViewer();
    showMessage({ text: "Your name is changed." });
  };
  return (
    <div class="cards">
      <div class="column">
        <section class="card">
          <h2>Account</h2>
          <Details items={{ "E-mail": user.email, Role: mayDo(role) }} />
          <Form submit="Save" onSubmit={rename} keepsValues>
            <Field label="Your name" name="name" value={user.name} autocomplete="name" required />
          </Form>
        </section>
        <Organizations />
      </div>
      <div class="column">
        <ChangePassword />
        <ChangeAddress />
      </div>
    </div>
  );
}

type Membership = Viewer["organizations"][number];

function Organizations() {
  const { organization: active, organizations } = useViewer();
  const { route } = useLocation();
  const { attempt, complaint } = useAttempt();
  const change = ({ organization }: Membership) =>
    attempt(async () => {
      await switchOrganization(organization.slug);
      route("/console/");
      // No data of one organization may remain next to another's.
      location.reload();
    });
  const offer = (membership: Membership) =>
    membership.organization.slug === active.slug ? (
      "Active"
    ) : (
      <Button
        label="Switch"
        look="quiet"
        aria-label={`Switch to ${membership.organization.name}`}
        onClick={() => change(membership)}
      />
    );
  return (
    <section class="card">
      <h2>Your organizations</h2>
      {complaint}
      <Table caption="Your organizations" rows={organizations} columns={COLUMNS} actions={offer}>
        You belong to no organization.
      </Table>
    </section>
  );
}

const COLUMNS: readonly Column<Membership>[] = [
  { title: "Name", wraps: true, cell: ({ organization }) => <bdi>{organization.name}</bdi> },
  { title: "Your role", cell: ({ role }) => nameOf(role) },
];

function ChangeAddress() {
  const change = async (values: FormData) => {
    const email = textOf(values, "email");
    await askAndSend(() => changeAddress(email));
    showMessage({ text: `We sent a link to ${email}. Open it to confirm the address.` });
  };
  return (
    <section class="card">
      <h2>E-mail address</h2>
      <p>You sign in with the present address until you confirm the new one.</p>
      <Form submit="Change address" onSubmit={change}>
        <Field label="New e-mail address" name="email" type="email" autocomplete="email" required />
      </Form>
    </section>
  );
}

function ChangePassword() {
  const change = async (values: FormData) => {
    await changePassword(textOf(values, "current"), textOf(values, "password"));
    showMessage({ text: "Your password is changed. Your other sessions are signed out." });
  };
  const check = (values: FormData) => [
    ...need("current", textOf(values, "current") !== "", "Enter the password that you have now."),
    ...checkNewPassword(values),
  ];
  return (
    <section class="card">
      <h2>Password</h2>
      <p>
        Changing your password signs out all other <a href="/console/settings/sessions">sessions</a>.
      </p>
      <Form submit="Change password" onSubmit={change} check={check}>
        <Field label="Current password" name="current" type="password" autocomplete="current-password" />
        <NewPassword label="New password" />
      </Form>
    </section>
  );
}
