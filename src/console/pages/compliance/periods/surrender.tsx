import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { NumberField } from "../../../parts/fields/number.js";
import { wholeFrom } from "../../../parts/fields/number-rules.js";
import { Confirm, useFinalConfirmation } from "../../../parts/forms/confirm.js";
import { useReference } from "../../../parts/forms/use-reference.js";
import { textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { Exact, writeDecimal } from "../../../parts/numbers.js";
import { certificatesDue, type Period } from "../read-compliance.js";

const OPERATION = graphql(`
  mutation ConsoleSurrenderCcts($period: UUID!, $quantity: SafeInt!, $reference: String) {
    surrenderCcts(input: { periodId: $period, quantity: $quantity, reference: $reference }) {
      period { id surrendered }
    }
  }
`);

/** Surrenders certificates for a financial year after a confirmation. */
export function Surrender({ period }: { period: Period }) {
  const { id, entity, financialYear } = period;
  const due = certificatesDue(period);
  const { shown, ask } = useFinalConfirmation("Surrender permanently?", "Surrender");
  const reference = useReference();
  const surrender = async (values: FormData) => {
    const quantity = Number(textOf(values, "quantity"));
    await ask(
      <p>
        <Exact value={quantity} /> certificates will be retired for <bdi>{entity}</bdi>, {financialYear}. You
        can't undo a retirement.
      </p>,
    );
    await run(OPERATION, { period: id, quantity, reference });
    const certificates = writeDecimal(String(quantity));
    showMessage({ text: `${certificates} certificates surrendered for ${entity}, ${financialYear}.` });
  };
  return (
    <>
      <Confirm
        title={`Surrender certificates for ${entity}, ${financialYear}`}
        action="Surrender …"
        onConfirm={surrender}
      >
        <p>
          <Exact value={due} /> are still to be surrendered. They come from your available CCC batches, oldest
          vintage first.
        </p>
        <NumberField
          label="Certificates"
          name="quantity"
          value={String(due)}
          unit="certificates"
          isRequired
          rule={wholeFrom(1, due, "are still to be surrendered")}
        />
      </Confirm>
      {shown}
    </>
  );
}
