/** Collections whose changes can be followed, in the spelling of paths, with the tables that hold them. */
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

/** Tables whose changes can be followed. */
export type SyncedTable = (typeof COLLECTIONS)[Collection];

/** Days for which changes are kept after they were followed by others. */
export const CHANGE_DAYS = 90;
