import type { GwpSet } from "../../../../generated/console.js";
import { Checkbox } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { isMethane } from "./record-form.js";

const GASES = ["CO2", "CH4", "N2O", "SF6", "NF3", "HFC-134a", "R-404A", "R-410A"];
const GWP_SETS: readonly GwpSet[] = ["AR6", "AR5", "AR4"];

/** A released gas, and its set of global warming potentials. */
interface ReleasedGas {
  readonly gas: string;
  readonly gwp: GwpSet;
  readonly isFossil: boolean;
}

interface GasFieldsProps extends ReleasedGas {
  readonly onChange: (gas: ReleasedGas) => void;
}

/** The fields for a released gas. */
export function GasFields({ onChange, ...released }: GasFieldsProps) {
  const { gas, gwp, isFossil } = released;
  return (
    <>
      <div class="pair">
        <Field
          label="Gas"
          name="gas"
          value={gas}
          options={GASES}
          onInput={(text) => onChange({ ...released, gas: text })}
        />
        <Select
          label="Global warming potentials"
          name="gwp"
          options={GWP_SETS}
          labelOf={(set) => `IPCC ${set}`}
          value={gwp}
          onChange={(set) => onChange({ ...released, gwp: set })}
        />
      </div>
      {isMethane(gas) && (
        <Checkbox
          label="From fossil sources"
          name="fossil"
          checked={isFossil}
          onChange={(isOn) => onChange({ ...released, isFossil: isOn })}
        />
      )}
    </>
  );
}
