import { Button } from "../../../parts/button.js";
import { Field } from "../../../parts/fields/field.js";
import { NumberField } from "../../../parts/fields/number.js";
import type { Import } from "../declarations/read-declarations.js";
import { RouteField } from "./route-field.js";
import { useRows } from "./use-rows.js";

/** The gateway's maximum number of precursors of a good. */
const MAX_PRECURSORS = 10;

interface PrecursorsProps {
  readonly path: string;
  /** The saved precursors. */
  readonly precursors: Import["precursors"];
}

/** The fields for the precursors of a good with actual emissions. */
export function Precursors({ path, precursors }: PrecursorsProps) {
  const { keys, add, remove } = useRows(precursors.length);
  return (
    <>
      {keys.map((key, index) => (
        <fieldset key={key}>
          <legend>Precursor {index + 1}</legend>
          <div class="pair">
            <Field
              label="CN code of the precursor"
              name={`${path}precursors[${index}].cnCode`}
              value={precursors[key]?.cnCode ?? ""}
            />
            <NumberField
              label="Mass of the precursor"
              name={`${path}precursors[${index}].massT`}
              value={String(precursors[key]?.massT ?? "")}
              unit="t"
              isRequired
              hint="In tonnes that went into the goods"
            />
            <RouteField path={`${path}precursors[${index}].`} value={precursors[key]?.route ?? ""} />
          </div>
          <Button label={`Remove precursor ${index + 1}`} onClick={() => remove(key)} />
        </fieldset>
      ))}
      {keys.length < MAX_PRECURSORS && (
        <p>
          <Button label="Add precursor" onClick={add} />
        </p>
      )}
    </>
  );
}
