import type { SqlSession } from "../../data/database/types.js";
import type { Counts } from "../../data/database/upsert.js";
import { idOf } from "../../data/emissions/record-identity.js";
import { insertRecords, type NewRecord, type RecordsOwner } from "../../data/emissions/write-records.js";
import type { FactorRow } from "../../data/factors/factors.js";
import { listFacilityIds } from "../../data/organizations/organizations.js";
import type { EmissionScope } from "../../domain/enums.js";
import { readUnit } from "../../domain/ghg/units.js";
import type { IsoDate } from "../../domain/window.js";
import {
  type Publication,
  readPublications,
  readReferenceFactors,
} from "../../files/reference/reference-factors.js";
import { REFERENCE_FOLDER } from "../../paths.js";
import { mapInTurns, type TimeLimit } from "../../turns.js";
import { ActionError } from "../action-error.js";
import type { Activity } from "../factors/activity.js";
import { calculateBy, selectById } from "../factors/calculate.js";
import { referenceFactorId } from "../factors/load-factors.js";

/**
 * Reference factors, keyed by their names in the sample. A factor is identified by its publication, its name or
 * identifier there, and the unit of the activity.
 */
export type SampleFactors = Readonly<
  Record<
    string,
    { readonly publication: string; readonly activity?: string; readonly source_factor_id?: string }
  >
>;

/** A facility's activity, with one record a month. */
export interface SampleActivity {
  readonly facility: string;
  readonly factor: string;
  readonly unit: string;
  /** Amounts from January to December of the latest 12 months. */
  readonly monthly: readonly number[];
  /** Change from one year to the next: -0.03 is minus 3 %. */
  readonly yearly_change: number;
}

/** A record without its own id and its facility's, which depend on the database. */
type SampleRecord = Omit<NewRecord, "id" | "facilityId"> & {
  readonly reference: string;
  readonly facility: string;
};

interface Recipe {
  readonly factors: SampleFactors;
  readonly activities: readonly SampleActivity[];
}

const WITHOUT_LIMIT: TimeLimit = { inTime: (work) => work() };

/**
 * Calculates one record per activity and month, latest first. A month without an amount gets no record. Throws
 * FACTOR_NOT_FOUND if a factor is missing or ambiguous.
 */
export async function calculateSample(
  { factors, activities }: Recipe,
  monthEnds: readonly IsoDate[],
  cited: readonly FactorRow[],
  request = WITHOUT_LIMIT,
): Promise<SampleRecord[]> {
  const find = createSampleFactorFinder(factors, cited, await readPublications(REFERENCE_FOLDER));
  const records = await mapInTurns(activities, request, (activity) => {
    const factor = find(activity);
    return monthEnds.flatMap((recordedOn, index) => {
      const base = activity.monthly[Number(recordedOn.slice(5, 7)) - 1] ?? 0;
      const yearsBack = Math.floor(index / 12);
      const amount = Math.round((base / (1 + activity.yearly_change) ** yearsBack) * 10) / 10;
      return amount === 0 ? [] : [calculateRecord(activity, factor, recordedOn, String(amount))];
    });
  });
  return records.flat();
}

function calculateRecord(
  { facility, factor: name, unit }: SampleActivity,
  factor: FactorRow,
  recordedOn: IsoDate,
  amount: string,
): SampleRecord {
  const calculation = calculateBy(selectById(factor), amount, readUnit(unit));
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

function createSampleFactorFinder(
  factors: SampleFactors,
  cited: readonly FactorRow[],
  publications: Readonly<Record<string, Publication>>,
) {
  return ({ factor: name, unit }: SampleActivity): FactorRow => {
    const { publication = "", activity, source_factor_id: id } = factors[name] ?? {};
    const { source, source_year: year } = publications[publication] ?? {};
    const [factor, ...others] = cited.filter(
      (one) =>
        one.source === source &&
        one.sourceYear === year &&
        (activity === undefined || one.activity === activity) &&
        (id === undefined || one.sourceFactorId === id) &&
        one.unit === readUnit(unit).name,
    );
    if (factor && others.length === 0) return factor;
    const message = `The sample needs exactly one emission factor ${name} per ${unit}. Ask the operator to load the factors that come with the gateway.`;
    throw new ActionError("FACTOR_NOT_FOUND", "factor", message);
  };
}

type CitedFactor = Awaited<ReturnType<typeof readReferenceFactors>>[number];

/** Reads the sample's emission factors from the reference data. */
export const readCitedFactors = async (): Promise<FactorRow[]> =>
  (await readReferenceFactors(REFERENCE_FOLDER)).map(asRow);

/** Returns the factor as the database stores it. */
const asRow = (factor: CitedFactor): FactorRow => ({
  id: referenceFactorId(factor),
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

/** Adds the sample's records to an organization that has its facilities. Existing records are unchanged. */
export async function insertSample(
  sql: SqlSession,
  owner: RecordsOwner,
  records: readonly SampleRecord[],
): Promise<Counts> {
  const { organizationId } = owner;
  const facilities = await listFacilityIds(sql, organizationId);
  const rows = records.map(({ facility, ...record }) => ({
    ...record,
    id: idOf(organizationId, record.reference),
    facilityId: facilities.get(facility) ?? null,
  }));
  const { length: added } = await insertRecords(sql, owner, rows);
  return { added, updated: 0, unchanged: rows.length - added };
}
