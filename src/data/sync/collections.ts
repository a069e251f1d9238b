import type { Collection } from "../../domain/collections.js";
import { FRAMEWORKS } from "../../domain/enums.js";
import { Prisma } from "../../generated/prisma/client.js";
import { DECLARATION } from "../compliance/cbam.js";
import { PERIOD } from "../compliance/ccts.js";
import { DEADLINE, FRAMEWORK } from "../compliance/compliance.js";
import { BATCH } from "../credits/credits.js";
import { RETIREMENT, SALE } from "../credits/movements.js";
import { RECORD_COLUMNS } from "../emissions/record-rows.js";
import { FACILITY_COLUMNS } from "../facilities/facilities.js";
import { FACTOR_COLUMNS } from "../factors/factors.js";
import { PRICE } from "../market/market.js";
import { METRIC } from "../metrics/metrics.js";

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
  "business-metrics": { ...BY_ID, columns: Prisma.raw(METRIC), alias: "m" },
  "credit-batches": { ...BY_ID, columns: BATCH },
  "credit-sales": { ...BY_ID, columns: SALE },
  "credit-retirements": { ...BY_ID, columns: RETIREMENT },
  frameworks: {
    ...BY_ID,
    columns: FRAMEWORK,
    key: "framework",
    keyType: "framework",
    firstKey: FRAMEWORKS[0],
  },
  deadlines: { ...BY_ID, columns: DEADLINE },
  "ccts-periods": { ...BY_ID, columns: PERIOD, alias: "p" },
  "cbam-declarations": { ...BY_ID, columns: Prisma.raw(DECLARATION) },
  "market-prices": { ...BY_ID, columns: PRICE },
};
