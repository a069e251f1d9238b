import { useQuery } from "../../gateway/use-query.js";
import { Button } from "../../parts/button.js";
import { Details } from "../../parts/details.js";
import { Dialog } from "../../parts/forms/dialog.js";
import { useDialog } from "../../parts/forms/dialogs.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { writeDecimal } from "../../parts/numbers.js";
import { ShownData } from "../../parts/states.js";
import { type EmissionRecord, type ListedRecord, READ_RECORD, TEXTS } from "./read-records.js";
import { ShownCalculation } from "./writing/calculation.js";

interface RecordDetailsProps {
  /** Without its day, the record gets a link to the list of its day. */
  readonly record: Pick<ListedRecord, "id"> & Partial<Pick<ListedRecord, "recordedOn">>;
}

/** All data of one record. */
export function RecordDetails({ record: { id, recordedOn } }: RecordDetailsProps) {
  const { open } = useDialog();
  const leave = () => open(null);
  const answer = useQuery(READ_RECORD, { id });
  return (
    <Dialog title={recordedOn ? `Record of ${recordedOn}` : "Record"} onClose={leave}>
      <ShownData answer={answer} as="short">
        {({ emissionRecord }) =>
          emissionRecord ? (
            <Parts record={emissionRecord} isListed={recordedOn !== undefined} />
          ) : (
            <p>Somebody has deleted it meanwhile.</p>
          )
        }
      </ShownData>
      <div class="buttons">
        <Button label="Close" look="primary" onClick={leave} />
      </div>
    </Dialog>
  );
}

function Parts({ record, isListed }: { record: EmissionRecord; isListed: boolean }) {
  const { facility, category, activity, calculation, marketBasedTonnesExact } = record;
  return (
    <>
      <Details
        items={{
          ...(!isListed && { Day: <a href={recordsOfDay(record.recordedOn)}>{record.recordedOn}</a> }),
          Emissions: `${writeDecimal(record.co2eTonnesExact)} tCO₂e`,
          ...(marketBasedTonnesExact !== null && {
            "Market-based": `${writeDecimal(marketBasedTonnesExact)} tCO₂e`,
          }),
          Scope: nameOf(record.scope),
          Facility:
            facility && `${facility.name} (${[facility.code, facility.country].filter(Boolean).join(", ")})`,
          Category: category && nameOf(category),
          ...(activity && { Activity: describeActivity(record) }),
          Reference: record.reference,
          ...Object.fromEntries(TEXTS.map(([name, { label }]) => [label, record[name]])),
          Added: <Moment at={record.createdAt} />,
          ...(record.updatedAt && { Changed: <Moment at={record.updatedAt} /> }),
          Identifier: record.id,
        }}
      />
      {calculation && (
        <section class="card calculation" aria-label="Calculation">
          <ShownCalculation calculation={calculation} />
        </section>
      )}
    </>
  );
}

/** Returns the link to the records of one day. */
const recordsOfDay = (day: string) => `/console/records?${new URLSearchParams({ from: day, to: day })}`;

function describeActivity({ activity, calculation }: EmissionRecord): string {
  const { activity: name, detail } = calculation?.factor ?? { activity: activity?.gas, detail: null };
  return `${writeDecimal(activity?.amountExact ?? "0")} ${activity?.unit}, ${[name, detail].filter(Boolean).join(", ")}`;
}
