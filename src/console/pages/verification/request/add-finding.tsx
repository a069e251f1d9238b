import { type FindingSeverity, graphql } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { run } from "../../../gateway/run.js";
import { Details } from "../../../parts/details.js";
import { TextArea } from "../../../parts/fields/field.js";
import { NumberField } from "../../../parts/fields/number.js";
import { anyNumber } from "../../../parts/fields/number-rules.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { need, optionalOf, textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { writeDay } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { writeDecimal } from "../../../parts/numbers.js";
import { SEVERITIES } from "../names.js";
import type { Request, VerifiedRecord } from "../read-requests.js";

const OPERATION = graphql(`
  mutation ConsoleAddVerificationFinding($input: AddVerificationFindingInput!) {
    addVerificationFinding(input: $input) { isNew }
  }
`);

interface AddFindingProps {
  readonly request: Request;
  /** The record of the finding; null if it concerns no particular record. */
  readonly record: VerifiedRecord | null;
}

/** The form of a verifier's finding. */
export function AddFinding({ request: { id }, record }: AddFindingProps) {
  const add = async (values: FormData) => {
    await run(OPERATION, { input: { id, recordId: record?.id ?? null, ...readFinding(values) } });
    showMessage({ text: "Finding added." });
  };
  return (
    <Confirm title="Add a finding" action="Add" onConfirm={add} check={check}>
      {record && <Details items={describe(record)} />}
      <TextArea label="What you found" name="text" />
      <Select label="Severity" name="severity" options={SEVERITIES} />
      <NumberField
        label="Misstatement in tCO₂e"
        name="misstatementTonnes"
        unit="tCO₂e"
        rule={anyNumber}
        hint="By how much the total is too high, with a minus if it is too low. Empty if it is not misstated"
      />
    </Confirm>
  );
}

const describe = (record: VerifiedRecord) => ({
  Record: record.id,
  Day: writeDay(record.recordedOn),
  Emissions: `${writeDecimal(record.co2eTonnesExact)} tCO₂e, ${nameOf(record.scope)}`,
  ...(record.source && { Source: record.source }),
  ...(record.note && { Note: record.note }),
});

const readFinding = (values: FormData) => ({
  text: textOf(values, "text").trim(),
  severity: textOf(values, "severity") as FindingSeverity,
  misstatementTonnes: optionalOf(values, "misstatementTonnes"),
});

/** Checks a finding, as far as a browser can. */
function check(values: FormData): readonly Problem[] {
  return need("text", readFinding(values).text !== "", "Say what you found.");
}
