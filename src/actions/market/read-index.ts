import { type IndexRow, listIndexPrices, listIndexWeights, listIndices } from "../../data/market/indices.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { computeIndex, type IndexValue } from "../../domain/market/price-index.js";
import { addDays, type DateRange, daysBetween, type IsoDate, isoDate } from "../../domain/window.js";
import { mapInTurns } from "../../turns.js";
import { ActionError, InvalidInput } from "../action-error.js";

/** Maximum number of days in one request, both ends included. */
export const MAX_INDEX_DAYS = 400;
/** Default number of days. */
const DEFAULT_DAYS = 30;

/** The index and days to read. `to` defaults to today, and `from` to the first of the 30 days that end with `to`. */
export interface IndexRequest {
  readonly index: string;
  readonly from?: IsoDate | null | undefined;
  readonly to?: IsoDate | null | undefined;
}

export interface IndexSeries extends DateRange {
  readonly index: IndexRow;
  readonly values: readonly IndexValue[];
}

function readDays({ from, to }: IndexRequest, today: IsoDate): DateRange {
  const last = to ?? today;
  const first = from ?? addDays(new Date(last), 1 - DEFAULT_DAYS);
  if (last > today)
    throw new InvalidInput("index", "to", `must be today, ${today} in UTC, or before (got ${last})`);
  if (first > last) throw new InvalidInput("index", "from", `must be ${last} or before (got ${first})`);
  const days = daysBetween(first, last) + 1;
  if (days <= MAX_INDEX_DAYS) return { from: first, to: last };
  throw new InvalidInput(
    "index",
    "from",
    `must be at most ${MAX_INDEX_DAYS} days before the end, both days included (got ${days})`,
  );
}

/**
 * Returns the values of an index, computed from the prices that the tenant sees now. Throws NOT_FOUND for an unknown
 * index, and InvalidInput for days in the future, in the wrong order, or more than 400.
 */
export async function readPriceIndex(
  tenant: TenantReader,
  request: IndexRequest,
  now: Date,
): Promise<IndexSeries> {
  const indices = await listIndices(tenant);
  const index = indices.find(({ code }) => code === request.index);
  if (!index) {
    const known = indices.map(({ code }) => code).join(", ") || "none";
    const given = JSON.stringify(request.index.slice(0, 60));
    throw new ActionError("NOT_FOUND", "index", `There is no price index ${given}. Known indices: ${known}.`);
  }
  const days = readDays(request, isoDate(now));
  const [weights, prices] = await Promise.all([
    listIndexWeights(tenant, index.code, days.to),
    listIndexPrices(tenant, index.code, days.to),
  ]);
  const values = await mapInTurns(computeIndex(index, weights, prices, days), tenant, (value) => value);
  return { index, ...days, values: values.filter((value) => value !== null) };
}
