import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { Field, TextArea } from "../../parts/fields/field.js";
import { Confirm, useFinalConfirmation } from "../../parts/forms/confirm.js";
import { useReference } from "../../parts/forms/use-reference.js";
import { optionalOf, optionalsOf, textOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { Exact, writeDecimal } from "../../parts/numbers.js";
import { Available, QuantityField } from "./available.js";
import type { Batch } from "./read-credits.js";

const OPERATION = graphql(`
  mutation ConsoleRetireCredits($input: RetireCreditsInput!) {
    retireCredits(input: $input) { retirement { id } }
  }
`);

/** Retires credits of a batch after a confirmation. */
export function RetireCredits({ batch }: { batch: Batch }) {
  const { shown, ask } = useFinalConfirmation("Retire permanently?", "Retire");
  const generated = useReference();
  const retire = async (values: FormData) => {
    const quantity = Number(textOf(values, "quantity"));
    const beneficiary = optionalOf(values, "beneficiary");
    await ask(
      <p>
        <strong>
          <Exact value={quantity} />
        </strong>{" "}
        credits of <strong>{batch.reference}</strong> will be retired{" "}
        {beneficiary ? (
          <>
            for <strong>{beneficiary}</strong>
          </>
        ) : (
          "without a beneficiary"
        )}
        . This is final: you can't undo a retirement.
      </p>,
    );
    await run(OPERATION, {
      input: {
        batchId: batch.id,
        quantity,
        beneficiary,
        ...optionalsOf(values, "retiredOn", "purpose"),
        reference: optionalOf(values, "reference") ?? generated,
      },
    });
    showMessage({ text: `${writeDecimal(String(quantity))} credits of ${batch.reference} retired.` });
  };
  return (
    <>
      <Confirm title={`Retire credits of ${batch.reference}`} action="Retire …" onConfirm={retire}>
        <Available batch={batch} />
        <p>⚠ A retirement is final: you can never sell or retire the credits again.</p>
        <div class="pair">
          <QuantityField batch={batch} />
          <Field label="Retired on" name="retiredOn" type="date" hint="Leave empty for today" />
        </div>
        <Field
          label="Beneficiary"
          name="beneficiary"
          hint="Person or company that the credits are retired for"
        />
        <TextArea label="Purpose" name="purpose" hint="Reason for the retirement" />
        <Field label="Reference" name="reference" hint="Your own. Leave empty to generate one" />
      </Confirm>
      {shown}
    </>
  );
}
