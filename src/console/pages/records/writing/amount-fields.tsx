import { useContext, useState } from "preact/hooks";
import { Field } from "../../../parts/fields/field.js";
import { Problems } from "../../../parts/fields/labelled.js";
import { NumberField } from "../../../parts/fields/number.js";
import { Select } from "../../../parts/fields/select.js";
import type { FactorFields } from "../factors/factor-fields.js";
import { FactorSearch } from "../factors/factor-search.js";
import { OtherEdition } from "../factors/other-edition.js";
import type { EmissionRecord } from "../read-records.js";
import { CalculationDetails, useCalculation } from "./calculation.js";
import { GasFields } from "./gas-fields.js";
import { type AmountKind, fieldOf, readActivity } from "./record-form.js";

const KINDS: Readonly<Record<AmountKind, string>> = {
  activity: "From activity (kWh, litres, km)",
  gas: "From refrigerant loss",
  tonnes: "I already have tCO₂e",
};
const UNITS =
  "kWh,kWh (gross CV),kWh (net CV),MWh,GJ,litre,m3,Nm3,US gallon,kg,tonne,km,mile,passenger.km,tonne.km,room night".split(
    ",",
  );

interface AmountFieldsProps {
  readonly record: EmissionRecord | null;
  readonly day: string;
  /** The country of the facility; null if unknown. */
  readonly country: string | null;
  readonly factorFields: FactorFields;
}

/**
 * The amount of a record: in tonnes, or as an activity. Calculates the emissions of an activity as the user types.
 */
export function AmountFields({ record, day, country, factorFields }: AmountFieldsProps) {
  const { activity = null } = record ?? {};
  const { factor, unit, changes, choose, change } = factorFields;
  const [kind, setKind] = useState<AmountKind>(kindOf(record));
  const [amount, setAmount] = useState(activity?.amountExact ?? "");
  const [released, setReleased] = useState({
    gas: activity?.gas ?? "",
    gwp: activity?.gwp ?? "AR6",
    isFossil: activity?.fossil ?? false,
  });
  const fields = { kind, amount, unit: unit.trim(), ...released, gas: released.gas.trim() };
  const result = useCalculation(readActivity({ ...fields, factorId: factor?.id ?? "" }));
  const refused = result?.error
    ? [{ path: fieldOf(result.error.message), message: result.error.message }]
    : [];
  const problems = [...refused, ...useContext(Problems)];
  return (
    <Problems.Provider value={problems}>
      <Select
        label="How do you know the amount?"
        name="kind"
        options={KINDS}
        value={kind}
        onChange={setKind}
      />
      {kind === "tonnes" && (
        <>
          <NumberField
            label="Tonnes of CO₂e"
            name="co2eTonnes"
            value={record?.co2eTonnesExact ?? ""}
            unit="tCO₂e"
            isRequired
          />
          <NumberField
            label="Energy"
            name="energyKwh"
            value={(record?.activity === null && record.energyKwhExact) || ""}
            unit="kWh"
            hint="Optional. For electricity and heat, your inventory needs it to apply contracts and certificates"
          />
        </>
      )}
      {kind === "activity" && (
        <>
          <FactorSearch chosen={factor} day={day} country={country} onChoose={choose} />
          <input type="hidden" name="factorId" value={factor?.id ?? ""} />
          {factor && <OtherEdition chosen={factor} day={day} onChoose={choose} />}
        </>
      )}
      {kind === "gas" && <GasFields {...released} onChange={setReleased} />}
      {kind !== "tonnes" && (
        <>
          <div class="pair">
            <NumberField
              label="Amount"
              name="amount"
              value={amount}
              unit={fields.unit}
              isRequired
              onValue={setAmount}
            />
            <Field
              label="Unit"
              name="unit"
              value={unit}
              options={UNITS}
              onInput={(text) => change({ unit: text })}
            />
          </div>
          <p role="status" class="note">
            {changes}
          </p>
          <section class="card calculation" aria-live="polite" aria-label="Calculation">
            {result?.calculation ? (
              <CalculationDetails calculation={result.calculation} />
            ) : (
              <p class="quiet">The result and formula will appear here as you type.</p>
            )}
          </section>
        </>
      )}
    </Problems.Provider>
  );
}

const kindOf = (record: EmissionRecord | null): AmountKind => {
  if (record === null) return "activity";
  return record.activity === null ? "tonnes" : record.activity.gas === null ? "activity" : "gas";
};
