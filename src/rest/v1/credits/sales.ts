import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { describeSale, idParams, quantityShape, SALE_EXAMPLE, saleShape } from "./shapes.js";

/** Credits that were sold. */
export const sales = [
  endpoint({
    path: "/credits/batches/{id}/sales",
    summary: "The sales of a batch, latest first; those without a day come last",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditSales($id: UUID!, $batches: [UUID!], $first: Int, $after: String) {
        creditBatch(id: $id) { id }
        credits {
          sales(filter: { batchIds: $batches }, first: $first, after: $after) {
            nodes { ...SaleFields }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    params: idParams,
    query: listQuery,
    variables: ({ params: { id }, query }) => ({ id, batches: [id], ...pageOf(query) }),
    data: pageShape("CreditSales", saleShape),
    example: { items: [SALE_EXAMPLE], next_cursor: null },
    reshape: ({ credits: { sales } }) => ({
      items: sales.nodes.map(describeSale),
      next_cursor: nextCursor(sales.pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/credits/batches/{id}/sales",
    summary: "Sells credits of a batch. The same again, by its reference, changes nothing",
    scope: "write:credits",
    operation: graphql(`
      mutation RestSellCredits(
        $batch: UUID!, $quantity: SafeInt!, $soldOn: Date, $buyer: String, $price: Decimal, $currency: String,
        $reference: String
      ) {
        sellCredits(
          batch: $batch, quantity: $quantity, soldOn: $soldOn, buyer: $buyer, price: $price, currency: $currency,
          reference: $reference
        ) {
          sale { ...SaleFields }
          isNew
        }
      }
    `),
    params: idParams,
    body: z
      .strictObject({
        quantity: quantityShape,
        sold_on: z.iso
          .date()
          .nullish()
          .meta({ description: "Not in the future; today, in UTC, if it is left out." }),
        buyer: z.string().nullish(),
        price: decimalShape("Price of one credit, at most 9 decimals. It needs a currency.").nullish(),
        currency: z.string().nullish().meta({ description: "ISO 4217 code, such as `EUR`." }),
        reference: z.string().nullish().meta({
          description: "Your own, unlike those of the batch's other sales; made up if it is left out.",
        }),
      })
      .refine(({ price, currency }) => (price == null) === (currency == null), {
        path: ["currency"],
        error: "expected with price, or neither of them",
        // The graph has this rule. It is asked only about a body whose shape is right: see listRules.
        when: () => false,
      }),
    variables: ({ params, body: { sold_on, price, ...body } }) => ({
      batch: params.id,
      ...body,
      soldOn: sold_on ?? null,
      price: price == null ? null : String(price),
    }),
    data: saleShape,
    example: SALE_EXAMPLE,
    reshape: ({ sellCredits }) => describeSale(sellCredits.sale),
    createdId: ({ id }, { sellCredits }) => (sellCredits.isNew ? id : undefined),
    createdIn: "/credits/sales",
    mayExist: true,
  }),
  endpoint({
    path: "/credits/sales/{id}",
    summary: "A sale of credits",
    scope: "read:credits",
    operation: graphql(`
      query RestCreditSale($id: UUID!) {
        creditSale(id: $id) { ...SaleFields }
      }
    `),
    params: idParams,
    variables: ({ params }) => params,
    data: saleShape,
    example: SALE_EXAMPLE,
    reshape: ({ creditSale }) => describeSale(creditSale),
  }),
];
