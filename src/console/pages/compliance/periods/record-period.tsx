import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { Form, textOf } from "../../../parts/forms/form.js";
import { checkPeriod, PeriodFields, readPeriod } from "./period-fields.js";

const OPERATION = graphql(`
  mutation ConsoleRecordCctsPeriod($input: CctsPeriodInput!) {
    recordCctsPeriod(input: $input) { period { id } }
  }
`);

const NOTHING = { targetGei: "", targetSourceUrl: "", achievedGei: "", output: "", averagePrice: "" };

/** The form of a financial year. */
export function RecordPeriod({ onClose }: { onClose: () => void }) {
  const record = async (values: FormData) => {
    const { averagePrice, ...period } = readPeriod(values);
    const entity = textOf(values, "entity");
    const financialYear = textOf(values, "financialYear").trim();
    await run(OPERATION, {
      input: { entity, financialYear, averagePrice: averagePrice || null, ...period },
    });
    onClose();
  };
  return (
    <Dialog title="Record a CCTS period" onClose={onClose}>
      <Form submit="Record" onSubmit={record} onCancel={onClose} check={checkPeriod}>
        <div class="pair">
          <Field label="Entity" name="entity" hint="The obligated entity" />
          <Field label="Financial year" name="financialYear" hint="Such as 2025-26" />
        </div>
        <PeriodFields {...NOTHING} />
      </Form>
    </Dialog>
  );
}
