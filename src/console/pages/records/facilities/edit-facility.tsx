import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Edit } from "../../../parts/forms/edit.js";
import { textOf } from "../../../parts/forms/values.js";
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
  const save = (values: FormData, { version }: Facility) => {
    const changes = { name: textOf(values, "name"), country: readCountry(values) };
    return run(UPDATE, { input: { id, ...changes, expectedVersion: version } });
  };
  return (
    <Edit<Facility>
      title={`Edit ${facility.name}`}
      row={facility}
      read={async () => (await run(READ, { id })).facility}
      save={save}
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
