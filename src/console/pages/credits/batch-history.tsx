import { Day } from "../../parts/moment.js";
import { Exact, Money } from "../../parts/numbers.js";
import { type Batch, MAX_SHOWN } from "./read-credits.js";

/** The sales and retirements of a batch. */
export function BatchHistory({ batch: { sales, retirements } }: { batch: Batch }) {
  const count = sales.length + retirements.length;
  if (count === 0) return <span class="quiet">None yet</span>;
  const isCut = sales.length === MAX_SHOWN || retirements.length === MAX_SHOWN;
  return (
    <details>
      <summary>{count === 1 ? "1 transaction" : `${count} ${isCut ? "or more " : ""}transactions`}</summary>
      <ul>
        {retirements.map(({ id, quantity, retiredOn, beneficiary, purpose, reference }) => (
          <li key={id}>
            <Exact value={quantity} /> retired on <Day on={retiredOn} />
            {beneficiary && (
              <>
                {" "}
                for <bdi>{beneficiary}</bdi>
              </>
            )}
            {purpose && `: ${purpose}`} <span class="quiet">({reference})</span>
          </li>
        ))}
        {sales.map(({ id, quantity, soldOn, buyer, price, currency, reference }) => (
          <li key={id}>
            <Exact value={quantity} /> sold
            {soldOn && (
              <>
                {" "}
                on <Day on={soldOn} />
              </>
            )}
            {buyer && (
              <>
                {" "}
                to <bdi>{buyer}</bdi>
              </>
            )}
            {price !== null && (
              <>
                {" "}
                at <Money value={price} /> {currency} each
              </>
            )}{" "}
            <span class="quiet">({reference})</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
