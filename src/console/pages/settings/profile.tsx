import { useLocation } from "preact-iso";
import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { switchOrganization } from "../../gateway/session.js";
import { refreshViewer, useViewer, type Viewer } from "../../gateway/viewer.js";
import { Button } from "../../parts/button.js";
import { Details } from "../../parts/details.js";
import { Field } from "../../parts/fields/field.js";
import { Form } from "../../parts/forms/form.js";
import { textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { nameOf } from "../../parts/names.js";
import { describeRole } from "../../parts/roles.js";
import { useAttempt } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const RENAME_VIEWER = graphql(`
  mutation ConsoleRenameViewer($name: String!) {
    renameViewer(input: { name: $name }) { user { id name } }
  }
`);

/** The user's name and organizations. */
export function Profile() {
  const { user, role } = useViewer();
  const rename = async (values: FormData) => {
    await run(RENAME_VIEWER, { name: textOf(values, "name") });
    refreshViewer();
    showMessage({ text: "Name saved." });
  };
  return (
    <div class="cards">
      <section class="card">
        <h2>Account</h2>
        <Details items={{ "E-mail": user.email, Role: describeRole(role) }} />
        <Form submit="Save" onSubmit={rename} keepsValues>
          <Field label="Your name" name="name" value={user.name} autocomplete="name" required />
        </Form>
        <p>
          <a href="/console/settings/security">Change your e-mail address or password</a>
        </p>
      </section>
      <Organizations />
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
      // Reloads to clear the data of the previous organization.
      location.reload();
    });
  const actionsFor = (membership: Membership) =>
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
      <Table caption="Your organizations" rows={organizations} columns={COLUMNS} actions={actionsFor}>
        You don't belong to an organization.
      </Table>
    </section>
  );
}

const COLUMNS: readonly Column<Membership>[] = [
  { title: "Name", wraps: true, cell: ({ organization }) => <bdi>{organization.name}</bdi> },
  { title: "Your role", cell: ({ role }) => nameOf(role) },
];
