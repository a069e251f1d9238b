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
  /** The record of the finding; null for a finding about no particular record. */
  readonly record: VerifiedRecord | null;
}

/** The form for a new finding. */
export function AddFinding({ request: { id }, record }: AddFindingProps) {
  const add = async (values: FormData) => {
    await run(OPERATION, { input: { id, recordId: record?.id ?? null, ...readFinding(values) } });
    showMessage({ text: "Finding added." });
  };
  return (
    <Confirm title="Add finding" action="Add" onConfirm={add} check={check}>
      {record && <Details items={describe(record)} />}
      <TextArea label="Finding" name="text" />
      <Select label="Severity" name="severity" options={SEVERITIES} />
      <NumberField
        label="Misstatement"
        name="misstatementTonnes"
        unit="tCO₂e"
        rule={anyNumber}
        hint="In tCO₂e. Positive if the total is too high, negative if it is too low. Leave empty if nothing is misstated"
      />
    </Confirm>
  );
}

const describe = (record: VerifiedRecord) => ({
  Record: record.id,
  Date: writeDay(record.recordedOn),
  Emissions: `${writeDecimal(record.co2eTonnesExact)} tCO₂e, ${nameOf(record.scope)}`,
  ...(record.source && { Source: record.source }),
  ...(record.note && { Note: record.note }),
});

const readFinding = (values: FormData) => ({
  text: textOf(values, "text").trim(),
  severity: textOf(values, "severity") as FindingSeverity,
  misstatementTonnes: optionalOf(values, "misstatementTonnes"),
});

/** Returns the problems that the browser can find in a finding. */
function check(values: FormData): readonly Problem[] {
  return need("text", readFinding(values).text !== "", "Describe the finding.");
}
