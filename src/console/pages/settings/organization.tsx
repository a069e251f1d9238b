import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { refreshViewer, useScope, useViewer } from "../../gateway/viewer.js";
import { Details } from "../../parts/details.js";
import { Field } from "../../parts/fields/field.js";
import { Form } from "../../parts/forms/form.js";
import { textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { nameOf } from "../../parts/names.js";
import { limitOf } from "./keys/tiers.js";

const RENAME_ORGANIZATION = graphql(`
  mutation ConsoleRenameOrganization($name: String!) {
    renameOrganization(input: { name: $name }) { organization { id name } }
  }
`);

/** The organization's name and plan. */
export function OrganizationSettings() {
  const { organization } = useViewer();
  const mayRename = useScope("manage:organization");
  const rename = async (values: FormData) => {
    await run(RENAME_ORGANIZATION, { name: textOf(values, "name") });
    refreshViewer();
    showMessage({ text: "Organization renamed." });
  };
  return (
    <div class="cards">
      <section class="card">
        <h2>Name and plan</h2>
        <Details
          items={{
            Name: organization.name,
            "Short name": organization.slug,
            Plan: `${nameOf(organization.plan)}: up to ${limitOf(organization.plan)} for each API key`,
          }}
        />
        {mayRename && (
          <Form submit="Rename" onSubmit={rename} keepsValues>
            <Field label="New name" name="name" value={organization.name} required />
          </Form>
        )}
      </section>
    </div>
  );
}
