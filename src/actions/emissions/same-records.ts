import type { SqlSession } from "../../data/database/types.js";
import type { RecordRow } from "../../data/emissions/record-rows.js";
import type { NewRecord } from "../../data/emissions/write-records.js";
import { findFacilityCodes } from "../../data/facilities/write-facilities.js";
import type { Activity } from "../factors/calculate.js";
import { requireSame } from "../same.js";

/**
 * Throws CONFLICT, with each part that differs, unless the records that are `there` say what was sent again. Of a calculated
 * one its activity counts: factors may have been added since.
 */
export async function requireSameRecords(
  sql: SqlSession,
  organizationId: string,
  sent: readonly NewRecord[],
  there: readonly RecordRow[],
): Promise<void> {
  const stored = new Map(there.map((record) => [record.id, record]));
  const again = sent.flatMap((record, index) => {
    const row = stored.get(record.id);
    return row ? [{ index, record, row }] : [];
  });
  const ids = again.flatMap(({ record, row }) => [record.facilityId, row.facilityId]);
  const codes = await findFacilityCodes(sql, organizationId, ids);
  const codeOf = (id: string | null) => (id === null ? null : (codes.get(id) ?? id));
  const pairs = again.map(({ index, record, row }) => {
    const parts = describe(record, record.co2eTonnes, record.marketBasedTonnes, codeOf);
    const { co2eTonnesExact, marketBasedTonnesExact } = row;
    const activity = row.activity === null ? null : (JSON.parse(row.activity) as Activity);
    const own = describe({ ...row, activity }, co2eTonnesExact, marketBasedTonnesExact, codeOf);
    const differs = JSON.stringify(parts) !== JSON.stringify(own);
    return { index, reference: record.reference, parts, own, differs };
  });
  const different = pairs.filter(({ differs }) => differs);
  if (different.length === 0) return;
  const places = (which: "parts" | "own") =>
    Object.fromEntries(
      different.flatMap((pair) =>
        Object.entries(pair[which]).map(([name, value]) => [`input[${pair.index}].${name}`, value] as const),
      ),
    );
  const references = different.map(({ reference }) => JSON.stringify(reference)).join(", ");
  requireSame("record", `The reference ${references}`, places("own"), places("parts"));
}

type Described = Pick<RecordRow, "recordedOn" | "scope" | "facilityId" | "category" | "source" | "note"> & {
  readonly activity: object | null;
};

/** The parts of a record as they were sent. */
function describe(
  { recordedOn, scope, facilityId, category, source, note, activity }: Described,
  co2eTonnes: string,
  marketBasedTonnes: string | null,
  codeOf: (id: string | null) => string | null,
) {
  return {
    recordedOn,
    scope,
    co2eTonnes: activity === null ? co2eTonnes : null,
    activity: activity && describeActivity(activity as Activity),
    facility: codeOf(facilityId),
    category,
    source,
    marketBasedTonnes,
    note,
  };
}

/** An activity as JSON that is the same for the same activity. */
export const describeActivity = ({ amount, unit, factorId, selector, gas, gwp, fossil }: Activity): string =>
  JSON.stringify({
    amount,
    unit,
    factorId: factorId?.toLowerCase(),
    gas: gas ?? undefined,
    gwp,
    fossil: fossil ?? undefined,
    selector: selector && {
      activity: selector.activity,
      region: selector.region,
      year: selector.year ?? undefined,
      scope: selector.scope ?? undefined,
      gas: selector.gas ?? undefined,
      allowGlobal: selector.allowGlobal,
    },
  });
