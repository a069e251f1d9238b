import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Edit } from "../../../parts/forms/edit.js";
import { textOf } from "../../../parts/forms/values.js";
import type { Message } from "../../../parts/messages.js";
import { CountryField, readCountry } from "./country.js";
import type { Facility } from "./read-facilities.js";

const READ = graphql(`
  query ConsoleFacility($id: UUID!) {
    facility(id: $id) { id code name country archivedAt version }
  }
`);

const UPDATE = graphql(`
  mutation ConsoleUpdateFacility($input: UpdateFacilityInput!) {
    updateFacility(input: $input) { facility { id version } }
  }
`);

/** Changes a facility's name and country. */
export function EditFacility({ facility }: { facility: Facility }) {
  const { id } = facility;
  const save = async (values: FormData, { version }: Facility, { name, country }: Facility) => {
    const changes = { name: textOf(values, "name"), country: readCountry(values) };
    const { updateFacility } = await run(UPDATE, { input: { id, ...changes, expectedVersion: version } });
    if (updateFacility === null) return undefined;
    const { version: expectedVersion } = updateFacility.facility;
    return {
      text: `Saved ${changes.name}.`,
      undo: () => run(UPDATE, { input: { id, name, country, expectedVersion } }),
    };
  };
  return (
    <Edit<Facility, Message | undefined>
      title={`Edit ${facility.name}`}
      row={facility}
      read={async () => (await run(READ, { id })).facility}
      save={save}
      said={(message) => message}
      describe={({ name, country }) => ({ Name: name, Country: country })}
    >
      {({ name, country }) => (
        <>
          <Field label="Name" name="name" value={name} />
          <CountryField value={country ?? ""} />
        </>
      )}
    </Edit>
  );
}
