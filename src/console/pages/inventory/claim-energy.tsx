import { useState } from "preact/hooks";
import { graphql } from "../../../generated/console.js";
import type { Problem } from "../../gateway/failure.js";
import { run } from "../../gateway/run.js";
import { Field, TextArea } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { useReference } from "../../parts/forms/use-reference.js";
import { need, optionalsOf, textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { writeDay } from "../../parts/moment.js";
import { writeDecimal } from "../../parts/numbers.js";
import { type ChosenFacility, FacilitySearch } from "../records/writing/facility-search.js";
import { type Instrument, needYears, yearIn } from "./names.js";
import { useYear } from "./year.js";

const OPERATION = graphql(`
  mutation ConsoleClaimEnergy($input: ClaimEnergyInput!) { claimEnergy(input: $input) { claim { id } } }
`);

/** Claims energy from an instrument for a facility and a year. */
export function ClaimEnergy({ instrument }: { instrument: Instrument }) {
  const [facility, setFacility] = useState<ChosenFacility | null>(null);
  const reference = useReference();
  const year = useYear();
  const { id, kind, market, leftMwhExact: left, generatedFrom, generatedTo } = instrument;
  const claim = async (values: FormData) => {
    const input = {
      instrumentId: id,
      facility: facility?.code ?? "",
      year: yearIn(values, "year") ?? year,
      ...optionalsOf(values, "mwh", "cancelledOn", "cancellation", "reason"),
      reference,
    };
    await run(OPERATION, { input });
    showMessage({ text: `${instrument.reference} claimed for ${facility?.name}, ${input.year}.` });
  };
  const check = (values: FormData): readonly Problem[] => [
    ...need("facility", facility !== null, "Choose a facility."),
    ...needYears(values, "year"),
    ...(kind === "CERTIFICATE"
      ? [
          ...need(
            "cancelledOn",
            textOf(values, "cancelledOn") !== "",
            "Enter the day the certificate was cancelled. It counts only once it is cancelled.",
          ),
          ...need(
            "cancellation",
            textOf(values, "cancellation").trim() !== "",
            "Enter the cancellation number.",
          ),
        ]
      : []),
  ];
  return (
    <Confirm title={`Claim ${instrument.reference}`} action="Claim" onConfirm={claim} check={check}>
      <p class="quiet">
        For a facility in the {market} market. Generated {writeDay(generatedFrom)} to {writeDay(generatedTo)}.
      </p>
      <FacilitySearch chosen={facility} onChoose={setFacility} />
      <div class="pair">
        <Field label="Year" name="year" inputmode="numeric" value={String(year)} />
        {left !== null && (
          <NumberField
            label="Energy"
            name="mwh"
            unit="MWh"
            isRequired
            hint={`${writeDecimal(left)} MWh left`}
          />
        )}
        {kind === "CERTIFICATE" && (
          <>
            <Field label="Cancelled on" name="cancelledOn" type="date" />
            <Field
              label="Cancellation number"
              name="cancellation"
              hint="Or the number of the beneficiary statement"
            />
          </>
        )}
      </div>
      <TextArea
        label="Reason"
        name="reason"
        hint="Only if the energy was generated in another year. Appears in the inventory"
      />
    </Confirm>
  );
}
