import { z } from "zod";
import { uuidShape } from "../../../catalogue/values.js";
import {
  type BatchFieldsFragment,
  graphql,
  type RetirementFieldsFragment,
  type SaleFieldsFragment,
} from "../../../generated/operations.js";

/** The id of a batch, a sale or a retirement in a path. */
export const idParams = z.object({ id: uuidShape });

/** A number of credits in a request. */
export const quantityShape = z.int().meta({ description: "Number of credits, at least 1." });

export const batchShape = z
  .object({
    id: z.uuid(),
    reference: z.string(),
    credit_type: z.string(),
    vintage: z.int().nullable(),
    issued: z.int(),
    sold: z.int(),
    retired: z.int(),
    available: z.int().meta({ description: "`issued` less `sold` and `retired`." }),
  })
  .meta({ id: "CreditBatch" });

export const BATCH_EXAMPLE: z.infer<typeof batchShape> = {
  id: "6a1f0c2b-5e41-4b8e-9d3e-7c9a3a520d6b",
  reference: "VCS-1234-2024",
  credit_type: "VCS",
  vintage: 2024,
  issued: 1_000,
  sold: 200,
  retired: 100,
  available: 700,
};

graphql(`
  fragment BatchFields on CreditBatch {
    id reference creditType vintage issued sold retired available
  }
`);

export const describeBatch = ({
  creditType,
  vintage,
  ...batch
}: BatchFieldsFragment): z.infer<typeof batchShape> => ({
  id: batch.id,
  reference: batch.reference,
  credit_type: creditType,
  vintage: vintage ?? null,
  issued: batch.issued,
  sold: batch.sold,
  retired: batch.retired,
  available: batch.available,
});

export const saleShape = z
  .object({
    id: z.uuid(),
    batch_id: z.uuid(),
    batch_reference: z.string(),
    reference: z.string(),
    quantity: z.int(),
    sold_on: z.iso.date().nullable().meta({ description: "Null if none was recorded." }),
    buyer: z.string().nullable(),
    price: z.number().nullable().meta({ description: "Price of one credit, in `currency`." }),
    price_exact: z.string().nullable().meta({ description: "The same with every digit." }),
    currency: z.string().nullable(),
  })
  .meta({ id: "CreditSale" });

export const SALE_EXAMPLE: z.infer<typeof saleShape> = {
  id: "1f2e3d4c-5b6a-4f0e-8c57-5d0c2f3a6a3e",
  batch_id: BATCH_EXAMPLE.id,
  batch_reference: BATCH_EXAMPLE.reference,
  reference: "INV-2026-17",
  quantity: 200,
  sold_on: "2026-11-02",
  buyer: "Globex Ltd",
  price: 8.75,
  price_exact: "8.75",
  currency: "USD",
};

graphql(`
  fragment SaleFields on CreditSale {
    id reference quantity soldOn buyer price priceExact currency batch { id reference }
  }
`);

export const describeSale = (sale: SaleFieldsFragment): z.infer<typeof saleShape> => ({
  id: sale.id,
  batch_id: sale.batch.id,
  batch_reference: sale.batch.reference,
  reference: sale.reference,
  quantity: sale.quantity,
  sold_on: sale.soldOn ?? null,
  buyer: sale.buyer ?? null,
  price: sale.price ?? null,
  price_exact: sale.priceExact ?? null,
  currency: sale.currency ?? null,
});

export const retirementShape = z
  .object({
    id: z.uuid(),
    batch_id: z.uuid(),
    batch_reference: z.string(),
    reference: z.string(),
    quantity: z.int(),
    retired_on: z.iso.date(),
    beneficiary: z.string().nullable().meta({ description: "On whose behalf." }),
    purpose: z.string().nullable(),
    ccts_period_id: z
      .uuid()
      .nullable()
      .meta({ description: "The CCTS period for which the credits were surrendered." }),
  })
  .meta({ id: "CreditRetirement" });

export const RETIREMENT_EXAMPLE: z.infer<typeof retirementShape> = {
  id: "9d3e7c9a-3a52-4d6b-8b8e-6a1f0c2b5e41",
  batch_id: BATCH_EXAMPLE.id,
  batch_reference: BATCH_EXAMPLE.reference,
  reference: "RET-2026-3",
  quantity: 100,
  retired_on: "2026-11-05",
  beneficiary: "Acme Ltd",
  purpose: "Business travel of 2025",
  ccts_period_id: null,
};

graphql(`
  fragment RetirementFields on CreditRetirement {
    id reference quantity retiredOn beneficiary purpose cctsPeriodId batch { id reference }
  }
`);

export const describeRetirement = (
  retirement: RetirementFieldsFragment,
): z.infer<typeof retirementShape> => ({
  id: retirement.id,
  batch_id: retirement.batch.id,
  batch_reference: retirement.batch.reference,
  reference: retirement.reference,
  quantity: retirement.quantity,
  retired_on: retirement.retiredOn,
  beneficiary: retirement.beneficiary ?? null,
  purpose: retirement.purpose ?? null,
  ccts_period_id: retirement.cctsPeriodId ?? null,
});
