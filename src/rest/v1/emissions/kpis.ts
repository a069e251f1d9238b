import { z } from "zod";
import { EMISSION_SCOPES } from "../../../domain/enums.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { scopeShape } from "../calculations/factor.js";

const tonnes = z.number().meta({ description: "tCO2e." });
const exact = z.string().meta({ description: "The same with every digit." });

const intensityShape = z
  .object({
    metric: z.string(),
    unit: z.string(),
    from: z.iso.date(),
    to: z.iso
      .date()
      .meta({ description: "`from` to `to` are the 12 calendar months before the present one." }),
    co2e_tonnes_exact: z.string().meta({ description: "Emissions of these months, tCO2e." }),
    metric_total_exact: z.string().meta({ description: "Sum of the metric's values in them." }),
    missing_months: z.array(z.string()).meta({ description: "Months without a value, `YYYY-MM`." }),
    tonnes_per_unit: z.number().nullable().meta({
      description:
        "Rounded half away from zero to 6 decimals. Null if a month has no value, or they add up to zero.",
    }),
    tonnes_per_unit_exact: z.string().nullable().meta({ description: "Unrounded, or with 20 decimals." }),
  })
  .meta({ id: "EmissionIntensity" });

/** A facility as figures name it. */
export const facilityShape = z
  .object({ id: z.uuid(), code: z.string(), name: z.string() })
  .meta({ id: "FacilityName" });

export const FACILITY_EXAMPLE: z.infer<typeof facilityShape> = {
  id: "d4a1f0f2-3f59-4f0e-8a8c-0b5d2f6f7c11",
  code: "IN-PUNE",
  name: "Pune works",
};

/** Key figures of the last 12 months. */
export const kpis = endpoint({
  path: "/emissions/kpis",
  summary: "Key figures of the last 12 months: totals, change, largest facilities, intensities, coverage",
  scope: "read:emissions",
  operation: graphql(`
    query RestEmissionKpis {
      emissionKpis {
        from to totalCo2eTonnes totalCo2eTonnesExact previousCo2eTonnes previousCo2eTonnesExact changePercent
        byScope { scope co2eTonnes co2eTonnesExact }
        byFacility(first: 5) { facility { id code name } co2eTonnes co2eTonnesExact }
        marketBasedScope2Tonnes marketBasedScope2TonnesExact marketBasedRecordCount
        intensities {
          metric unit from to co2eTonnesExact metricTotalExact missingMonths tonnesPerUnit tonnesPerUnitExact
        }
        coveragePercent latestRecord
      }
    }
  `),
  data: z
    .object({
      period: z.literal("last_12_months"),
      from: z.iso.date(),
      to: z.iso.date(),
      total: tonnes,
      total_exact: exact,
      previous_total: z.number().meta({ description: "That of the 12 months before, tCO2e." }),
      previous_total_exact: exact,
      change_pct: z.number().nullable().meta({
        description: "Rounded half away from zero to 2 decimals; null if `previous_total` is zero.",
      }),
      scope_breakdown: z.array(
        z
          .object({ scope: scopeShape, co2e_tonnes: tonnes, co2e_tonnes_exact: exact })
          .meta({ id: "ScopeKpi" }),
      ),
      top_facilities: z
        .array(
          z
            .object({
              facility: facilityShape.nullable().meta({ description: "Null for records without one." }),
              co2e_tonnes: tonnes,
              co2e_tonnes_exact: exact,
            })
            .meta({ id: "FacilityKpi" }),
        )
        .meta({ description: "The five largest." }),
      market_based_scope_2: z.number().nullable().meta({
        description: "tCO2e; null if no record has a market-based amount. It is no part of `total`.",
      }),
      market_based_scope_2_exact: z.string().nullable(),
      market_based_record_count: z.int(),
      intensity: z.array(intensityShape).meta({ description: "One for each business metric." }),
      coverage_pct: z.number().nullable().meta({
        description:
          "Periods with a record in percent of those expected, in the 12 calendar months before the present one.",
      }),
      latest_record: z.iso.date().nullable(),
    })
    .meta({ id: "EmissionKpis" }),
  example: {
    period: "last_12_months",
    from: "2025-11-21",
    to: "2026-11-20",
    total: 1128.4,
    total_exact: "1128.4",
    previous_total: 1240,
    previous_total_exact: "1240",
    change_pct: -9,
    scope_breakdown: EMISSION_SCOPES.map((scope, index) => ({
      scope,
      co2e_tonnes: [200.2, 628, 300.2][index] ?? 0,
      co2e_tonnes_exact: ["200.2", "628", "300.2"][index] ?? "",
    })),
    top_facilities: [{ facility: FACILITY_EXAMPLE, co2e_tonnes: 1128.4, co2e_tonnes_exact: "1128.4" }],
    market_based_scope_2: 540.5,
    market_based_scope_2_exact: "540.5",
    market_based_record_count: 12,
    intensity: [
      {
        metric: "Units produced",
        unit: "units",
        from: "2025-11-01",
        to: "2026-10-31",
        co2e_tonnes_exact: "1128.4",
        metric_total_exact: "52000",
        missing_months: [],
        tonnes_per_unit: 0.0217,
        tonnes_per_unit_exact: "0.0217",
      },
    ],
    coverage_pct: 94.44,
    latest_record: "2026-10-31",
  },
  reshape: ({ emissionKpis: kpis }) => ({
    period: "last_12_months",
    from: kpis.from,
    to: kpis.to,
    total: kpis.totalCo2eTonnes,
    total_exact: kpis.totalCo2eTonnesExact,
    previous_total: kpis.previousCo2eTonnes,
    previous_total_exact: kpis.previousCo2eTonnesExact,
    change_pct: kpis.changePercent ?? null,
    scope_breakdown: kpis.byScope.map((each) => ({ scope: lowerCase(each.scope), ...describeAmount(each) })),
    top_facilities: kpis.byFacility.map((each) => ({
      facility: each.facility ?? null,
      ...describeAmount(each),
    })),
    market_based_scope_2: kpis.marketBasedScope2Tonnes ?? null,
    market_based_scope_2_exact: kpis.marketBasedScope2TonnesExact ?? null,
    market_based_record_count: kpis.marketBasedRecordCount,
    intensity: kpis.intensities.map((each) => ({
      metric: each.metric,
      unit: each.unit,
      from: each.from,
      to: each.to,
      co2e_tonnes_exact: each.co2eTonnesExact,
      metric_total_exact: each.metricTotalExact,
      missing_months: [...each.missingMonths],
      tonnes_per_unit: each.tonnesPerUnit ?? null,
      tonnes_per_unit_exact: each.tonnesPerUnitExact ?? null,
    })),
    coverage_pct: kpis.coveragePercent ?? null,
    latest_record: kpis.latestRecord ?? null,
  }),
});

const describeAmount = (amount: { readonly co2eTonnes: number; readonly co2eTonnesExact: string }) => ({
  co2e_tonnes: amount.co2eTonnes,
  co2e_tonnes_exact: amount.co2eTonnesExact,
});
