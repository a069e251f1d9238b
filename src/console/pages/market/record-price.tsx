import { useState } from "preact/hooks";
import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { todayInUtc } from "../../parts/days.js";
import { Field } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { optionalsOf, textOf, textsOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { writeDay } from "../../parts/moment.js";

const OPERATION = graphql(`
  mutation ConsoleRecordPrice($input: RecordPriceInput!) {
    recordPrice(input: $input) { price { id } }
  }
`);

/** The form for the organization's own price. */
export function RecordPrice() {
  const [currency, setCurrency] = useState("");
  const record = async (values: FormData) => {
    const price = textsOf(values, "creditType", "exchange", "asOf", "price", "source", "sourceUrl");
    await run(OPERATION, {
      input: {
        ...price,
        currency: textOf(values, "currency").trim().toUpperCase(),
        ...optionalsOf(values, "region", "contract", "unit", "statutoryUntil"),
      },
    });
    showMessage({
      text: `Price of ${price.creditType}, ${price.exchange}, on ${writeDay(price.asOf)} recorded.`,
    });
  };
  return (
    <Confirm title="Record price" action="Record" onConfirm={record}>
      <p class="quiet">Only your organization sees it. You can't change a recorded price.</p>
      <div class="pair">
        <Field label="Credit type" name="creditType" hint="For example, EUA or CCC" required />
        <Field label="Exchange" name="exchange" hint="Exchange or publisher" required />
      </div>
      <div class="pair">
        <NumberField label="Price" name="price" unit={currency.trim().toUpperCase()} isRequired />
        <Field
          label="Currency"
          name="currency"
          hint="For example, EUR or INR"
          required
          value={currency}
          onInput={setCurrency}
        />
      </div>
      <div class="pair">
        <Field label="Unit" name="unit" hint="Leave empty for tCO2e" />
        <Field label="Date" name="asOf" type="date" value={todayInUtc()} required />
      </div>
      <Field label="Source" name="source" hint="For example, the report that states it" required />
      <Field label="Link to the source" name="sourceUrl" type="url" required />
      <div class="pair">
        <Field label="Region" name="region" hint="For example, India or EU" />
        <Field label="Contract" name="contract" hint="For example, Dec-26" />
      </div>
      <Field
        label="In force until"
        name="statutoryUntil"
        type="date"
        hint="Last day of a statutory rate. Leave empty for market prices"
      />
    </Confirm>
  );
}
