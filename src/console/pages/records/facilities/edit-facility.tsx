import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Edit } from "../../../parts/forms/edit.js";
import { optionalsOf, textOf } from "../../../parts/forms/values.js";
import type { Message } from "../../../parts/messages.js";
import { CountryField, readCountry } from "./country.js";
import type { Facility } from "./read-facilities.js";

const READ = graphql(`
  query ConsoleFacility($id: UUID!) {
    facility(id: $id) { id code name country entity electricityMarket archivedAt version }
  }
`);

const UPDATE = graphql(`
  mutation ConsoleUpdateFacility($input: UpdateFacilityInput!) {
    updateFacility(input: $input) { facility { id version } }
  }
`);

export function EditFacility({ facility }: { facility: Facility }) {
  const { id } = facility;
  const save = async (values: FormData, { version }: Facility, current: Facility) => {
    const { name, country, entity, electricityMarket } = current;
    const changes = {
      name: textOf(values, "name"),
      country: readCountry(values),
      ...optionalsOf(values, "entity", "electricityMarket"),
    };
    const { updateFacility } = await run(UPDATE, { input: { id, ...changes, expectedVersion: version } });
    if (updateFacility === null) return undefined;
    const { version: expectedVersion } = updateFacility.facility;
    return {
      text: `${changes.name} saved.`,
      undo: () => run(UPDATE, { input: { id, name, country, entity, electricityMarket, expectedVersion } }),
    };
  };
  return (
    <Edit<Facility, Message | undefined>
      title={`Edit ${facility.name}`}
      row={facility}
      read={async () => (await run(READ, { id })).facility}
      save={save}
      successMessage={(message) => message}
      describe={({ name, country, entity, electricityMarket }) => ({
        Name: name,
        Country: country,
        Entity: entity,
        "Electricity market": electricityMarket,
      })}
    >
      {({ name, country, entity, electricityMarket }) => (
        <>
          <Field label="Name" name="name" value={name} />
          <CountryField value={country ?? ""} />
          <div class="pair">
            <Field
              label="Entity"
              name="entity"
              value={entity ?? ""}
              hint="Code of the entity it belongs to. Leave empty for the organization itself"
            />
            <Field
              label="Electricity market"
              name="electricityMarket"
              value={electricityMarket ?? ""}
              hint="For example, GB. Leave empty to use its country's market"
            />
          </div>
        </>
      )}
    </Edit>
  );
}
