import type { SqlSession } from "../../data/database/types.js";
import type { Counts } from "../../data/database/upsert.js";
import { idOf } from "../../data/emissions/record-identity.js";
import { insertRecords, type NewRecord } from "../../data/emissions/write-records.js";
import type { FactorRow } from "../../data/factors/factors.js";
import { findOrganizationId, listFacilityIds } from "../../data/organizations/organizations.js";
import type { EmissionScope } from "../../domain/enums.js";
import { readUnit } from "../../domain/ghg/units.js";
import type { IsoDate } from "../../domain/window.js";
import { type ReferenceFactor, readReferenceFactors } from "../../files/reference/factors.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import type { Activity } from "../factors/activity.js";
import { calculateBy, chosenById } from "../factors/calculate.js";
import { idOfReference } from "../factors/load-factors.js";

/**
 * Factors of the reference data, keyed by names of the sample. Its values and the unit of its activities identify each
 * one.
 */
export type SampleFactors = Readonly<
  Record<string, Partial<ReferenceFactor> & Pick<ReferenceFactor, "publication">>
>;

/** An activity of a facility, which has one record a month. */
export interface SampleActivity {
  readonly facility: string;
  readonly factor: string;
  readonly unit: string;
  /** Amounts from January to December, in the latest 12 months. */
  readonly monthly: readonly number[];
  /** Change from one year to the next, such as -0.03. */
  readonly yearly_change: number;
}

/** A record without the ids that depend on the database: its own and its facility's. */
type SampleRecord = Omit<NewRecord, "id" | "facilityId"> & {
  readonly reference: string;
  readonly facility: string;
};

interface Recipe {
  readonly factors: SampleFactors;
  readonly activities: readonly SampleActivity[];
}

/** Calculates one record per activity and month, latest first. A month without an amount gets no record. */
export async function calculateSample(
  { factors, activities }: Recipe,
  monthEnds: readonly IsoDate[],
): Promise<SampleRecord[]> {
  const find = createFinder(factors, await readReferenceFactors(REFERENCE_FOLDER));
  return activities.flatMap((activity) => {
    const factor = find(activity);
    return monthEnds.flatMap((recordedOn, index) => {
      const base = activity.monthly[Number(recordedOn.slice(5, 7)) - 1] ?? 0;
      const yearsBack = Math.floor(index / 12);
      const amount = Math.round((base / (1 + activity.yearly_change) ** yearsBack) * 10) / 10;
      return amount === 0 ? [] : [calculateRecord(activity, factor, recordedOn, String(amount))];
    });
  });
}

function calculateRecord(
  { facility, factor: name, unit }: SampleActivity,
  factor: FactorRow,
  recordedOn: IsoDate,
  amount: string,
): SampleRecord {
  const calculation = calculateBy(chosenById(factor), amount, readUnit(unit));
  return {
    reference: `${facility}-${factor.category}-${name}-${recordedOn.slice(0, 7)}`,
    recordedOn,
    scope: factor.scope as EmissionScope,
    co2eTonnes: calculation.tonnes,
    activity: { amount, unit, factorId: factor.id, gwp: "AR6" } satisfies Activity,
    facility,
    category: factor.category,
    source: factor.source,
    calculation,
    factorId: factor.id,
  };
}

type CitedFactor = Awaited<ReturnType<typeof readReferenceFactors>>[number];

function createFinder(factors: SampleFactors, cited: readonly CitedFactor[]) {
  return ({ factor: name, unit }: SampleActivity): FactorRow => {
    const wanted = Object.entries(factors[name] ?? {}) as [keyof ReferenceFactor, string][];
    const [factor, ...others] = cited.filter(
      (one) =>
        wanted.every(([key, value]) => one[key] === value) && readUnit(one.unit).name === readUnit(unit).name,
    );
    if (!factor || others.length > 0) throw new Error(`The sample needs one factor ${name} per ${unit}.`);
    return asRow(factor);
  };
}

/** Returns the factor as the database stores it once the reference data are loaded. */
const asRow = (factor: CitedFactor): FactorRow => ({
  id: idOfReference(factor),
  activity: factor.activity,
  otherName: factor.other_name,
  detail: factor.detail,
  region: factor.region,
  scope: `scope_${factor.scope}`,
  category: factor.category,
  publisherCategory: factor.publisher_category,
  gas: factor.gas,
  factor: Number(factor.factor),
  factorExact: factor.factor,
  unit: readUnit(factor.unit).name,
  source: factor.source,
  sourceUrl: factor.source_url,
  sourceYear: factor.source_year,
  sourceFactorId: factor.source_factor_id,
  verified: true,
  isOwn: false,
});

/** Adds the sample's records to its organization. Records that exist are unchanged. */
export async function insertSample(
  sql: SqlSession,
  slug: string,
  records: readonly SampleRecord[],
): Promise<Counts> {
  const organizationId = await findOrganizationId(sql, slug);
  if (organizationId === undefined)
    throw new Error(`The organization ${slug} was deleted while it was loaded.`);
  const facilities = await listFacilityIds(sql, organizationId);
  const rows = records.map(({ facility, ...record }) => ({
    ...record,
    id: idOf(organizationId, record.reference),
    facilityId: facilities.get(facility) ?? null,
  }));
  const { length: added } = await insertRecords(sql, { organizationId, createdBy: null }, rows);
  return { added, updated: 0, unchanged: rows.length - added };
}
