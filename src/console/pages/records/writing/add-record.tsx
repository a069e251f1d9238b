import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { useDialog } from "../../../parts/forms/dialogs.js";
import { optionalOf } from "../../../parts/forms/values.js";
import { writeDecimal } from "../../../parts/numbers.js";
import { RecordFields } from "./record-fields.js";
import { checkRecordForm, placeRecordFailure, readRecordForm } from "./record-form.js";
import { useUnusualQuestion } from "./unusual-question.js";
import { WithFacility } from "./with-facility.js";

const OPERATION = graphql(`
  mutation ConsoleAddRecord($input: [EmissionRecordInput!]!, $accept: [ImportQuestion!]) {
    createEmissionRecords(input: $input, accept: $accept) {
      createdCount
      records { id recordedOn co2eTonnesExact }
    }
  }
`);

/** The form of a new record. Confirms what it added, because the day may be outside of the listed range. */
export function AddRecord() {
  const { say } = useDialog();
  const { shown, save } = useUnusualQuestion();
  const send = async (values: FormData) => {
    const input = [{ ...readRecordForm(values), reference: optionalOf(values, "reference") }];
    try {
      const { createEmissionRecords } = await save((accept) => run(OPERATION, { input, accept }));
      const [record] = createEmissionRecords?.records ?? [];
      const outcome = createEmissionRecords?.createdCount === 1 ? "Added" : "Already on record";
      if (record) say(`${outcome}: ${writeDecimal(record.co2eTonnesExact)} tCO₂e on ${record.recordedOn}.`);
    } catch (failure) {
      throw placeRecordFailure(failure);
    }
  };
  return (
    <WithFacility facility={null}>
      {(choice) => (
        <>
          <Confirm title="Add a record" action="Add" onConfirm={send} check={checkRecordForm}>
            <RecordFields record={null} {...choice} />
          </Confirm>
          {shown}
        </>
      )}
    </WithFacility>
  );
}
