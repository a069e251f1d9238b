import type { SqlSession } from "../../data/database/types.js";
import { amountsOf, type RecordRow, type RecordValues } from "../../data/emissions/record-rows.js";
import type { NewRecord } from "../../data/emissions/write-records.js";
import { findFacilityCodes } from "../../data/facilities/write-facilities.js";
import { RECORD_PARTS, type RecordPart } from "../../domain/emissions/record-parts.js";
import type { Activity } from "../factors/activity.js";
import { assertIdempotent } from "../idempotency.js";

/**
 * Throws CONFLICT, with each difference, unless the existing records have the same content as those sent again.
 * Compares calculated records by activity, because factors may have been added since.
 */
export async function assertIdempotentRecords(
  sql: SqlSession,
  organizationId: string,
  sent: readonly NewRecord[],
  existing: readonly RecordRow[],
): Promise<void> {
  const stored = new Map(existing.map((record) => [record.id, record]));
  const again = sent.flatMap((record, index) => {
    const row = stored.get(record.id);
    return row ? [{ index, record, row }] : [];
  });
  const ids = again.flatMap(({ record, row }) => [record.facilityId ?? null, row.facilityId]);
  const codes = await findFacilityCodes(sql, organizationId, ids);
  const pairs = again.map(({ index, record, row }) => {
    const parts = describe(record, codes);
    const activity = row.activity === null ? null : (JSON.parse(row.activity) as Activity);
    const own = describe({ ...row, ...amountsOf(row), activity }, codes);
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
  assertIdempotent("record", `The reference ${references}`, places("own"), places("parts"));
}

type Described = Omit<Partial<RecordValues>, "calculation">;

/** Returns the parts of a record by their input names; null for omitted parts. */
function describe(
  record: Described,
  codes: ReadonlyMap<string, string>,
): Readonly<Record<string, string | null>> {
  const { facilityId, activity } = record;
  const sent = {
    ...record,
    co2eTonnes: activity ? null : record.co2eTonnes,
    activity: activity && describeActivity(activity as Activity),
    facilityId: facilityId && (codes.get(facilityId) ?? facilityId),
  };
  return Object.fromEntries(
    COMPARED.map((part) => [part === "facilityId" ? "facility" : part, sent[part] ?? null] as const),
  );
}

/** Parts to compare. The calculation and its factor follow from the activity. */
const COMPARED = (Object.keys(RECORD_PARTS) as RecordPart[]).filter(
  (part) => part !== "calculation" && part !== "factorId",
);

/** Formats an activity as JSON that is equal for equal activities. */
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
