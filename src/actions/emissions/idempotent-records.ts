import type { SqlSession } from "../../data/database/types.js";
import { amountsOf, type RecordRow, type RecordValues } from "../../data/emissions/record-rows.js";
import type { NewRecord } from "../../data/emissions/write-records.js";
import { findFacilityCodes } from "../../data/facilities/write-facilities.js";
import { RECORD_PARTS, type RecordPart } from "../../domain/emissions/record-parts.js";
import type { Activity } from "../factors/activity.js";
import { assertIdempotent } from "../idempotency.js";

/**
 * Throws CONFLICT, with each part that differs, unless the records in `there` have the content that was sent again.
 * Calculated records are compared by activity, because factors may have been added since.
 */
export async function assertIdempotentRecords(
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

/** Returns the sent parts of a record by the names of the input; null for parts that were not sent. */
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
    SENT.map((part) => [part === "facilityId" ? "facility" : part, sent[part] ?? null] as const),
  );
}

/** Compared parts. A calculation and its factor follow from the activity. */
const SENT = (Object.keys(RECORD_PARTS) as RecordPart[]).filter(
  (part) => part !== "calculation" && part !== "factorId",
);

/** Returns an activity as JSON that is equal for equal activities. */
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
