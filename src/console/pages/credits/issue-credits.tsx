import { graphql } from "../../../generated/console.js";
import type { Problem } from "../../gateway/failure.js";
import { run } from "../../gateway/run.js";
import { Field } from "../../parts/fields/field.js";
import { checkQuantity, QuantityField, readQuantity } from "../../parts/fields/quantity.js";
import { Dialog } from "../../parts/forms/dialog.js";
import { Form, textOf } from "../../parts/forms/form.js";

const OPERATION = graphql(`
  mutation ConsoleIssueCredits($input: IssueCreditsInput!) {
    issueCredits(input: $input) { batch { id } }
  }
`);

/** The form of a new batch of credits. */
export function IssueCredits({ onClose }: { onClose: () => void }) {
  const issue = async (values: FormData) => {
    const vintage = textOf(values, "vintage");
    await run(OPERATION, {
      input: {
        reference: textOf(values, "reference"),
        creditType: textOf(values, "creditType").trim(),
        vintage: vintage ? Number(vintage) : null,
        quantity: readQuantity(values),
      },
    });
    onClose();
  };
  return (
    <Dialog title="Issue credits" onClose={onClose}>
      <Form submit="Issue" onSubmit={issue} onCancel={onClose} check={checkBatch}>
        <Field label="Reference" name="reference" hint="Your own, such as a serial number of the registry" />
        <div class="pair">
          <Field label="Type" name="creditType" hint="Such as VCS, EUA or CCC" />
          <Field label="Vintage" name="vintage" type="number" hint="The year of the reduction, if known" />
        </div>
        <QuantityField label="Quantity" hint="One credit is one tCO₂e" />
      </Form>
    </Dialog>
  );
}

function checkBatch(values: FormData): readonly Problem[] {
  const isYear = /^(\d{4})?$/.test(textOf(values, "vintage"));
  return [
    ...(isYear ? [] : [{ path: "vintage", message: "Expected a year such as 2025." }]),
    ...checkQuantity(values),
  ];
}
