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
import { calculateBy, chosenById } from "../factors/calculate.js";
import { idOfReference } from "../factors/load-factors.js";

/**
 * Factors of the reference data, keyed by names of the sample. The publication, the name or identifier in it, and the
 * unit of the activities identify each one.
 */
export type SampleFactors = Readonly<
  Record<
    string,
    { readonly publication: string; readonly activity?: string; readonly source_factor_id?: string }
  >
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

const AT_ONCE: TimeLimit = { inTime: (work) => work() };

/**
 * Calculates one record per activity and month, latest first, by factors of the gateway. A month without an amount gets
 * no record. Throws FACTOR_NOT_FOUND if the factors lack one.
 */
export async function calculateSample(
  { factors, activities }: Recipe,
  monthEnds: readonly IsoDate[],
  cited: readonly FactorRow[],
  request = AT_ONCE,
): Promise<SampleRecord[]> {
  const find = createFinder(factors, cited, await readPublications(REFERENCE_FOLDER));
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

/** Returns a function that finds the factor of an activity. */
function createFinder(
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
    const message = `The sample needs one emission factor ${name} per ${unit}. They come with the gateway: its operator can load them.`;
    throw new ActionError("FACTOR_NOT_FOUND", "factor", message);
  };
}

type CitedFactor = Awaited<ReturnType<typeof readReferenceFactors>>[number];

/** Reads the factors that the sample is calculated with from the reference data. */
export const readCitedFactors = async (): Promise<FactorRow[]> =>
  (await readReferenceFactors(REFERENCE_FOLDER)).map(asRow);

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

/** Adds the sample's records to an organization with its facilities. Records that exist are unchanged. */
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
