import { listIssuedFigures } from "../../data/inventory/issues.js";
import { listPolicies } from "../../data/inventory/policies.js";
import { readInventory } from "../../data/inventory/read-inventory.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { type BaseYearFigure, compareBaseYear } from "../../domain/inventory/base-year.js";
import { addMonths, isoDate } from "../../domain/window.js";

/** The latest issue of the base year compared with its current records. */
export interface BaseYearComparison {
  readonly year: number;
  readonly issue: number;
  /** `YYYY-MM`. */
  readonly holdingsAsOf: string;
  readonly thresholdPercentExact: string | null;
  readonly figures: readonly BaseYearFigure[];
}

/**
 * Compares the base year's latest issue with its current records, under the holdings of `month` (`YYYY-MM`; the current
 * month if null). The base year and its threshold come from the latest policy up to now that states one. Returns null
 * if no policy does, or if the base year was never issued.
 */
export async function readBaseYear(
  tenant: TenantReader,
  month: string | null,
  now: Date,
): Promise<BaseYearComparison | null> {
  const thisMonth = isoDate(now).slice(0, 7);
  const holdingsAsOf = month ?? thisMonth;
  if (month === null) tenant.noteValidUntil(new Date(addMonths(`${thisMonth}-01`, 1)));
  const policy = (await listPolicies(tenant)).findLast(
    ({ fromYear, baseYear }) => baseYear !== null && fromYear <= now.getUTCFullYear(),
  );
  const year = policy?.baseYear;
  if (policy === undefined || year == null) return null;
  const [issued] = await listIssuedFigures(tenant, { first: year, last: year });
  if (!issued) return null;
  const inventoryOf = async (held: string | null) => {
    const inventory = await readInventory(tenant, { year, holdingsAsOf: held && `${held}-01` });
    if (inventory === null)
      throw new Error(`the policy of ${year} is missing, although an issue is based on it`);
    return inventory.scopes;
  };
  const restated = await inventoryOf(holdingsAsOf);
  const withIssuedHoldings =
    holdingsAsOf === issued.holdingsAsOf ? restated : await inventoryOf(issued.holdingsAsOf);
  const threshold = policy.recalculationThresholdPercentExact;
  const scopes = { reported: issued.scopes, restated, withIssuedHoldings };
  return {
    year,
    issue: issued.issue,
    holdingsAsOf,
    thresholdPercentExact: threshold,
    figures: compareBaseYear(scopes, threshold),
  };
}
