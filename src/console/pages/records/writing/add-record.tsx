import type { ConsoleAddRecordsMutation } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { optionalOf } from "../../../parts/forms/values.js";
import type { Message } from "../../../parts/messages.js";
import { linkToRecord, nameOfRecord } from "../read-records.js";
import { DELETE } from "./delete-records.js";
import { RecordFields } from "./record-fields.js";
import { checkRecordForm, placeRecordFailure, readRecordForm } from "./record-form.js";
import { CREATE } from "./undo.js";
import { useUnusualQuestion } from "./unusual-question.js";
import { WithFacility } from "./with-facility.js";

/** The form for a new record. Its message links to the record, which may be outside the listed dates. */
export function AddRecord() {
  const { shown, save } = useUnusualQuestion();
  const send = async (values: FormData) => {
    const input = [{ ...readRecordForm(values), reference: optionalOf(values, "reference") }];
    try {
      return (await save((accept) => run(CREATE, { input, accept }))).createEmissionRecords;
    } catch (failure) {
      throw placeRecordFailure(failure);
    }
  };
  return (
    <WithFacility facility={null}>
      {(choice) => (
        <>
          <Confirm
            title="Add record"
            action="Add"
            onConfirm={send}
            successMessage={describe}
            check={checkRecordForm}
          >
            <RecordFields record={null} {...choice} />
          </Confirm>
          {shown}
        </>
      )}
    </WithFacility>
  );
}

/** Describes the added record. The gateway does not add a record again if its reference and content already exist. */
function describe(payload: ConsoleAddRecordsMutation["createEmissionRecords"]): Message | undefined {
  const [record] = payload?.records ?? [];
  if (record === undefined) return undefined;
  const { id, version } = record;
  const link = { label: "Show record", href: linkToRecord(id) };
  if (payload?.createdCount !== 1) return { text: `${nameOfRecord(record)} already exists.`, link };
  const undo = () => run(DELETE, { id, version, reason: "Added by mistake" });
  return { text: `${nameOfRecord(record)} added.`, link, undo };
}
