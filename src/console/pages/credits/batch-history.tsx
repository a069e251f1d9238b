import { Exact } from "../../parts/numbers.js";
import type { Batch } from "./read-credits.js";

/** The sales and retirements of a batch. */
export function BatchHistory({ batch: { sales, retirements } }: { batch: Batch }) {
  const count = sales.length + retirements.length;
  if (count === 0) return <span class="quiet">Nothing yet</span>;
  return (
    <details>
      <summary>{count === 1 ? "1 transaction" : `${count} transactions`}</summary>
      <ul>
        {retirements.map(({ id, quantity, retiredOn, beneficiary, reference }) => (
          <li key={id}>
            <Exact value={quantity} /> retired on {retiredOn}
            {beneficiary && ` for ${beneficiary}`} ({reference})
          </li>
        ))}
        {sales.map(({ id, quantity, reference }) => (
          <li key={id}>
            <Exact value={quantity} /> sold ({reference})
          </li>
        ))}
      </ul>
    </details>
  );
}
