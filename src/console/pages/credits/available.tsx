import { Exact } from "../../parts/numbers.js";
import type { Batch } from "./read-credits.js";

/** The available credits of a batch. */
export const Available = ({ batch: { available, issued, creditType, vintage } }: { batch: Batch }) => (
  <p>
    <strong>
      <Exact value={available} />
    </strong>{" "}
    of <Exact value={issued} /> credits ({creditType}
    {vintage !== null && ` ${vintage}`}) are available.
  </p>
);
