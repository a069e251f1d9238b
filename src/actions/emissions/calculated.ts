import type { RecordValues } from "../../data/emissions/record-rows.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { readTonnes } from "../../domain/emissions/record-rules.js";
import type { IsoDate } from "../../domain/window.js";
import { AppError } from "../../errors.js";
import { ActionError, type InputReader, InvalidInput, type RefusalCode } from "../action-error.js";
import type { Activity } from "../factors/activity.js";
import { type Calculation, calculateActivities } from "../factors/calculate.js";
import { SelectionError } from "../factors/selection/selection-error.js";
import type { SentRecord } from "./record-parts.js";

/** A calculated amount with the details to store. */
export type CalculatedParts = Pick<RecordValues, "co2eTonnes" | "activity" | "calculation" | "factorId">;

/** Values of a record whose amount was given rather than calculated. */
export const NOT_CALCULATED = { activity: null, calculation: null, factorId: null };

/**
 * Calculates the activities of records. An entry is undefined if the record has no activity, or if it cannot be
 * calculated. `input` then has the reason: VALIDATION_FAILED, UNIT_MISMATCH, AMBIGUOUS_UNIT, FACTOR_NOT_FOUND or
 * AMBIGUOUS_FACTOR. A selector without a year gets the record's.
 */
export async function calculateRecords(
  tenant: TenantReader,
  records: readonly SentRecord[],
  input: InputReader,
): Promise<(CalculatedParts | undefined)[]> {
  const wanted = records.flatMap(({ given: { activity }, recordedOn }) =>
    activity ? [withYearOf(activity, recordedOn)] : [],
  );
  if (wanted.length === 0) return records.map(() => undefined);
  const found = (await calculateActivities(tenant, wanted, Number.NaN)).values();
  return records.map(({ given: { activity }, at }) => {
    if (!activity) return undefined;
    const calculation = found.next().value;
    if (!calculation) throw new Error("an activity was not calculated");
    return input.read(() => toStoredParts(activity, calculation, at("activity")));
  });
}

const withYearOf = ({ selector, ...activity }: Activity, recordedOn: IsoDate): Activity => ({
  ...activity,
  selector: selector && { ...selector, year: selector.year ?? Number(recordedOn.slice(0, 4)) },
});

/** Returns the parts of a calculation to store. Throws ActionError if it failed, or if the amount is too large. */
function toStoredParts(activity: Activity, found: Calculation | AppError, path: string): CalculatedParts {
  if (found instanceof AppError) {
    const { code, message, extensions } = found;
    // A message such as `unit: expected …` starts with the name of the part.
    const [, part] = /^([a-z_.]+): /.exec(message) ?? [];
    const about = part ?? (found instanceof SelectionError ? found.at : undefined);
    const at = about === undefined ? path : `${path}.${about}`;
    const full = part === undefined ? message : `${path}.${message}`;
    throw new ActionError(code as RefusalCode, "record", full, [{ path: at, message: full }], { extensions });
  }
  const co2eTonnes = readTonnes(found.tonnes);
  if (co2eTonnes === undefined)
    throw new InvalidInput("record", path, `must be at most 10^12 t (got ${found.tonnes})`);
  return { co2eTonnes, activity, calculation: found, factorId: found.factor?.id ?? null };
}
