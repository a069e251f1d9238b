import { graphql, type UpdateEmissionRecordInput } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { useDialog } from "../../../parts/forms/dialogs.js";
import { Edit } from "../../../parts/forms/edit.js";
import { changesOf } from "../../../parts/forms/values.js";
import { nameOf } from "../../../parts/names.js";
import { writeDecimal } from "../../../parts/numbers.js";
import { ShownData } from "../../../parts/states.js";
import {
  type EmissionRecord,
  type ListedRecord,
  READ_RECORD,
  type RecordTextName,
  TEXT_NAMES,
  TEXTS,
} from "../read-records.js";
import { RecordFields } from "./record-fields.js";
import { checkRecordForm, placeRecordFailure, readRecordForm } from "./record-form.js";
import { useUnusualQuestion } from "./unusual-question.js";
import { WithFacility } from "./with-facility.js";

const UPDATE = graphql(`
  mutation ConsoleUpdateRecord($input: UpdateEmissionRecordInput!) {
    updateEmissionRecord(input: $input) { emissionRecord { id version } }
  }
`);

/** Changes a record after reading it. */
export function EditRecord({ record: { id, recordedOn } }: { record: ListedRecord }) {
  const { close } = useDialog();
  const answer = useQuery(READ_RECORD, { id });
  const record = answer.data?.emissionRecord;
  if (record) return <EditForm record={record} />;
  return (
    <Dialog title={titleOf(recordedOn)} onClose={() => close()}>
      <ShownData answer={answer} as="short">
        {() => <p>Somebody has deleted this record in the meantime.</p>}
      </ShownData>
    </Dialog>
  );
}

const titleOf = (recordedOn: string) => `Edit the record of ${recordedOn}`;

function EditForm({ record }: { record: EmissionRecord }) {
  const { id } = record;
  const { shown, save } = useUnusualQuestion();
  const change = async (values: FormData, before: EmissionRecord) => {
    const changes = patchOf(before, readRecordForm(values));
    if (Object.keys(changes).length === 0) return;
    try {
      const input = { id, ...changes, expectedVersion: before.version };
      await save((accept) => run(UPDATE, { input: { ...input, accept } }));
    } catch (failure) {
      throw placeRecordFailure(failure);
    }
  };
  return (
    <WithFacility facility={record.facility}>
      {(choice) => (
        <>
          <Edit<EmissionRecord>
            title={titleOf(record.recordedOn)}
            row={record}
            read={async () => (await run(READ_RECORD, { id })).emissionRecord}
            save={change}
            check={checkRecordForm}
            describe={describeRecord}
          >
            {(present) => <RecordFields record={present} {...choice} />}
          </Edit>
          {shown}
        </>
      )}
    </WithFacility>
  );
}

const describeRecord = (record: EmissionRecord) => ({
  Day: record.recordedOn,
  Scope: nameOf(record.scope),
  "Tonnes CO2e": writeDecimal(record.co2eTonnesExact),
  Facility: record.facility?.name,
  Category: record.category,
  ...Object.fromEntries(TEXTS.map(([name, { label }]) => [label, record[name]])),
});

/** Returns the parts that differ. The gateway does not recalculate an unchanged activity. */
function patchOf(
  before: EmissionRecord,
  { activity, co2eTonnes, ...parts }: ReturnType<typeof readRecordForm>,
): Omit<UpdateEmissionRecordInput, "id"> {
  const { recordedOn, scope, category } = before;
  const texts = Object.fromEntries(TEXT_NAMES.map((name) => [name, before[name]])) as Pick<
    EmissionRecord,
    RecordTextName
  >;
  const facility = before.facility?.code ?? null;
  const marketBasedTonnes = before.marketBasedTonnesExact;
  return {
    ...changesOf({ recordedOn, scope, category, facility, marketBasedTonnes, ...texts }, parts),
    ...(co2eTonnes !== null &&
      (before.activity !== null || co2eTonnes !== before.co2eTonnesExact) && { co2eTonnes }),
    ...(activity !== null && !isSameActivity(before, activity) && { activity }),
  };
}

type Given = NonNullable<ReturnType<typeof readRecordForm>["activity"]>;

function isSameActivity({ activity: there, calculation }: EmissionRecord, given: Given): boolean {
  const factorId = calculation?.factor?.id ?? null;
  const parts = ({ amount, unit, gas, gwp, fossil }: Partial<Given>, factor: Given["factorId"]) =>
    JSON.stringify([amount, unit, factor ?? null, gas ? [gas, gwp, fossil ?? false] : null]);
  return (
    there !== null &&
    parts({ ...there, amount: there.amountExact }, factorId) === parts(given, given.factorId)
  );
}
