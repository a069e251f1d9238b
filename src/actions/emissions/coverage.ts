import { listSeriesPatterns } from "../../data/emissions/series-patterns.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { countPeriods, coveragePercent } from "../../domain/emissions/coverage.js";
import { isoDate, twelveMonthsBefore } from "../../domain/window.js";
import { mapInTurns } from "../../turns.js";

/**
 * Returns the percentage of expected periods in the last 12 complete months that have records; null if none are
 * expected.
 */
export async function readCoverage(tenant: TenantReader, now: Date): Promise<number | null> {
  const range = twelveMonthsBefore(now);
  const patterns = await listSeriesPatterns(tenant, isoDate(now));
  return coveragePercent(await mapInTurns(patterns, tenant, (pattern) => countPeriods(pattern, range)));
}
