import { z } from "zod";
import { isSize, listQuery } from "../../../catalogue/list.js";
import { addDecimals, subtractDecimals } from "../../../domain/decimals.js";
import { MAX_PAGE_SIZE } from "../../../domain/page.js";
import { countPeriods, TREND_STEPS, type TrendStep } from "../../../domain/window.js";
import { graphql, type RestEmissionTrendQuery } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

/** Maximum numbers of periods: in a trend, and in all series together. Both follow from the maximum operation cost. */
const MAX_PERIODS = 120;
const MAX_SERIES_PERIODS = 1_200;
const DEFAULT_SERIES = 10;

const PARTS = ["scope", "facility", "category"] as const;

const facilityShape = z
  .object({
    id: z.uuid().meta({ description: "Identifier of the facility." }),
    code: z.string().meta({ description: "Code of the facility." }),
    name: z.string().meta({ description: "Name of the facility." }),
  })
  .meta({ id: "TrendFacility" });

const FACILITY_EXAMPLE: z.infer<typeof facilityShape> = {
  id: "d4a1f0f2-3f59-4f0e-8a8c-0b5d2f6f7c11",
  code: "IN-PUNE",
  name: "Pune works",
};

const periodShape = z
  .object({
    from: z.iso.date().meta({ description: "First day." }),
    to: z.iso.date().meta({ description: "Last day." }),
    co2e_tonnes: z.number().nullable().meta({ description: "tCO2e; null in a gap." }),
    co2e_tonnes_exact: z.string().nullable().meta({ description: "The same figure at full precision." }),
    gap: z.boolean().meta({ description: "True if the period has no record. A recorded zero is not a gap." }),
  })
  .meta({ id: "TrendPeriod" });

const seriesShape = z
  .object({
    part: z.string().nullable().meta({
      description: "Scope, facility id or category; null for records without one.",
    }),
    facility: facilityShape
      .nullable()
      .optional()
      .meta({ description: "The facility, if `by` is `facility`." }),
    periods: z.array(periodShape).meta({ description: "Emissions by period, earliest first." }),
  })
  .meta({ id: "TrendSeries" });

const othersShape = z
  .object({
    count: z.int().meta({ description: "Number of parts not in `series`." }),
    periods: z.array(periodShape).meta({ description: "Total of these parts by period, earliest first." }),
  })
  .meta({ id: "TrendOthers" });

/**
 * Number of periods. There is one more than fit into 12 months, because the last 12 months begin and end within a
 * period.
 */
const LAST_12_MONTHS = { month: 13, quarter: 5, year: 2 };

interface TrendRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step: TrendStep;
}
const periodsOf = ({ from, to, step }: TrendRange) =>
  from && to ? countPeriods({ from, to }, step) : LAST_12_MONTHS[step];
const maxSeries = (range: TrendRange) => Math.floor(MAX_SERIES_PERIODS / periodsOf(range));

const querySchema = z
  .strictObject({
    from: z.iso.date().optional().meta({
      description: "First day; requires `to`. The range is the last 12 months if both are omitted.",
    }),
    to: z.iso.date().optional().meta({ description: "Last day; requires `from`." }),
    step: z.enum(TREND_STEPS).default("month"),
    by: z
      .enum(PARTS)
      .optional()
      .meta({ description: "Adds `series`: the three scopes, or the largest facilities or categories." }),
    limit: listQuery.shape.limit.meta({
      type: "integer",
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_SERIES,
      description: `Number of series by facility or category. At most ${MAX_SERIES_PERIODS} divided by the number of periods.`,
    }),
  })
  .refine(
    ({ from, to }) => (from === undefined) === (to === undefined),
    "expected both from and to, or neither",
  )
  .refine(({ from, to }) => !from || !to || from <= to, {
    path: ["to"],
    error: ({ input }) => {
      const { from, to } = input as { from: string; to: string };
      return `expected ${from} or later, got ${to}`;
    },
  })
  .refine(
    (query) => periodsOf(query) <= MAX_PERIODS,
    `expected at most ${MAX_PERIODS} periods. Use a shorter range or a longer step`,
  )
  .refine(({ limit = "0", ...query }) => !isSize(limit) || Number(limit) <= maxSeries(query), {
    path: ["limit"],
    error: ({ input }) => {
      const { limit, ...query } = input as TrendRange & { limit: string };
      return `expected at most ${maxSeries(query)} for ${periodsOf(query)} periods, got ${limit}`;
    },
  });

/** An amount in the graph, zero without records. */
interface Amount {
  readonly co2eTonnes: number;
  readonly co2eTonnesExact: string;
  readonly recordCount: number;
}

const describePeriod = ({ from, to }: { from: string; to: string }, amount: Amount) => {
  const gap = amount.recordCount === 0;
  return {
    from,
    to,
    co2e_tonnes: gap ? null : amount.co2eTonnes,
    co2e_tonnes_exact: gap ? null : amount.co2eTonnesExact,
    gap,
  };
};

const describeTrend = (trend: readonly (Amount & { from: string; to: string })[]) =>
  trend.map((period) => describePeriod(period, period));

const EXAMPLE_PERIODS = [
  { from: "2026-09-01", to: "2026-09-30", co2e_tonnes: 94.5, co2e_tonnes_exact: "94.5", gap: false },
  { from: "2026-10-01", to: "2026-10-31", co2e_tonnes: null, co2e_tonnes_exact: null, gap: true },
];

/** Emissions over time. A period without records is a gap. */
export const trend = endpoint({
  path: "/emissions/trend",
  summary: "Emissions by month, quarter or year: in total, and by scope, facility or category",
  scope: "read:emissions",
  operation: graphql(`
    query RestEmissionTrend(
      $range: DateRangeInput, $step: TrendStep!, $byScope: Boolean!
      $byFacility: Boolean!, $facilities: Int!, $byCategory: Boolean!, $categories: Int!
    ) {
      emissions(range: $range) {
        from to
        trend(step: $step) {
          from to co2eTonnes co2eTonnesExact recordCount
          byScope @include(if: $byScope) { scope co2eTonnes co2eTonnesExact recordCount }
        }
        facilityCount @include(if: $byFacility)
        byFacility(first: $facilities) @include(if: $byFacility) {
          facility { id code name }
          trend(step: $step) { from to co2eTonnes co2eTonnesExact recordCount }
        }
        categoryCount @include(if: $byCategory)
        byCategory(first: $categories) @include(if: $byCategory) {
          category
          trend(step: $step) { from to co2eTonnes co2eTonnesExact recordCount }
        }
      }
    }
  `),
  query: querySchema,
  variables: ({ query: { from, to, step, by, limit = DEFAULT_SERIES } }) => ({
    range: from && to ? { from, to } : null,
    step: step.toUpperCase() as Uppercase<typeof step>,
    // Fields that the query skips still cost points.
    byScope: by === "scope",
    byFacility: by === "facility",
    byCategory: by === "category",
    facilities: by === "facility" ? Number(limit) : 1,
    categories: by === "category" ? Number(limit) : 1,
  }),
  data: z
    .object({
      from: z.iso.date().meta({ description: "First day." }),
      to: z.iso.date().meta({ description: "Last day." }),
      periods: z.array(periodShape).meta({ description: "Emissions by period, earliest first." }),
      series: z.array(seriesShape).meta({ description: "For facilities and categories, largest first." }),
      others: othersShape
        .nullable()
        .meta({ description: "Total of the parts not in `series`; null if `series` contains all parts." }),
    })
    .meta({ id: "EmissionTrend" }),
  example: {
    from: "2026-09-01",
    to: "2026-10-31",
    periods: EXAMPLE_PERIODS,
    series: [{ part: FACILITY_EXAMPLE.id, facility: FACILITY_EXAMPLE, periods: EXAMPLE_PERIODS }],
    others: null,
  },
  reshape: ({ emissions }) => ({
    from: emissions.from,
    to: emissions.to,
    periods: describeTrend(emissions.trend),
    series: listSeries(emissions),
    others: sumOthers(emissions),
  }),
});

/** Returns the total minus the listed parts for each period; null if all parts are listed, and for scopes. */
function sumOthers({
  trend,
  byFacility,
  byCategory,
  facilityCount,
  categoryCount,
}: RestEmissionTrendQuery["emissions"] & {}): z.infer<typeof othersShape> | null {
  const listed = byFacility ?? byCategory ?? [];
  const count = (facilityCount ?? categoryCount ?? 0) - listed.length;
  if (count <= 0) return null;
  const periods = trend.map((period, index) => {
    const parts = listed.flatMap(({ trend }) => trend[index] ?? []);
    const exact = subtractDecimals(
      period.co2eTonnesExact,
      addDecimals(parts.map(({ co2eTonnesExact }) => co2eTonnesExact)),
    );
    return describePeriod(period, {
      co2eTonnes: Number(exact),
      co2eTonnesExact: exact,
      recordCount: parts.reduce((left, { recordCount }) => left - recordCount, period.recordCount),
    });
  });
  return { count, periods };
}

/** Returns the requested parts, each over time; empty if none were requested. */
function listSeries({
  trend,
  byFacility,
  byCategory,
}: RestEmissionTrendQuery["emissions"] & {}): z.infer<typeof seriesShape>[] {
  if (byFacility) {
    return byFacility.map(({ facility = null, trend }) => ({
      part: facility?.id ?? null,
      facility,
      periods: describeTrend(trend),
    }));
  }
  if (byCategory) {
    return byCategory.map(({ category = null, trend }) => ({
      part: category,
      periods: describeTrend(trend),
    }));
  }
  return (trend[0]?.byScope ?? []).map(({ scope }, index) => ({
    part: lowerCase(scope),
    periods: trend.flatMap((period) => {
      const amount = period.byScope?.[index];
      return amount ? [describePeriod(period, amount)] : [];
    }),
  }));
}
