/** Collections with a feed of changes, as spelled in paths, with their tables. */
export const COLLECTIONS = {
  "emission-records": "emission_records",
  facilities: "facilities",
  "emission-factors": "emission_factors",
  "business-metrics": "business_metrics",
  "credit-batches": "credit_batches",
  "credit-sales": "credit_sales",
  "credit-retirements": "credit_retirements",
  frameworks: "compliance_statuses",
  deadlines: "compliance_deadlines",
  "ccts-periods": "ccts_periods",
  "cbam-declarations": "cbam_declarations",
  "market-prices": "market_prices",
} as const;

export type Collection = keyof typeof COLLECTIONS;

/** Tables with a feed of changes. */
export type SyncedTable = (typeof COLLECTIONS)[Collection];

/** Days for which a change is kept after a later one has replaced it. */
export const CHANGE_DAYS = 90;
