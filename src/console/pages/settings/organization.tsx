import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { changePassword, switchOrganization } from "../../gateway/session.js";
import { useScope, useViewer } from "../../gateway/viewer.js";
import { Details } from "../../parts/details.js";
import { Field } from "../../parts/fields/field.js";
import { checkNewPassword, NewPassword } from "../../parts/fields/passwords.js";
import { Select } from "../../parts/fields/select.js";
import { Form } from "../../parts/forms/form.js";
import { textOf } from "../../parts/forms/values.js";
import { nameOf } from "../../parts/names.js";

const RENAME_ORGANIZATION = graphql(`
  mutation ConsoleRenameOrganization($name: String!) {
    renameOrganization(input: { name: $name }) { organization { id name } }
  }
`);

const RENAME_VIEWER = graphql(`
  mutation ConsoleRenameViewer($name: String!) {
    renameViewer(input: { name: $name }) { user { id name } }
  }
`);

/** The organization's name, the user's account in it, and the user's other organizations. */
export function OrganizationSettings() {
  const { organization, organizations, role, user } = useViewer();
  const mayRename = useScope("manage:organization");
  const renameOrganization = async (values: FormData) => {
    await run(RENAME_ORGANIZATION, { name: textOf(values, "name") });
    location.reload();
  };
  const renameViewer = async (values: FormData) => {
    await run(RENAME_VIEWER, { name: textOf(values, "name") });
    location.reload();
  };
  return (
    <div class="cards">
      <section class="card">
        <h2>Organization</h2>
        <Details
          items={{
            Name: organization.name,
            "Short name": organization.slug,
            Plan: `${nameOf(organization.plan)}, the highest tier of its keys`,
            "Your role": nameOf(role),
          }}
        />
        {mayRename && (
          <Form submit="Rename" onSubmit={renameOrganization}>
            <Field label="New name" name="name" value={organization.name} required />
          </Form>
        )}
        {organizations.length > 1 && <Switch />}
      </section>
      <div class="column">
        <section class="card">
          <h2>Your account</h2>
          <Details items={{ "E-mail": user.email }} />
          <Form submit="Save" onSubmit={renameViewer}>
            <Field label="Your name" name="name" value={user.name} autocomplete="name" required />
          </Form>
        </section>
        <ChangePassword />
      </div>
    </div>
  );
}

function Switch() {
  const { organization, organizations } = useViewer();
  const { route } = useLocation();
  const names = new Map(organizations.map((one) => [one.organization.slug, one.organization.name]));
  const change = async (values: FormData) => {
    await switchOrganization(textOf(values, "slug"));
    route("/console/");
    // No data of one organization may remain next to another's.
    location.reload();
  };
  return (
    <Form submit="Go there" onSubmit={change}>
      <Select
        label="Your organizations"
        name="slug"
        options={[...names.keys()]}
        call={(slug) => names.get(slug) ?? slug}
        value={organization.slug}
      />
    </Form>
  );
}

function ChangePassword() {
  const [isChanged, setChanged] = useState(false);
  const change = async (values: FormData) => {
    setChanged(false);
    await changePassword(textOf(values, "current"), textOf(values, "password"));
    setChanged(true);
  };
  return (
    <section class="card">
      <h2>Password</h2>
      <Form submit="Change password" onSubmit={change} check={checkNewPassword}>
        <Field label="Present password" name="current" type="password" autocomplete="current-password" />
        <NewPassword label="New password" consequence=" Your other sessions end." />
      </Form>
      <p role="status">{isChanged && "Your password is changed."}</p>
    </section>
  );
}
