import { type FindingSeverity, graphql } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { run } from "../../../gateway/run.js";
import { Details } from "../../../parts/details.js";
import { Field, TextArea } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { isDecimal, need, optionalOf, textOf } from "../../../parts/forms/values.js";
import { nameOf } from "../../../parts/names.js";
import { SEVERITIES } from "../names.js";
import type { Request, VerifiedRecord } from "../read-requests.js";

const OPERATION = graphql(`
  mutation ConsoleAddVerificationFinding($input: AddVerificationFindingInput!) {
    addVerificationFinding(input: $input) { isNew }
  }
`);

interface AddFindingProps {
  readonly request: Request;
  /** The record that it is about; null if it is about none in particular. */
  readonly record: VerifiedRecord | null;
}

/** Records what the verifier found. */
export function AddFinding({ request: { id }, record }: AddFindingProps) {
  const add = async (values: FormData) => {
    await run(OPERATION, { input: { id, recordId: record?.id ?? null, ...readFinding(values) } });
  };
  return (
    <Confirm title="Add a finding" action="Add" onConfirm={add} check={check}>
      {record && <Details items={describe(record)} />}
      <TextArea label="What you found" name="text" />
      <Select label="Severity" name="severity" options={SEVERITIES} />
      <Field
        label="Misstatement in tCO₂e"
        name="misstatementTonnes"
        inputmode="decimal"
        hint="By how much the total is too high, with a minus if it is too low. Empty if it is not misstated"
      />
    </Confirm>
  );
}

const describe = (record: VerifiedRecord) => ({
  Record: record.id,
  Day: record.recordedOn,
  Emissions: `${record.co2eTonnesExact} tCO₂e, ${nameOf(record.scope)}`,
  ...(record.source && { Source: record.source }),
  ...(record.note && { Note: record.note }),
});

const readFinding = (values: FormData) => ({
  text: textOf(values, "text").trim(),
  severity: textOf(values, "severity") as FindingSeverity,
  misstatementTonnes: optionalOf(values, "misstatementTonnes"),
});

/** What is wrong with a finding, as far as a browser can tell. */
function check(values: FormData): readonly Problem[] {
  const { text, misstatementTonnes } = readFinding(values);
  const isNumber = misstatementTonnes === null || isDecimal(misstatementTonnes.replace(/^-/, ""));
  const expected = `Expected a number such as 12.5 or -3, got ${misstatementTonnes}.`;
  return [
    ...need("text", text !== "", "Say what you found."),
    ...need("misstatementTonnes", isNumber, expected),
  ];
}
