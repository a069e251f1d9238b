import { useState } from "preact/hooks";
import { type EnergyInstrumentKind, graphql } from "../../../generated/console.js";
import type { Problem } from "../../gateway/failure.js";
import { run } from "../../gateway/run.js";
import { Field } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Select } from "../../parts/fields/select.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { need, optionalsOf, textOf, textsOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { answerIn, KINDS, YES_OR_NO } from "./names.js";
import { useYear } from "./year.js";

const OPERATION = graphql(`
  mutation ConsoleRecordEnergyInstrument($input: RecordEnergyInstrumentInput!) {
    recordEnergyInstrument(input: $input) { instrument { reference } isNew }
  }
`);

/** The form for a new certificate, contract or supplier rate. */
export function RecordInstrument() {
  const [kind, setKind] = useState<EnergyInstrumentKind>("CERTIFICATE");
  const year = useYear();
  const add = async (values: FormData) => {
    const texts = textsOf(values, "reference", "market", "rateKgPerKwh", "generatedFrom", "generatedTo");
    const input = {
      kind,
      ...texts,
      ...optionalsOf(values, "mwh", "registry", "certificateNumber", "evidence"),
      renewable: answerIn(values, "renewable"),
    };
    const { recordEnergyInstrument: added } = await run(OPERATION, { input });
    if (added)
      showMessage({ text: `${added.instrument.reference}: ${added.isNew ? "added" : "already existed"}.` });
  };
  return (
    <Confirm title="Add an instrument" action="Add" onConfirm={add} check={check}>
      <Select label="Kind" name="kind" options={KINDS} value={kind} onChange={setKind} />
      <div class="pair">
        <Field label="Reference" name="reference" hint="Your own, e.g. GO-2025-01" />
        <Field label="Market" name="market" hint="Market of the facilities, e.g. GB" />
        {kind !== "SUPPLIER_RATE" && (
          <NumberField label="Energy" name="mwh" unit="MWh" isRequired hint="In MWh" />
        )}
        <NumberField
          label="Emission rate"
          name="rateKgPerKwh"
          unit="kg CO₂e/kWh"
          isRequired
          hint="In kg CO₂e per kWh; 0 for wind and solar"
        />
        <Field label="Generated from" name="generatedFrom" type="date" value={`${year}-01-01`} />
        <Field label="Generated until" name="generatedTo" type="date" value={`${year}-12-31`} />
        {kind === "CERTIFICATE" ? (
          <>
            <Field label="Registry" name="registry" hint="For example, REGO or AIB" />
            <Field label="Certificate number" name="certificateNumber" />
          </>
        ) : (
          <Field label="Evidence" name="evidence" hint="For example, the contract number" />
        )}
        <Select label="Renewable" name="renewable" options={YES_OR_NO} none="Unknown" />
      </div>
    </Confirm>
  );
}

const check = (values: FormData): readonly Problem[] => [
  ...need("reference", textOf(values, "reference").trim() !== "", "Enter a reference."),
  ...need("generatedFrom", textOf(values, "generatedFrom") !== "", "Choose a date."),
  ...need("generatedTo", textOf(values, "generatedTo") !== "", "Choose a date."),
];
