import { creditTypeOf } from "../../parts/credit-types.js";
import { NumberField } from "../../parts/fields/number.js";
import { wholeFrom } from "../../parts/fields/number-rules.js";
import { Exact } from "../../parts/numbers.js";
import type { Batch } from "./read-credits.js";

/** The available credits of a batch. */
export const Available = ({ batch: { available, issued, creditType, vintage } }: { batch: Batch }) => (
  <p>
    <strong>
      <Exact value={available} />
    </strong>{" "}
    of <Exact value={issued} /> credits ({creditTypeOf(creditType)}
    {vintage !== null && `, ${vintage}`}) are available.
  </p>
);

/** The quantity field, limited to the available credits of a batch. */
export const QuantityField = ({ batch }: { batch: Batch }) => (
  <NumberField
    label="Quantity"
    name="quantity"
    unit="credits"
    isRequired
    rule={wholeFrom(1, batch.available, "are available")}
  />
);
