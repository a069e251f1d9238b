import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textsOf } from "../../../parts/forms/values.js";
import type { ChosenFacility } from "../writing/facility-search.js";
import { CountryField, readCountry } from "./country.js";

const OPERATION = graphql(`
  mutation ConsoleCreateFacility($input: CreateFacilityInput!) {
    createFacility(input: $input) { facility { code name country } }
  }
`);

interface CreateFacilityProps {
  readonly onCreated?: (facility: ChosenFacility) => void;
  /** Closes the page's dialog by default. */
  readonly onClose?: () => void;
}

/** The form for a new facility. */
export function CreateFacility({ onCreated, onClose }: CreateFacilityProps) {
  const send = async (values: FormData) => {
    const input = { ...textsOf(values, "code", "name"), country: readCountry(values) };
    const { createFacility } = await run(OPERATION, { input });
    if (createFacility) onCreated?.(createFacility.facility);
    return createFacility?.facility;
  };
  return (
    <Confirm
      title="Create facility"
      action="Create"
      onConfirm={send}
      successMessage={(created) => created && { text: `${created.name} (${created.code}) created.` }}
      onClose={onClose}
    >
      <Field label="Name" name="name" />
      <div class="pair">
        <Field label="Code" name="code" hint="Short and unique, e.g. LDN-1. You can't change it later" />
        <CountryField value="" />
      </div>
    </Confirm>
  );
}
