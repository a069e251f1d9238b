import { useState } from "preact/hooks";
import { countOf } from "../../../../domain/texts/count-of.js";
import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Checkbox } from "../../../parts/fields/checkboxes.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import type { Message } from "../../../parts/messages.js";
import type { Factor } from "../factors/factor.js";
import { FactorSearch } from "../factors/factor-search.js";
import type { Mapping } from "./read-mappings.js";

const SET = graphql(`
  mutation ConsoleChangeMapping($input: [ActivityMappingInput!]!) {
    setActivityMappings(input: $input) { mappings { id } }
  }
`);

const DELETE = graphql(`
  mutation ConsoleDeleteMapping($id: UUID!, $expectedVersion: Int) {
    deleteActivityMapping(input: { id: $id, expectedVersion: $expectedVersion }) { mapping { id } }
  }
`);

interface MappingProps {
  readonly mapping: Mapping;
}

/** Returns a message with an "Undo" that restores the mapping, unless its factor no longer exists. */
function describe(message: string, { text, unit, unitAs, region, fixedYear, factor }: Mapping): Message {
  if (factor === null) return { text: message };
  const input = [{ text, unit, unitAs, region, factorId: factor.id, fixedYear }];
  return { text: message, undo: () => run(SET, { input }) };
}

/** Edits the factor of a mapping. Records calculated with the old factor are unchanged. */
export function EditMapping({ mapping }: MappingProps) {
  const { text, unit, region, fixedYear } = mapping;
  const [factor, setFactor] = useState<Factor | null>(mapping.factor);
  const save = async (values: FormData) => {
    if (factor === null) throw new Error("Choose an emission factor.");
    // With another factor, the gateway decides again how to read the unit.
    const unitAs = factor.id === mapping.factor?.id ? mapping.unitAs : null;
    const input = { text, unit, unitAs, region, factorId: factor.id, fixedYear: values.has("fixed_year") };
    await run(SET, { input: [input] });
  };
  return (
    <Confirm
      title={`Edit the factor for ${text}`}
      action="Save"
      onConfirm={save}
      successMessage={() => describe(`Factor for ${text} saved.`, mapping)}
    >
      <p>
        For amounts in {unit}
        {region !== null && ` in ${region}`}. This doesn't change records that were already calculated.
      </p>
      <FactorSearch chosen={factor} day="" country={region} onChoose={setFactor} />
      <Checkbox label="Use this edition for every year" name="fixed_year" defaultChecked={fixedYear} />
    </Confirm>
  );
}

export function DeleteMapping({ mapping }: MappingProps) {
  const { id, text, version, recordCount } = mapping;
  const remove = () => run(DELETE, { id, expectedVersion: version });
  return (
    <Confirm
      title={`Delete the mapping of ${text}?`}
      action="Delete"
      onConfirm={remove}
      successMessage={() => describe(`Mapping of ${text} deleted.`, mapping)}
    >
      <p>
        Imports will search for a factor for this text again. This doesn't change the{" "}
        {countOf(recordCount, "record")} calculated with this mapping.
      </p>
    </Confirm>
  );
}
