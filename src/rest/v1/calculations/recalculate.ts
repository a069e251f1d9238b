import { z } from "zod";
import { RECALCULATION_OBSTACLES } from "../../../domain/emissions/recalculation.js";
import type { AmountFieldsFragment } from "../../../generated/operations.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { recordFilters, toRecordSearch } from "../emissions/record-filters.js";
import { describeFactor, FACTOR_EXAMPLE, factorShape, scopeShape } from "./factor.js";

const tonnes = (description: string) => z.number().meta({ description: `${description}, in tCO2e.` });
const amountParts = {
  before: tonnes("Amount before"),
  before_exact: z.string(),
  after: tonnes("Amount after it"),
  after_exact: z.string(),
  change: tonnes("The difference"),
  change_exact: z.string(),
  change_pct: z.number().nullable().meta({ description: "In percent of `before`; null if that is zero." }),
};

const changeShape = z
  .object({
    id: z.uuid(),
    reference: z.string().nullable(),
    recorded_on: z.iso.date(),
    scope: scopeShape,
    ...amountParts,
    former_factor: factorShape,
    factor: factorShape,
  })
  .meta({ id: "RecalculatedRecord" });

const data = z
  .object({
    dry_run: z.boolean(),
    records: z.int().meta({ description: "Records that match." }),
    changed: z.int().meta({ description: "Those that change." }),
    unchanged: z.int().meta({ description: "Those whose factor is of the set already." }),
    obstacles: z
      .array(
        z.object({ reason: z.enum(RECALCULATION_OBSTACLES), records: z.int() }).meta({ id: "ObstacleCount" }),
      )
      .meta({ description: "Those that cannot be recalculated, by the reason." }),
    total: z
      .object(amountParts)
      .meta({ id: "RecalculatedAmount", description: "Of the records that change." }),
    by_scope: z.array(z.object({ scope: scopeShape, ...amountParts }).meta({ id: "RecalculatedScope" })),
    first_changes: z.array(changeShape).meta({ description: "Up to 100, latest day first." }),
  })
  .meta({ id: "Recalculation" });

const NOTHING = {
  before: 0,
  before_exact: "0",
  after: 0,
  after_exact: "0",
  change: 0,
  change_exact: "0",
  change_pct: null,
};
const EXAMPLE = {
  before: 0.7434,
  before_exact: "0.7434",
  after: 0.550032,
  after_exact: "0.550032",
  change: -0.193368,
  change_exact: "-0.193368",
  change_pct: -26.01,
};
const GRID = {
  ...FACTOR_EXAMPLE,
  activity: "Grid electricity, UK (generation)",
  other_name: "Electricity: UK",
  unit: "kWh",
  scope: "scope_2" as const,
  category: "purchased_electricity",
  source_factor_id: "7_400_4000_5_1",
  factor: 0.177,
  factor_exact: "0.177",
};

graphql(`
  fragment AmountFields on RecalculatedAmount { before beforeExact after afterExact change changeExact percent }
`);

const describeAmount = (amount: AmountFieldsFragment) => ({
  before: amount.before,
  before_exact: amount.beforeExact,
  after: amount.after,
  after_exact: amount.afterExact,
  change: amount.change,
  change_exact: amount.changeExact,
  change_pct: amount.percent ?? null,
});

/** Calculates records with the factors of another publication or year, or says what that would change. */
export const recalculate = endpoint({
  method: "POST",
  path: "/emissions/recalculate",
  summary:
    "Recalculates emission records with another set of factors, all or none, or says what would change",
  scope: "write:emissions",
  operation: graphql(`
    mutation RestRecalculateEmissionRecords(
      $factorSet: FactorSetInput!, $range: DateRangeInput, $filter: EmissionRecordFilter, $search: String, $dryRun: Boolean!
    ) {
      recalculateEmissionRecords(
        factorSet: $factorSet, range: $range, filter: $filter, search: $search, dryRun: $dryRun
      ) {
        dryRun recordCount changedCount unchangedCount obstacles { reason recordCount }
        total { ...AmountFields }
        byScope { scope amount { ...AmountFields } }
        records {
          record { id reference recordedOn scope }
          amount { ...AmountFields }
          formerFactor { ...FactorFields }
          factor { ...FactorFields }
        }
      }
    }
  `),
  body: z.strictObject({
    factor_set: z
      .strictObject({
        source: z.string().meta({ description: "Title of the publication, as in `source` of its factors." }),
        year: z.int32().meta({ description: "As in `source_year`." }),
      })
      .meta({ id: "FactorSet" }),
    ...z.object(recordFilters).partial().shape,
    dry_run: z.boolean().default(false).meta({ description: "Whether it is only said what would change." }),
  }),
  variables: ({ body: { factor_set, dry_run, ...filters } }) => ({
    factorSet: factor_set,
    dryRun: dry_run,
    ...toRecordSearch(filters),
  }),
  data,
  example: {
    dry_run: true,
    records: 2,
    changed: 1,
    unchanged: 0,
    obstacles: [{ reason: "amount_given", records: 1 }],
    total: EXAMPLE,
    by_scope: [
      { scope: "scope_1" as const, ...NOTHING },
      { scope: "scope_2" as const, ...EXAMPLE },
      { scope: "scope_3" as const, ...NOTHING },
    ],
    first_changes: [
      {
        id: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a",
        reference: "grid-2026-06",
        recorded_on: "2026-06-30",
        scope: "scope_2",
        ...EXAMPLE,
        former_factor: GRID,
        factor: {
          ...GRID,
          id: "2f6f0d3b-9b1c-4c9e-8a35-6f0e4a7d1c22",
          factor: 0.13096,
          factor_exact: "0.13096",
          source_year: 2026,
          source: "UK DESNZ, Greenhouse gas reporting: conversion factors 2026",
          source_url:
            "https://www.gov.uk/government/publications/greenhouse-gas-reporting-conversion-factors-2026",
        },
      },
    ],
  },
  reshape: ({ recalculateEmissionRecords: done }) => ({
    dry_run: done.dryRun,
    records: done.recordCount,
    changed: done.changedCount,
    unchanged: done.unchangedCount,
    obstacles: done.obstacles.map(({ reason, recordCount }) => ({
      reason: lowerCase(reason),
      records: recordCount,
    })),
    total: describeAmount(done.total),
    by_scope: done.byScope.map(({ scope, amount }) => ({
      scope: lowerCase(scope),
      ...describeAmount(amount),
    })),
    first_changes: done.records.map(({ record, amount, formerFactor, factor }) => ({
      id: record.id,
      reference: record.reference ?? null,
      recorded_on: record.recordedOn,
      scope: lowerCase(record.scope),
      ...describeAmount(amount),
      former_factor: describeFactor(formerFactor),
      factor: describeFactor(factor),
    })),
  }),
  failures: ["CONFLICT"],
});
