import { useState } from "preact/hooks";
import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { Field } from "../../parts/fields/field.js";
import { NumberField } from "../../parts/fields/number.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { useReference } from "../../parts/forms/use-reference.js";
import { optionalOf, optionalsOf, textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { writeDecimal } from "../../parts/numbers.js";
import { Available, QuantityField } from "./available.js";
import type { Batch } from "./read-credits.js";

const OPERATION = graphql(`
  mutation ConsoleSellCredits($input: SellCreditsInput!) {
    sellCredits(input: $input) { sale { id } }
  }
`);

/** The form for a sale from a batch. */
export function SellCredits({ batch }: { batch: Batch }) {
  const generated = useReference();
  const [currency, setCurrency] = useState("");
  const sell = async (values: FormData) => {
    await run(OPERATION, {
      input: {
        batchId: batch.id,
        quantity: Number(textOf(values, "quantity")),
        ...optionalsOf(values, "soldOn", "buyer", "price"),
        currency: optionalOf(values, "currency")?.toUpperCase(),
        reference: optionalOf(values, "reference") ?? generated,
      },
    });
    showMessage({ text: `${writeDecimal(textOf(values, "quantity"))} credits of ${batch.reference} sold.` });
  };
  return (
    <Confirm title={`Sell credits of ${batch.reference}`} action="Sell" onConfirm={sell}>
      <Available batch={batch} />
      <div class="pair">
        <QuantityField batch={batch} />
        <Field label="Sold on" name="soldOn" type="date" hint="Leave empty for today" />
      </div>
      <Field label="Buyer" name="buyer" />
      <div class="pair">
        <NumberField label="Price" name="price" hint="Per credit" unit={currency.trim().toUpperCase()} />
        <Field
          label="Currency"
          name="currency"
          hint="For example, EUR or INR"
          value={currency}
          onInput={setCurrency}
        />
      </div>
      <Field label="Reference" name="reference" hint="Your own. Leave empty to generate one" />
    </Confirm>
  );
}
