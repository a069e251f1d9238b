import { useContext, useId, useState } from "preact/hooks";
import type { GwpSet } from "../../../../generated/console.js";
import { Checkbox } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { Labelled, Problems } from "../../../parts/fields/labelled.js";
import { Select } from "../../../parts/fields/select.js";
import type { EmissionRecord } from "../read-records.js";
import { ShownCalculation, useCalculation } from "./calculation.js";
import { type ChosenFactor, FactorSearch } from "./factor-search.js";
import { type AmountKind, fieldOf, readActivity } from "./record-form.js";

const KINDS: Readonly<Record<AmountKind, string>> = {
  activity: "Calculated from what was used or done",
  gas: "Calculated from a gas that was released",
  tonnes: "Known in tonnes of CO₂e",
};
const UNITS = [
  "kWh",
  "kWh (gross CV)",
  "kWh (net CV)",
  "MWh",
  "GJ",
  "litre",
  "m3",
  "Nm3",
  "US gallon",
  "kg",
  "tonne",
  "km",
  "mile",
  "passenger.km",
  "tonne.km",
  "room night",
];
const GASES = ["CO2", "CH4", "N2O", "SF6", "NF3", "HFC-134a", "R-404A", "R-410A"];
const GWP_SETS: readonly GwpSet[] = ["AR6", "AR5", "AR4"];

interface AmountFieldsProps {
  readonly record: EmissionRecord | null;
  readonly onFactor: (factor: ChosenFactor) => void;
}

/** The amount of a record: in tonnes, or an activity with what it makes, which is calculated while one types. */
export function AmountFields({ record, onFactor }: AmountFieldsProps) {
  const { activity = null, calculation = null } = record ?? {};
  const [kind, setKind] = useState<AmountKind>(kindOf(record));
  const [amount, setAmount] = useState(activity?.amountExact ?? "");
  const [unit, setUnit] = useState(activity?.unit ?? "");
  const [factor, setFactor] = useState<ChosenFactor | null>(calculation?.factor ?? null);
  const [gas, setGas] = useState(activity?.gas ?? "");
  const [gwp, setGwp] = useState<GwpSet>(activity?.gwp ?? "AR6");
  const [isFossil, setFossil] = useState(activity?.fossil ?? false);
  const choose = (chosen: ChosenFactor | null) => {
    setFactor(chosen);
    if (chosen === null) return;
    setUnit(chosen.unit);
    onFactor(chosen);
  };
  const fields = { kind, amount: amount.trim(), unit: unit.trim(), gas: gas.trim(), gwp, isFossil };
  const result = useCalculation(readActivity({ ...fields, factorId: factor?.id ?? "" }));
  const refused = result?.error
    ? [{ path: fieldOf(result.error.message), message: result.error.message }]
    : [];
  const problems = [...refused, ...useContext(Problems)];
  return (
    <Problems.Provider value={problems}>
      <Select label="The amount is" name="kind" options={KINDS} value={kind} onChange={setKind} />
      {kind === "tonnes" && (
        <Field label="Tonnes of CO₂e" name="co2eTonnes" value={record?.co2eTonnesExact ?? ""} />
      )}
      {kind === "activity" && (
        <>
          <FactorSearch chosen={factor} onChoose={choose} />
          <input type="hidden" name="factorId" value={factor?.id ?? ""} />
        </>
      )}
      {kind === "gas" && (
        <>
          <div class="pair">
            <Text label="Gas" name="gas" value={gas} options={GASES} onInput={setGas} />
            <Select
              label="Global warming potentials"
              name="gwp"
              options={GWP_SETS}
              call={(set) => `IPCC ${set}`}
              value={gwp}
              onChange={setGwp}
            />
          </div>
          {/^ch4$/i.test(fields.gas) && (
            <Checkbox label="From fossil sources" name="fossil" checked={isFossil} onChange={setFossil} />
          )}
        </>
      )}
      {kind !== "tonnes" && (
        <>
          <div class="pair">
            <Text label="Amount" name="amount" value={amount} onInput={setAmount} />
            <Text label="Unit" name="unit" value={unit} options={UNITS} onInput={setUnit} />
          </div>
          <section class="card calculation" aria-live="polite" aria-label="Calculation">
            {result?.calculation ? (
              <ShownCalculation calculation={result.calculation} />
            ) : (
              <p class="quiet">The result and its formula appear here while you type.</p>
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

interface TextProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** What the browser proposes. */
  readonly options?: readonly string[];
  readonly onInput: (text: string) => void;
}

/** A field whose text is followed while it is typed. */
function Text({ label, name, value, options, onInput }: TextProps) {
  const list = useId();
  return (
    <Labelled label={label} name={name}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            {...(options && { list })}
            autocomplete="off"
            value={value}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
          {options && (
            <datalist id={list}>
              {options.map((option) => (
                <option key={option} value={option} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Labelled>
  );
}
