import { useState } from "preact/hooks";
import type { CbamEstimateInput, CbamQuarter } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useScope } from "../../gateway/viewer.js";
import { Button } from "../../parts/button.js";
import { NumberField } from "../../parts/fields/number.js";
import { Select } from "../../parts/fields/select.js";
import { Form } from "../../parts/forms/form.js";
import { optionalOf, textOf } from "../../parts/forms/values.js";
import { CostByYear } from "./estimate/cost-by-year.js";
import { DeclareEstimate } from "./estimate/declare-estimate.js";
import { Outcome } from "./estimate/outcome.js";
import { ESTIMATE, type Estimated } from "./estimate/read-estimate.js";
import { GoodsFields } from "./goods/goods-fields.js";
import { readGoods } from "./goods/read-goods.js";
import { useRows } from "./goods/use-rows.js";
import { currentYear, QUARTERS, YEARS } from "./names.js";

/** The gateway's maximum number of goods in an estimate. */
const MAX_GOODS = 200;

/**
 * The estimate form, the certificates for the goods, and the costs of the same imports until free allocation ends.
 */
export function Estimate() {
  const [estimated, setEstimated] = useState<Estimated | null>(null);
  const { keys, add, remove } = useRows(1);
  const mayDeclare = useScope("write:compliance");
  const lines = [estimated?.variables.law.lines ?? []].flat();
  const estimate = async (values: FormData) => {
    const variables = variablesOf(values, keys.length);
    try {
      setEstimated({ variables, ...(await run(ESTIMATE, variables)) });
    } catch (failure) {
      // The estimate on the page no longer matches the form.
      setEstimated(null);
      throw failure;
    }
  };
  return (
    <>
      <p class="quiet">
        The cost of CBAM certificates for imports into the European Union. Nothing is stored, and this is not
        legal advice.
      </p>
      <Form submit="Estimate" onSubmit={estimate} keepsValues>
        <div class="pair">
          <Select
            label="Year of import"
            name="year"
            options={YEARS.map(String)}
            value={String(currentYear())}
          />
          <Select label="Quarter of import" name="quarter" options={QUARTERS} none="Not specified" />
          <NumberField
            label="Your price"
            name="certificatePriceEur"
            unit="EUR"
            hint="EUR per certificate. Leave empty to use the published price"
          />
        </div>
        {keys.map((key, index) => (
          <fieldset key={key} class="card">
            <legend>Goods {keys.length > 1 && index + 1}</legend>
            <GoodsFields path={`lines[${index}].`} />
            {keys.length > 1 && <Button label={`Remove goods ${index + 1}`} onClick={() => remove(key)} />}
          </fieldset>
        ))}
        {keys.length < MAX_GOODS && (
          <p>
            <Button label="Add goods" onClick={add} />
          </p>
        )}
      </Form>
      {estimated?.cbamEstimate && (
        <>
          <Outcome estimate={estimated.cbamEstimate} origins={lines.map(({ country }) => country)}>
            {mayDeclare && <DeclareEstimate input={estimated.variables.law} />}
          </Outcome>
          <CostByYear estimated={estimated} />
        </>
      )}
    </>
  );
}

/** Returns the query's variables: the same imports in all years, under the law and under the proposal. */
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
