import { graphql } from "../../../generated/console.js";
import type { Problem } from "../../gateway/failure.js";
import { run } from "../../gateway/run.js";
import { Field } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { wholeFrom } from "../../parts/fields/number-rules.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { need, textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { writeDecimal } from "../../parts/numbers.js";

const OPERATION = graphql(`
  mutation ConsoleIssueCredits($input: IssueCreditsInput!) {
    issueCredits(input: $input) { batch { id } }
  }
`);

/** The form for a new batch. */
export function IssueCredits() {
  const issue = async (values: FormData) => {
    const vintage = textOf(values, "vintage");
    await run(OPERATION, {
      input: {
        reference: textOf(values, "reference"),
        creditType: textOf(values, "creditType").trim(),
        vintage: vintage ? Number(vintage) : null,
        quantity: Number(textOf(values, "quantity")),
      },
    });
    const quantity = writeDecimal(textOf(values, "quantity"));
    showMessage({ text: `${quantity} credits issued as ${textOf(values, "reference")}.` });
  };
  return (
    <Confirm title="Issue credits" action="Issue" onConfirm={issue} check={checkBatch}>
      <Field label="Reference" name="reference" hint="Your own, e.g. a serial number in the registry" />
      <div class="pair">
        <Field label="Type" name="creditType" hint="For example, VCS, EUA or CCC" />
        <Field
          label="Vintage"
          name="vintage"
          inputmode="numeric"
          hint="The year of the reduction, if known"
        />
      </div>
      <NumberField
        label="Quantity"
        name="quantity"
        hint="One credit is one tCO₂e"
        unit="credits"
        isRequired
        rule={wholeFrom(1)}
      />
    </Confirm>
  );
}

const checkBatch = (values: FormData): readonly Problem[] =>
  need("vintage", /^(\d{4})?$/.test(textOf(values, "vintage")), "Enter a year, e.g. 2025.");
