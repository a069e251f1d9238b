import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { isIsoDate } from "../../../domain/window.js";
import { graphql, type RecordFieldsFragment } from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";
import { activityShape, toActivity } from "../calculations/activity.js";
import { CALCULATION_EXAMPLE, calculationShape, describeCalculation } from "../calculations/calculation.js";
import { scopeShape, upperCase } from "../calculations/factor.js";

const dateShape = z
  .string()
  .refine(isIsoDate, { error: "expected a calendar date, YYYY-MM-DD" })
  .meta({ format: "date" });

const usedActivity = z
  .object({
    amount: z.string(),
    unit: z.string(),
    factor_id: z.string().nullable(),
    selector: z
      .object({
        activity: z.string(),
        region: z.string(),
        year: z.int().nullable(),
        scope: scopeShape.nullable(),
        gas: z.string().nullable(),
        allow_global: z.boolean(),
      })
      .meta({ id: "UsedSelector" })
      .nullable(),
    gas: z.string().nullable(),
    gwp: z.string(),
    fossil: z.boolean().nullable(),
  })
  .meta({ id: "UsedActivity" });

/** The shape of an emission record. */
export const recordShape = z
  .object({
    id: z.uuid(),
    reference: z.string().nullable(),
    recorded_on: z.iso.date(),
    scope: scopeShape,
    co2e_tonnes: z.number(),
    co2e_tonnes_exact: z.string(),
    market_based_tonnes: z.number().nullable().meta({
      description: "Scope 2 by contracts and certificates, beside `co2e_tonnes`, which is by location.",
    }),
    market_based_tonnes_exact: z.string().nullable(),
    facility: z
      .object({ id: z.uuid(), code: z.string(), name: z.string() })
      .meta({ id: "RecordFacility" })
      .nullable(),
    category: z.string().nullable(),
    source: z.string().nullable(),
    note: z.string().nullable(),
    activity: usedActivity
      .nullable()
      .meta({ description: "What the amount was calculated from; null if it was given." }),
    calculation: calculationShape
      .nullable()
      .meta({ description: "How the amount was calculated, with the factor as it was then." }),
    version: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().nullable(),
    created_by: z.uuid().nullable().meta({ description: "Id of the person who added it." }),
  })
  .meta({ id: "EmissionRecord" });

type RecordData = z.infer<typeof recordShape>;

export const RECORD_EXAMPLE: RecordData = {
  id: "5f0a2c1e-7d3b-4a86-9c55-0e1f2d3c4b5a",
  reference: "gas-2025-06",
  recorded_on: "2025-06-30",
  scope: "scope_1",
  co2e_tonnes: 2.19552,
  co2e_tonnes_exact: "2.19552",
  market_based_tonnes: null,
  market_based_tonnes_exact: null,
  facility: { id: "0c9b7a52-6d4e-4f8b-8d57-2b8a9c0e7d16", code: "HAM-1", name: "Hamburg works" },
  category: "stationary_combustion",
  source: "Meter 12",
  note: null,
  activity: {
    amount: "12000",
    unit: "kWh (gross CV)",
    factor_id: null,
    selector: {
      activity: "Natural gas",
      region: "UK",
      year: null,
      scope: "scope_1",
      gas: null,
      allow_global: false,
    },
    gas: null,
    gwp: "AR6",
    fossil: null,
  },
  calculation: CALCULATION_EXAMPLE,
  version: 1,
  created_at: "2026-11-20T10:00:00.000Z",
  updated_at: null,
  created_by: "7c9a3a52-0d6b-4b8e-9d3e-6a1f0c2b5e41",
};

graphql(`
  fragment RecordFields on EmissionRecord {
    id reference recordedOn scope co2eTonnes co2eTonnesExact marketBasedTonnes marketBasedTonnesExact
    category source note version createdAt updatedAt createdBy facility { id code name }
    activity { amount unit factorId gas gwp fossil selector { activity region year scope gas allowGlobal } }
    calculation { ...CalculationFields }
  }
`);

type QueriedActivity = NonNullable<RecordFieldsFragment["activity"]>;

const describeActivity = ({ amount, unit, factorId, selector, gas, gwp, fossil }: QueriedActivity) => ({
  amount,
  unit,
  factor_id: factorId ?? null,
  selector: selector
    ? {
        activity: selector.activity,
        region: selector.region,
        year: selector.year ?? null,
        scope: selector.scope ? lowerCase(selector.scope) : null,
        gas: selector.gas ?? null,
        allow_global: selector.allowGlobal,
      }
    : null,
  gas: gas ?? null,
  gwp,
  fossil: fossil ?? null,
});

/** A record of the graph in REST's spelling. */
export const describeRecord = (record: RecordFieldsFragment): RecordData => ({
  id: record.id,
  reference: record.reference ?? null,
  recorded_on: record.recordedOn,
  scope: lowerCase(record.scope),
  co2e_tonnes: record.co2eTonnes,
  co2e_tonnes_exact: record.co2eTonnesExact,
  market_based_tonnes: record.marketBasedTonnes ?? null,
  market_based_tonnes_exact: record.marketBasedTonnesExact ?? null,
  facility: record.facility ?? null,
  category: record.category ?? null,
  source: record.source ?? null,
  note: record.note ?? null,
  activity: record.activity ? describeActivity(record.activity) : null,
  calculation: record.calculation ? describeCalculation(record.calculation) : null,
  version: record.version,
  created_at: record.createdAt.toISOString(),
  updated_at: record.updatedAt?.toISOString() ?? null,
  created_by: record.createdBy ?? null,
});

const tonnes = decimalShape("Tonnes of CO2 equivalent: 0 to 10^12 with at most 6 decimals.");
const text = (description: string) => z.string().nullable().meta({ description });

/** The parts of a record that people write. */
const parts = {
  recorded_on: dateShape.meta({ description: "From 1990-01-01 to a year ahead." }),
  scope: scopeShape,
  co2e_tonnes: tonnes,
  activity: activityShape,
  facility: text("Code of the facility, which must not be archived."),
  category: text("At most 200 characters."),
  source: text("At most 1,000 characters."),
  market_based_tonnes: tonnes.nullable(),
  note: text("At most 1,000 characters."),
};

/** The shape of what is changed of a record. */
export const recordPatchShape = z.strictObject(parts).partial();

/** The shape of a record to add. */
export const newRecordShape = recordPatchShape
  .extend({
    recorded_on: parts.recorded_on,
    scope: scopeShape,
    reference: text(
      "By which the record is recognised if it is sent again. At most 200 characters.",
    ).optional(),
  })
  .meta({
    id: "NewEmissionRecord",
    description: "With exactly one of `co2e_tonnes` and `activity`.",
  });

/** What is changed of a record, as the graph takes it. */
export const toPatch = ({
  recorded_on,
  scope,
  co2e_tonnes,
  activity,
  market_based_tonnes,
  ...texts
}: z.output<typeof recordPatchShape>) => ({
  ...texts,
  ...(recorded_on !== undefined && { recordedOn: recorded_on }),
  ...(scope && { scope: upperCase(scope) }),
  ...(co2e_tonnes !== undefined && { co2eTonnes: String(co2e_tonnes) }),
  ...(activity && { activity: toActivity(activity) }),
  ...(market_based_tonnes !== undefined && {
    marketBasedTonnes: market_based_tonnes === null ? null : String(market_based_tonnes),
  }),
});

/** A record to add, as the graph takes it. */
export const toInput = ({ recorded_on, scope, ...rest }: z.output<typeof newRecordShape>) => ({
  ...toPatch(rest),
  recordedOn: recorded_on,
  scope: upperCase(scope),
});
