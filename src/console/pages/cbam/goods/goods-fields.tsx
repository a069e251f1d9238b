import { useState } from "preact/hooks";
import { COUNTRIES } from "../../../parts/countries.js";
import { Field } from "../../../parts/fields/field.js";
import { NumberField } from "../../../parts/fields/number.js";
import { Select } from "../../../parts/fields/select.js";
import { BASES, OTHER_COUNTRIES, originOf } from "../names.js";
import { Precursors } from "./precursors.js";
import { RouteField } from "./route-field.js";

const ORIGINS = [...COUNTRIES, OTHER_COUNTRIES];

/** The fields of imported goods. `path` is the prefix of their names: empty, or such as `lines[0].`. */
export function GoodsFields({ path }: { path: string }) {
  const [basis, setBasis] = useState<string>("DEFAULT");
  return (
    <>
      <div class="pair">
        <Field label="CN code" name={`${path}cnCode`} hint="4 to 8 digits, such as 7208 36 00" />
        <Select
          label="Country of origin"
          name={`${path}country`}
          options={ORIGINS}
          call={originOf}
          none="Choose"
        />
        <NumberField label="Net mass" name={`${path}massT`} unit="t" isRequired hint="In tonnes" />
        <RouteField path={path} />
        <Select label="Emissions by" name={`${path}basis`} options={BASES} onChange={setBasis} />
        {basis === "ACTUAL" && (
          <>
            <NumberField
              label="Direct emissions"
              name={`${path}directTco2ePerT`}
              unit="tCO₂e/t"
              hint="tCO₂e per tonne of goods"
            />
            <NumberField
              label="Indirect emissions"
              name={`${path}indirectTco2ePerT`}
              unit="tCO₂e/t"
              hint="tCO₂e per tonne. They count for cement, fertilisers and 2601 12 00"
            />
          </>
        )}
        <NumberField
          label="Reduction"
          name={`${path}reductionTco2e`}
          unit="tCO₂e"
          hint="tCO₂e, for a carbon price that was paid abroad"
        />
      </div>
      {basis === "ACTUAL" && <Precursors path={path} />}
    </>
  );
}
