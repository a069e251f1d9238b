import { useState } from "preact/hooks";
import type { EmissionScope } from "../../../../generated/console.js";
import { Button } from "../../../parts/button.js";
import { dayOf } from "../../../parts/days.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { SCOPES } from "../filters.js";
import { type EmissionRecord, type RecordTextName, TEXT_NAMES, TEXTS } from "../read-records.js";
import { AmountFields } from "./amount-fields.js";
import { FacilitySearch } from "./facility-search.js";
import type { ChosenFactor } from "./factor-search.js";
import type { FacilityChoice } from "./with-facility.js";

interface RecordFieldsProps extends FacilityChoice {
  /** What is edited; null for a new record. */
  readonly record: EmissionRecord | null;
}

/** The fields of a record. A factor that is chosen sets the scope, and the category if there is none. */
export function RecordFields({ record, facility, onFacility, onNewFacility }: RecordFieldsProps) {
  const [scope, setScope] = useState<EmissionScope>(record?.scope ?? "SCOPE_1");
  const [category, setCategory] = useState(record?.category ?? "");
  const take = (factor: ChosenFactor) => {
    setScope(factor.scope);
    setCategory((before) => before || factor.category);
  };
  return (
    <>
      <div class="pair">
        <Field
          label="Day"
          name="recordedOn"
          type="date"
          value={record?.recordedOn ?? dayOf(Date.now())}
          required
        />
        <Select label="Scope" name="scope" options={SCOPES} value={scope} onChange={setScope} />
      </div>
      <div class="with-button">
        <FacilitySearch chosen={facility} onChoose={onFacility} />
        <Button label="New facility…" onClick={onNewFacility} />
      </div>
      <input type="hidden" name="facilityCode" value={facility?.code ?? ""} />
      <AmountFields record={record} onFactor={take} />
      {scope === "SCOPE_2" && (
        <Field
          label="Market-based tonnes of CO₂e"
          name="marketBasedTonnes"
          value={record?.marketBasedTonnesExact ?? ""}
          hint="By contracts and certificates. Stands beside the amount, and is never added to it"
        />
      )}
      <div class="pair">
        <Field key={category} label="Category" name="category" value={category} />
        <TextField name="source" record={record} />
      </div>
      {record === null && (
        <Field
          label="Reference"
          name="reference"
          hint="Your own, by which the record is recognised if it comes again"
        />
      )}
      {TEXT_NAMES.filter((name) => name !== "source").map((name) => (
        <TextField key={name} name={name} record={record} />
      ))}
    </>
  );
}

/** The field of a text of a record. */
function TextField({ name, record }: { name: RecordTextName } & Pick<RecordFieldsProps, "record">) {
  return <Field {...RECORD_TEXT_FIELDS[name]} name={name} value={record?.[name] ?? ""} />;
}

const RECORD_TEXT_FIELDS = Object.fromEntries(
  TEXTS.map(([name, { label, hint }]) => [name, hint === undefined ? { label } : { label, hint }]),
) as Record<RecordTextName, { readonly label: string; readonly hint?: string }>;
