import type { Collection } from "../../domain/collections.js";
import { FRAMEWORKS } from "../../domain/enums.js";
import { Prisma } from "../../generated/prisma/client.js";
import { DECLARATION_COLUMNS } from "../compliance/cbam.js";
import { PERIOD_COLUMNS } from "../compliance/ccts.js";
import { DEADLINE_COLUMNS, FRAMEWORK_COLUMNS } from "../compliance/compliance.js";
import { BATCH_COLUMNS } from "../credits/credits.js";
import { RETIREMENT_COLUMNS, SALE_COLUMNS } from "../credits/movements.js";
import { RECORD_COLUMNS } from "../emissions/record-rows.js";
import { FACILITY_COLUMNS } from "../facilities/facilities.js";
import { FACTOR_COLUMNS } from "../factors/factors.js";
import { PRICE_COLUMNS } from "../market/market.js";
import { METRIC_COLUMNS } from "../metrics/metrics.js";

/** SQL parts for reading a collection. */
interface Synced {
  readonly columns: Prisma.Sql;
  /** Alias of the table that `columns` expects. */
  readonly alias: string;
  readonly key: "id" | "framework";
  readonly keyType: "uuid" | "framework";
  /** The lowest possible key. */
  readonly firstKey: string;
  /** Condition that a row is soft-deleted. */
  readonly isDeleted: Prisma.Sql;
}

const BY_ID = {
  alias: "d",
  key: "id",
  keyType: "uuid",
  firstKey: "00000000-0000-0000-0000-000000000000",
  isDeleted: Prisma.sql`false`,
} as const;

export const SYNCED: Readonly<Record<Collection, Synced>> = {
  "emission-records": {
    ...BY_ID,
    columns: Prisma.raw(RECORD_COLUMNS),
    isDeleted: Prisma.sql`deleted_at IS NOT NULL`,
  },
  facilities: { ...BY_ID, columns: Prisma.raw(FACILITY_COLUMNS) },
  "emission-factors": { ...BY_ID, columns: Prisma.raw(FACTOR_COLUMNS) },
  "business-metrics": { ...BY_ID, columns: Prisma.raw(METRIC_COLUMNS), alias: "m" },
  "credit-batches": { ...BY_ID, columns: BATCH_COLUMNS },
  "credit-sales": { ...BY_ID, columns: SALE_COLUMNS },
  "credit-retirements": { ...BY_ID, columns: RETIREMENT_COLUMNS },
  frameworks: {
    ...BY_ID,
    columns: FRAMEWORK_COLUMNS,
    key: "framework",
    keyType: "framework",
    firstKey: FRAMEWORKS[0],
  },
  deadlines: { ...BY_ID, columns: DEADLINE_COLUMNS },
  "ccts-periods": { ...BY_ID, columns: PERIOD_COLUMNS, alias: "p" },
  "cbam-declarations": { ...BY_ID, columns: Prisma.raw(DECLARATION_COLUMNS) },
  "market-prices": { ...BY_ID, columns: PRICE_COLUMNS },
};
