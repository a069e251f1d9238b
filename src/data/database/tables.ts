import type { Prisma } from "../../generated/prisma/client.js";

/** The table of each Prisma model. */
export const TABLES = {
  Organization: "organizations",
  ApiKey: "api_keys",
  KeyEvent: "key_events",
  Facility: "facilities",
  EmissionRecord: "emission_records",
  EmissionDay: "emission_days",
  Import: "imports",
  ReplacedRecord: "replaced_records",
  ComplianceStatus: "compliance_statuses",
  ComplianceDeadline: "compliance_deadlines",
  CreditBatch: "credit_batches",
  CreditSale: "credit_sales",
  CreditRetirement: "credit_retirements",
  Benchmark: "benchmarks",
  MarketPrice: "market_prices",
  ExchangeFeed: "exchange_feeds",
} as const satisfies Record<Prisma.ModelName, string>;
