import { useState } from "preact/hooks";
import type { CbamEstimateInput, CbamQuarter } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { Button } from "../../parts/button.js";
import { NumberField } from "../../parts/fields/number.js";
import { Select } from "../../parts/fields/select.js";
import { Form } from "../../parts/forms/form.js";
import { optionalOf, textOf } from "../../parts/forms/values.js";
import { Outcome } from "./estimate/outcome.js";
import { Path } from "./estimate/path.js";
import { ESTIMATE, type Estimated } from "./estimate/read-estimate.js";
import { GoodsFields } from "./goods/goods-fields.js";
import { readGoods } from "./goods/read-goods.js";
import { useRows } from "./goods/rows.js";
import { presentYear, QUARTERS, YEARS } from "./names.js";

/** As many goods as the gateway estimates at once. */
const MOST = 200;

/** The form of an estimate, what the goods need, and the path of the same imports to the end of free allocation. */
export function Estimate() {
  const [estimated, setEstimated] = useState<Estimated | null>(null);
  const { keys, add, remove } = useRows(1);
  const estimate = async (values: FormData) => {
    const variables = variablesOf(values, keys.length);
    try {
      setEstimated({ variables, ...(await run(ESTIMATE, variables)) });
    } catch (failure) {
      // What is shown was not asked by what the form has now.
      setEstimated(null);
      throw failure;
    }
  };
  return (
    <>
      <p class="quiet">
        What certificates for imports into the European Union cost. Nothing is stored, and it is no legal
        advice.
      </p>
      <Form submit="Estimate" onSubmit={estimate} keepsValues>
        <div class="pair">
          <Select
            label="Year of import"
            name="year"
            options={YEARS.map(String)}
            value={String(presentYear())}
          />
          <Select label="Quarter of import" name="quarter" options={QUARTERS} none="Not given" />
          <NumberField
            label="Own price"
            name="certificatePriceEur"
            unit="EUR"
            hint="Euros per certificate; empty for the published price"
          />
        </div>
        {keys.map((key, index) => (
          <fieldset key={key} class="card">
            <legend>Goods {keys.length > 1 && index + 1}</legend>
            <GoodsFields path={`lines[${index}].`} />
            {keys.length > 1 && <Button label={`Remove goods ${index + 1}`} onClick={() => remove(key)} />}
          </fieldset>
        ))}
        {keys.length < MOST && (
          <p>
            <Button label="Add goods" onClick={add} />
          </p>
        )}
      </Form>
      {estimated?.cbamEstimate && (
        <>
          <Outcome estimate={estimated.cbamEstimate} />
          <Path estimated={estimated} />
        </>
      )}
    </>
  );
}

/** The same imports by the law and by the proposal, each with the path of the years. */
function variablesOf(values: FormData, count: number): Estimated["variables"] {
  const input: CbamEstimateInput = {
    year: Number(textOf(values, "year")),
    quarter: (textOf(values, "quarter") || null) as CbamQuarter | null,
    lines: Array.from({ length: count }, (_, index) => readGoods(values, `lines[${index}].`)),
    certificatePriceEur: optionalOf(values, "certificatePriceEur"),
    years: YEARS,
  };
  return { law: input, proposal: { ...input, scenario: "COM_2026_616" } };
}
