import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { checkPeriod, PeriodFields, readPeriod } from "./period-fields.js";

const OPERATION = graphql(`
  mutation ConsoleRecordCctsPeriod($input: RecordCctsPeriodInput!) {
    recordCctsPeriod(input: $input) { period { id } }
  }
`);

const EMPTY = { targetGei: "", targetSourceUrl: "", achievedGei: "", output: "", averagePrice: "" };

/** The form for a new financial year. */
export function RecordPeriod() {
  const record = async (values: FormData) => {
    const { averagePrice, ...period } = readPeriod(values);
    const entity = textOf(values, "entity");
    const financialYear = textOf(values, "financialYear").trim();
    await run(OPERATION, {
      input: { entity, financialYear, averagePrice: averagePrice || null, ...period },
    });
    showMessage({ text: `${entity}, ${financialYear} recorded.` });
  };
  return (
    <Confirm title="Record a CCTS period" action="Record" onConfirm={record} check={checkPeriod}>
      <div class="pair">
        <Field label="Entity" name="entity" hint="The obligated entity" />
        <Field label="Financial year" name="financialYear" hint="For example, 2025-26" />
      </div>
      <PeriodFields {...EMPTY} />
    </Confirm>
  );
}
