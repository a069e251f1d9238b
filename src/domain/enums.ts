// The enums of the contract, in its order. The database has the same ones, except for sort orders.
export const EMISSION_SCOPES = ["scope_1", "scope_2", "scope_3"] as const;
export type EmissionScope = (typeof EMISSION_SCOPES)[number];

export const FRAMEWORKS = [
  "CCTS",
  "BRSR",
  "EU_CBAM",
  "SG_CCS",
  "GHG_PROTOCOL",
  "SBTi",
  "CDP",
  "TCFD",
] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export const FRAMEWORK_STATUSES = [
  "compliant",
  "action_required",
  "pending_review",
  "not_applicable",
] as const;
export type FrameworkStatus = (typeof FRAMEWORK_STATUSES)[number];

export const PRICE_TYPES = ["reference", "exchange_feed"] as const;
export type PriceType = (typeof PRICE_TYPES)[number];

export const EMISSION_RECORD_ORDERS = ["recorded_on", "co2e_tonnes"] as const;
export type EmissionRecordOrder = (typeof EMISSION_RECORD_ORDERS)[number];

export const ORDER_DIRECTIONS = ["asc", "desc"] as const;
export type OrderDirection = (typeof ORDER_DIRECTIONS)[number];
