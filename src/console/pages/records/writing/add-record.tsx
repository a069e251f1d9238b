import { type ConsoleAddRecordMutation, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { Form, textOf } from "../../../parts/forms/form.js";
import { RecordFields } from "./record-fields.js";
import { checkRecordForm, placeRecordFailure, readRecordForm } from "./record-form.js";
import { WithFacility } from "./with-facility.js";

const OPERATION = graphql(`
  mutation ConsoleAddRecord($input: [EmissionRecordInput!]!) {
    createEmissionRecords(input: $input) {
      createdCount
      records { id recordedOn co2eTonnesExact }
    }
  }
`);

/** A record that was added, or was there already. */
export type AddedRecord = NonNullable<
  ConsoleAddRecordMutation["createEmissionRecords"]
>["records"][number] & { readonly isNew: boolean };

interface AddRecordProps {
  readonly onClose: () => void;
  readonly onAdded: (record: AddedRecord) => void;
}

/** The form of a new record. */
export function AddRecord({ onClose, onAdded }: AddRecordProps) {
  const send = async (values: FormData) => {
    const reference = textOf(values, "reference").trim() || null;
    try {
      const { createEmissionRecords } = await run(OPERATION, {
        input: [{ ...readRecordForm(values), reference }],
      });
      const [record] = createEmissionRecords?.records ?? [];
      if (record) onAdded({ ...record, isNew: createEmissionRecords?.createdCount === 1 });
    } catch (failure) {
      throw placeRecordFailure(failure);
    }
    onClose();
  };
  return (
    <WithFacility facility={null}>
      {(choice) => (
        <Dialog title="Add a record" onClose={onClose}>
          <Form submit="Add" onSubmit={send} onCancel={onClose} check={checkRecordForm}>
            <RecordFields record={null} {...choice} />
          </Form>
        </Dialog>
      )}
    </WithFacility>
  );
}
