import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { checkQuantity, QuantityField, readQuantity } from "../../../parts/fields/quantity.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { Form } from "../../../parts/forms/form.js";
import { useLastQuestion } from "../../../parts/forms/last-question.js";
import { useReference } from "../../../parts/forms/reference.js";
import { Exact } from "../../../parts/numbers.js";
import type { Period } from "../read-compliance.js";
import { stillDue } from "./still-due.js";

const OPERATION = graphql(`
  mutation ConsoleSurrenderCcts($period: UUID!, $quantity: SafeInt!, $reference: String) {
    surrenderCcts(period: $period, quantity: $quantity, reference: $reference) { id surrendered }
  }
`);

/** Surrenders certificates for a financial year after a last question. */
export function Surrender({ period, onClose }: { period: Period; onClose: () => void }) {
  const { id, entity, financialYear } = period;
  const due = stillDue(period);
  const { shown, ask } = useLastQuestion("Surrender for good?", "Surrender");
  const reference = useReference();
  const surrender = async (values: FormData) => {
    const quantity = readQuantity(values);
    await ask(
      <p>
        <Exact value={quantity} /> certificates are retired for <bdi>{entity}</bdi>, {financialYear}. This is
        final: nothing changes or removes a retirement.
      </p>,
    );
    await run(OPERATION, { period: id, quantity, reference });
    onClose();
  };
  return (
    <Dialog title={`Surrender certificates for ${entity}, ${financialYear}`} onClose={onClose}>
      <p>
        <Exact value={due} /> are still to be surrendered. They are taken from the available batches of the
        type CCC, the oldest vintage first.
      </p>
      <Form
        submit="Surrender …"
        onSubmit={surrender}
        onCancel={onClose}
        check={(values) => checkQuantity(values, due, "are still to be surrendered")}
      >
        <QuantityField label="Certificates" value={due} />
      </Form>
      {shown}
    </Dialog>
  );
}
