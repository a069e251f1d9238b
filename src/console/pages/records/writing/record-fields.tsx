import { useState } from "preact/hooks";
import { Button } from "../../../parts/button.js";
import { dayOf } from "../../../parts/days.js";
import { Field } from "../../../parts/fields/field.js";
import { NumberField } from "../../../parts/fields/number.js";
import { Select } from "../../../parts/fields/select.js";
import { useFactorFields } from "../factors/factor-fields.js";
import { SCOPES } from "../filters.js";
import { type EmissionRecord, type RecordTextName, TEXT_NAMES, TEXTS } from "../read-records.js";
import { AmountFields } from "./amount-fields.js";
import { FacilitySearch } from "./facility-search.js";
import type { FacilityChoice } from "./with-facility.js";

interface RecordFieldsProps extends FacilityChoice {
  /** The record to edit; null for a new one. */
  readonly record: EmissionRecord | null;
}

/** The fields of a record. Choosing a factor fills in scope, unit and category, which users can change. */
export function RecordFields({ record, facility, onFacility, onNewFacility }: RecordFieldsProps) {
  const [day, setDay] = useState(record?.recordedOn ?? dayOf(Date.now()));
  const factorFields = useFactorFields(record);
  const { scope, category, change } = factorFields;
  return (
    <>
      <Field label="Date" name="recordedOn" type="date" value={day} onInput={setDay} required />
      <div class="with-button">
        <FacilitySearch chosen={facility} onChoose={onFacility} />
        <Button label="New facility…" onClick={onNewFacility} />
      </div>
      <input type="hidden" name="facilityCode" value={facility?.code ?? ""} />
      <AmountFields
        record={record}
        day={day}
        country={facility?.country ?? null}
        factorFields={factorFields}
      />
      <div class="pair">
        <Select
          label="Scope"
          name="scope"
          options={SCOPES}
          value={scope}
          none={scope === "" ? "Choose" : undefined}
          onChange={(chosen) => change({ scope: chosen })}
        />
        <Field
          label="Category"
          name="category"
          value={category}
          onInput={(text) => change({ category: text })}
        />
      </div>
      {scope === "SCOPE_2" && (
        <NumberField
          label="Market-based emissions"
          name="marketBasedTonnes"
          value={record?.marketBasedTonnesExact ?? ""}
          unit="tCO₂e"
          hint="Based on contracts and certificates. Reported alongside the location-based figure, never added to it"
        />
      )}
      <NumberField
        label="Biogenic CO₂"
        name="biogenicCo2Tonnes"
        value={record?.biogenicCo2TonnesExact ?? ""}
        unit="t"
        hint="From biomass. Reported separately, never added to your emissions"
      />
      <TextField name="source" record={record} />
      {record === null && (
        <Field
          label="Reference"
          name="reference"
          hint="Your own identifier. Importing it again won't add a duplicate"
        />
      )}
      {TEXT_NAMES.filter((name) => name !== "source").map((name) => (
        <TextField key={name} name={name} record={record} />
      ))}
    </>
  );
}

/** A text field of a record. */
function TextField({ name, record }: { name: RecordTextName } & Pick<RecordFieldsProps, "record">) {
  return <Field {...RECORD_TEXT_FIELDS[name]} name={name} value={record?.[name] ?? ""} />;
}

const RECORD_TEXT_FIELDS = Object.fromEntries(
  TEXTS.map(([name, { label, hint }]) => [name, hint === undefined ? { label } : { label, hint }]),
) as Record<RecordTextName, { readonly label: string; readonly hint?: string }>;
