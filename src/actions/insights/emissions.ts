import type { Access } from "../../access/context.js";
import { listSeriesPatterns } from "../../data/emissions/kpis.js";
import { findFacilities } from "../../data/facilities/facilities.js";
import { sumMetrics } from "../../data/metrics/metrics.js";
import { coveragePercent } from "../../domain/emissions/coverage.js";
import { intensityOf } from "../../domain/emissions/intensity.js";
import { compareWithBenchmark, findBenchmark } from "../../domain/insights/benchmark.js";
import {
  findLargestChange,
  findPoorCoverage,
  findTopContributor,
  findTrend,
} from "../../domain/insights/emissions.js";
import type { Insight } from "../../domain/insights/insight.js";
import { countPeriods, type DateRange, isoDate, twelveMonthsBefore } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import { listEmissionContributions } from "../emissions/contributions.js";
import { forecastMonths } from "../foresight/forecast.js";
import { listMonthlyEmissions } from "../foresight/monthly.js";
import { listNewEmissionAnomalies } from "./anomalies.js";

/**
 * What stands out in the emissions of a range. Trend, coverage and intensities are of complete months, whatever the range.
 * Everything is read from sums by month and by day. Benchmarks are read only with their scope.
 */
export async function listEmissionInsights(
  access: Access,
  range: DateRange,
  now: Date,
): Promise<(Insight | null)[]> {
  const insights = await Promise.all([
    ofChanges(access, range),
    ofTopFacility(access, range),
    ofCoverage(access, now),
    ofTrend(access, now),
    access.principal.scopes.includes("read:benchmarks") ? ofBenchmarks(access, now) : [],
    listNewEmissionAnomalies(access, range, now),
  ]);
  return insights.flat();
}

const ofChanges = (access: Access, range: DateRange) =>
  Promise.all(
    (["scope", "facility"] as const).map(async (by) =>
      findLargestChange(await listEmissionContributions(access, { range, filter: {} }, by), by, range),
    ),
  );

async function ofTopFacility({ tenant, loaders }: Access, range: DateRange): Promise<Insight | null> {
  const summed = { range, filter: {} };
  // The largest part may be the records without a facility.
  const [{ co2eTonnes }, parts] = await Promise.all([
    loaders.emissions(summed),
    loaders.largestParts(summed, "facility", 2),
  ]);
  const top = parts.find(({ part }) => part !== null);
  const [facility] = top?.part ? await findFacilities(tenant, [top.part]) : [];
  if (!top || !facility) return null;
  const part = { series: { facility: facility.code }, label: facility.name, tonnes: top.co2eTonnes };
  return findTopContributor(part, co2eTonnes, range);
}

async function ofCoverage({ tenant }: Access, now: Date): Promise<Insight | null> {
  const patterns = await listSeriesPatterns(tenant, isoDate(now));
  return findPoorCoverage(coveragePercent(patterns, twelveMonthsBefore(now)));
}

const TREND_MONTHS = 24;

async function ofTrend({ loaders }: Access, now: Date): Promise<Insight | null> {
  const monthly = await listMonthlyEmissions(loaders, {}, now);
  try {
    return findTrend(forecastMonths(monthly, { horizon: 1, window: TREND_MONTHS, levels: [95] }).model);
  } catch (error) {
    if (error instanceof AppError && error.code === "INSUFFICIENT_DATA") return null;
    throw error;
  }
}

async function ofBenchmarks({ tenant, loaders }: Access, now: Date): Promise<(Insight | null)[]> {
  const range = twelveMonthsBefore(now);
  const metrics = await sumMetrics(tenant, range);
  if (metrics.length === 0) return [];
  const [{ co2eTonnesExact }, benchmarks] = await Promise.all([
    loaders.emissions({ range, filter: {} }),
    loaders.benchmarks({}),
  ]);
  return metrics.map(({ name, unit, totalExact, months }) => {
    const isWhole = months.length === countPeriods(range, "month");
    const intensity = isWhole ? intensityOf(co2eTonnesExact, totalExact) : null;
    const own = intensity && { metric: name, unit, tonnesPerUnit: intensity.tonnesPerUnit };
    const benchmark = own && findBenchmark(own, benchmarks);
    return own && benchmark ? compareWithBenchmark(own, benchmark) : null;
  });
}
