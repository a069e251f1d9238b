import { FILE_COLUMNS } from "../../domain/emissions/record-parts.js";
import type { UpsertTarget } from "../database/upsert.js";
import { CALCULATED } from "../imports/replaced-details.js";

export const ORGANIZATIONS: UpsertTarget = { table: "organizations", key: ["slug"], values: ["name"] };

export const FACILITIES: UpsertTarget = {
  table: "facilities",
  key: ["organization_id", "code"],
  values: ["name", "country"],
};

export const RECORDS: UpsertTarget = {
  table: "emission_records",
  key: ["organization_id", "id"],
  // Bundles contain neither deleted records nor calculated amounts, so loading resets these columns.
  values: ["reference", ...FILE_COLUMNS, "deleted_at", ...CALCULATED, "energy_kwh"],
};

/** Columns that decide whether a record with a reference has changed. */
export const RECORD_CONTENT = ["reference", ...FILE_COLUMNS, "deleted_at"];

export const FRAMEWORKS: UpsertTarget = {
  table: "compliance_statuses",
  key: ["organization_id", "framework"],
  values: ["status", "last_updated", "note"],
};

export const DEADLINES: UpsertTarget = {
  table: "compliance_deadlines",
  key: ["organization_id", "due_date", "framework", "title"],
  digested: "title",
  values: ["status", "completed_on", "evidence", "recurrence", "source", "source_url"],
};

export const BATCHES: UpsertTarget = {
  table: "credit_batches",
  key: ["organization_id", "reference"],
  values: ["credit_type", "vintage", "quantity"],
};

export const SALES: UpsertTarget = {
  table: "credit_sales",
  key: ["organization_id", "batch_id", "reference"],
  values: ["quantity"],
};

export const RETIREMENTS: UpsertTarget = {
  table: "credit_retirements",
  key: ["organization_id", "reference"],
  values: ["batch_id", "quantity", "retired_on", "beneficiary"],
};

/** Columns that decide whether a price without its own time has changed. */
export const PRICE_VALUES = [
  "price",
  "currency",
  "change_pct_24h",
  "price_type",
  "source",
  "source_url",
  "region",
  "contract",
  "unit",
  "statutory_until",
];

export const PRICES: UpsertTarget = {
  table: "market_prices",
  key: ["organization_id", "credit_type", "exchange", "as_of"],
  values: [...PRICE_VALUES, "recorded_at"],
};

export const BENCHMARKS: UpsertTarget = {
  table: "benchmarks",
  key: ["sector", "unit", "source", "source_year"],
  digested: "source",
  values: ["intensity", "region", "period", "source_url"],
};
