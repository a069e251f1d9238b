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

/** The form of a new record. Its message links to the record, whose day may be outside of the listed range. */
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
          <Confirm title="Add a record" action="Add" onConfirm={send} said={describe} check={checkRecordForm}>
            <RecordFields record={null} {...choice} />
          </Confirm>
          {shown}
        </>
      )}
    </WithFacility>
  );
}

/** Describes what was added. A record whose reference exists with the same content is not added again. */
function describe(payload: ConsoleAddRecordsMutation["createEmissionRecords"]): Message | undefined {
  const [record] = payload?.records ?? [];
  if (record === undefined) return undefined;
  const { id, version } = record;
  const link = { label: "Show record", href: linkToRecord(id) };
  if (payload?.createdCount !== 1) return { text: `${nameOfRecord(record)} exists already.`, link };
  const undo = () => run(DELETE, { id, version, reason: "Added by mistake" });
  return { text: `Added ${nameOfRecord(record)}.`, link, undo };
}
