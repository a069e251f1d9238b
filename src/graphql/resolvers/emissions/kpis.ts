import { type Context, requireAccess } from "../../../access/context.js";
import { readCoverage } from "../../../actions/emissions/coverage.js";
import { sumMarketBased } from "../../../data/emissions/sums.js";
import { sumMetrics } from "../../../data/metrics/metrics.js";
import { percentOf, subtractDecimals } from "../../../domain/decimals.js";
import { intensityOf } from "../../../domain/emissions/intensity.js";
import { lastTwelveMonths, listPeriods, periodBefore, twelveMonthsBefore } from "../../../domain/window.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { floatOf, toFloat } from "../floats.js";
import type { EmissionIntensityModel, EmissionKpisModel } from "../models.js";
import { objectId } from "../object-id.js";
import { figuresOf, largestFacilities } from "./emissions.js";

/** Key figures of the last 12 months. Coverage and intensities cover the 12 whole months before the current one. */
export const kpis = {
  Query: {
    emissionKpis: (_parent, _args, context) => ({
      summed: { range: lastTwelveMonths(context.request.now), filter: {} },
    }),
  },

  EmissionKpis: {
    id: ({ summed }, _args, context) => objectId(context, "EmissionKpis", summed),
    period: () => "last_12_months" as const,
    from: ({ summed }) => summed.range.from,
    to: ({ summed }) => summed.range.to,
    totalCo2eTonnes: async (kpis, _args, context) => (await totals(kpis, context)).co2eTonnes,
    totalCo2eTonnesExact: async (kpis, _args, context) => (await totals(kpis, context)).co2eTonnesExact,
    previousCo2eTonnes: async (kpis, _args, context) => (await previous(kpis, context)).co2eTonnes,
    previousCo2eTonnesExact: async (kpis, _args, context) => (await previous(kpis, context)).co2eTonnesExact,
    async changePercent(kpis, _args, context) {
      const [now, before] = await Promise.all([totals(kpis, context), previous(kpis, context)]);
      const change = subtractDecimals(now.co2eTonnesExact, before.co2eTonnesExact);
      return percentOf(change, before.co2eTonnesExact, 2);
    },
    byScope: async (kpis, _args, context) => figuresOf(kpis.summed, (await totals(kpis, context)).byScope),
    byFacility: ({ summed }, { first }, context) => largestFacilities(summed, first, context),
    marketBasedScope2Tonnes: async (kpis, _args, context) =>
      toFloat((await marketBased(kpis, context)).co2eTonnesExact),
    marketBasedScope2TonnesExact: async (kpis, _args, context) =>
      (await marketBased(kpis, context)).co2eTonnesExact,
    marketBasedRecordCount: async (kpis, _args, context) => (await marketBased(kpis, context)).recordCount,
    async intensities(_kpis, _args, context) {
      const { loaders, tenant } = requireAccess(context);
      const range = twelveMonthsBefore(context.request.now);
      const [{ co2eTonnesExact }, metrics] = await Promise.all([
        loaders.emissions({ range, filter: {} }),
        sumMetrics(tenant, range),
      ]);
      return metrics.map((metric) => ({ ...metric, range, co2eTonnesExact }));
    },
    coveragePercent: (_kpis, _args, context) =>
      readCoverage(requireAccess(context).tenant, context.request.now),
    latestRecord: async (kpis, _args, context) => (await totals(kpis, context)).latestRecord,
  },

  EmissionIntensity: {
    id: ({ range, name }, _args, context) => objectId(context, "EmissionIntensity", range, name),
    from: ({ range }) => range.from,
    to: ({ range }) => range.to,
    metric: ({ name }) => name,
    co2eTonnes: floatOf("co2eTonnes"),
    metricTotal: ({ totalExact }) => Number(totalExact),
    metricTotalExact: ({ totalExact }) => totalExact,
    missingMonths,
    tonnesPerUnit: (intensity) => computeIntensity(intensity)?.tonnesPerUnit ?? null,
    tonnesPerUnitExact: (intensity) => computeIntensity(intensity)?.tonnesPerUnitExact ?? null,
  },
} satisfies Resolvers;

const totals = ({ summed }: EmissionKpisModel, context: Context) =>
  requireAccess(context).loaders.emissions(summed);

const previous = ({ summed: { range, filter } }: EmissionKpisModel, context: Context) =>
  requireAccess(context).loaders.emissions({ range: periodBefore(range), filter });

function marketBased({ summed: { range } }: EmissionKpisModel, context: Context) {
  const { loaders, tenant } = requireAccess(context);
  return loaders.shared(["marketBased", range], () => sumMarketBased(tenant, range));
}

function missingMonths({ range, months }: EmissionIntensityModel): string[] {
  const all = listPeriods(range, "month").map(({ start }) => start.slice(0, 7));
  return all.filter((month) => !months.includes(month));
}

const computeIntensity = (intensity: EmissionIntensityModel) =>
  missingMonths(intensity).length > 0 ? null : intensityOf(intensity.co2eTonnesExact, intensity.totalExact);
