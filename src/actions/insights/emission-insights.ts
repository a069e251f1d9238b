import type { Access } from "../../access/context.js";
import { findFacilities } from "../../data/facilities/facilities.js";
import { sumMetrics } from "../../data/metrics/metrics.js";
import { intensityOf } from "../../domain/emissions/intensity.js";
import { completeMonthsIn } from "../../domain/foresight/monthly-series.js";
import { compareWithBenchmark, findBenchmark } from "../../domain/insights/benchmark.js";
import {
  findLargestChange,
  findPoorCoverage,
  findTopContributor,
  findTrend,
} from "../../domain/insights/emission-changes.js";
import type { Insight, InsightDays } from "../../domain/insights/insight.js";
import { countPeriods, type DateRange, twelveMonthsBefore } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import { listEmissionContributions } from "../emissions/contributions.js";
import { readCoverage } from "../emissions/coverage.js";
import { forecastMonths } from "../foresight/forecast.js";
import { listMonthlyEmissions } from "../foresight/monthly.js";
import { listNewEmissionAnomalies } from "./anomaly-insights.js";

/**
 * Lists insights into the emissions of a range of days. Changes compare the complete months of the range. Trend,
 * coverage and intensities use the latest complete months, whatever the range. Reads benchmarks only if the caller has
 * their scope.
 */
export async function listEmissionInsights(
  access: Access,
  days: InsightDays,
  now: Date,
): Promise<(Insight | null)[]> {
  const insights = await Promise.all([
    listChanges(access, days, now),
    findTopFacility(access, { from: days.from, to: days.to }),
    findCoverage(access, now),
    findOwnTrend(access, now),
    access.principal.scopes.includes("read:benchmarks") ? compareWithBenchmarks(access, now) : [],
    listNewEmissionAnomalies(access, days, now),
  ]);
  return insights.flat();
}

async function listChanges(access: Access, days: DateRange, now: Date): Promise<(Insight | null)[]> {
  const range = completeMonthsIn(days, now);
  if (!range) return [];
  return Promise.all(
    (["scope", "facility"] as const).map(async (by) => {
      const contributions = await listEmissionContributions(access, { range, filter: {} }, by, true);
      return findLargestChange(contributions, by, range);
    }),
  );
}

async function findTopFacility({ tenant, loaders }: Access, range: DateRange): Promise<Insight | null> {
  const summed = { range, filter: {} };
  // Two parts, because the largest one may be the records without a facility.
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

async function findCoverage({ tenant }: Access, now: Date): Promise<Insight | null> {
  return findPoorCoverage(await readCoverage(tenant, now));
}

const TREND_MONTHS = 24;

/**
 * Returns the trend only if complete series changed in the same direction, because each new meter makes the trend rise.
 */
async function findOwnTrend(access: Access, now: Date): Promise<Insight | null> {
  const { loaders } = access;
  const summed = { range: twelveMonthsBefore(now), filter: {} };
  const { falls, rises } = await listEmissionContributions(access, summed, "scope", true);
  const change = Number(falls) + Number(rises);
  const monthly = await listMonthlyEmissions(loaders, {}, now);
  try {
    const { model } = forecastMonths(monthly, {
      method: "ols",
      horizon: 1,
      window: TREND_MONTHS,
      levels: [95],
    });
    return model.slope * change > 0 ? findTrend(model) : null;
  } catch (error) {
    if (error instanceof AppError && error.code === "INSUFFICIENT_DATA") return null;
    throw error;
  }
}

async function compareWithBenchmarks({ tenant, loaders }: Access, now: Date): Promise<(Insight | null)[]> {
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
