import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { Field } from "../../parts/fields/field.js";
import { checkQuantity, QuantityField, readQuantity } from "../../parts/fields/quantity.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { useReference } from "../../parts/forms/reference.js";
import { needDecimal, optionalOf, optionalsOf } from "../../parts/forms/values.js";
import { Available } from "./available.js";
import type { Batch } from "./read-credits.js";

const OPERATION = graphql(`
  mutation ConsoleSellCredits($input: SellCreditsInput!) {
    sellCredits(input: $input) { sale { id } }
  }
`);

/** The form of a sale from a batch. */
export function SellCredits({ batch }: { batch: Batch }) {
  const madeUp = useReference();
  const sell = async (values: FormData) => {
    await run(OPERATION, {
      input: {
        batchId: batch.id,
        quantity: readQuantity(values),
        ...optionalsOf(values, "soldOn", "buyer", "price"),
        currency: optionalOf(values, "currency")?.toUpperCase(),
        reference: optionalOf(values, "reference") ?? madeUp,
      },
    });
  };
  const check = (values: FormData) => [
    ...checkQuantity(values, batch.available, "are available"),
    ...(optionalOf(values, "price") ? needDecimal(values, "price", "12.50") : []),
  ];
  return (
    <Confirm title={`Sell credits of ${batch.reference}`} action="Sell" onConfirm={sell} check={check}>
      <Available batch={batch} />
      <div class="pair">
        <QuantityField label="Quantity" />
        <Field label="Sold on" name="soldOn" type="date" hint="Empty: today" />
      </div>
      <Field label="Buyer" name="buyer" />
      <div class="pair">
        <Field label="Price" name="price" inputmode="decimal" hint="Of one credit" />
        <Field label="Currency" name="currency" hint="Such as EUR or INR" />
      </div>
      <Field label="Reference" name="reference" hint="Your own. One is made up if it is empty" />
    </Confirm>
  );
}
