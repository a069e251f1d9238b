import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import { creditTypeOf } from "../../parts/credit-types.js";
import { Day } from "../../parts/moment.js";
import { Money } from "../../parts/numbers.js";
import { Loaded } from "../../parts/states.js";
import { Table } from "../../parts/table.js";

const OPERATION = graphql(`
  query ConsoleState {
    credits { byType(first: 20) { creditType quantity } }
    market { prices(first: 100) { id creditType exchange price currency unit asOf isOwn isStale } }
  }
`);

/** Available credits, and the organization's own current ones of the first 100 prices. Omits an empty part. */
export function CreditsAndPrices() {
  const answer = useQuery(OPERATION, {});
  return (
    <Loaded answer={answer} skeleton="short">
      {({ credits, market }) => {
        const types = credits?.byType ?? [];
        const prices = market?.prices.filter(({ isOwn, isStale }) => isOwn && !isStale) ?? [];
        const available = {
          title: "Available credits by type",
          unit: "tCO₂e",
          rowsAre: "Type",
          rows: types.map(({ creditType }) => creditTypeOf(creditType)),
          links: types.map(() => "/console/credits"),
          series: [{ name: "Available", values: types.map(({ quantity }) => quantity) }],
        };
        return (
          <div class="cards">
            {types.length > 0 && <Figure kind="bars" numbers={available} source={OPERATION.source} />}
            {prices.length > 0 && (
              <section class="card">
                <h2>Your latest prices</h2>
                <Table
                  caption="Your latest prices"
                  rows={prices}
                  columns={[
                    { title: "Type", wraps: true, cell: ({ creditType }) => creditTypeOf(creditType) },
                    {
                      title: "Price",
                      isNumber: true,
                      cell: ({ price, currency, unit }) => (
                        <Money value={price} unit={`${currency} per ${unit}`} />
                      ),
                    },
                    { title: "As of", cell: ({ asOf }) => <Day on={asOf} /> },
                    { title: "Exchange", wraps: true, cell: ({ exchange }) => exchange },
                  ]}
                />
              </section>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
