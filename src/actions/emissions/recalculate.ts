import { write } from "../../data/database/transaction.js";
import {
  countOrigins,
  listCalculatedByFactor,
  lockRecordVersions,
  type NewCalculation,
  writeCalculations,
} from "../../data/emissions/recalculation.js";
import type { RecordRow } from "../../data/emissions/record-rows.js";
import type { RecordSearch } from "../../data/emissions/records.js";
import type { FactorRow, FactorSet } from "../../data/factors/factors.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import { type AmountChange, sumChanges } from "../../domain/emissions/recalculation.js";
import { MAX_RECORDS } from "../../domain/emissions/record-rules.js";
import type { EmissionScope } from "../../domain/enums.js";
import { ActionError, InvalidInput, readInput } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import type { Activity } from "../factors/activity.js";
import { calculateRecords } from "./calculated.js";
import {
  countObstacles,
  type Match,
  matchFactors,
  type ObstacleCount,
  requireFactorSet,
} from "./match-factors.js";

/** Records to recalculate, and the factors to use. */
export interface RecalculationRequest {
  readonly wanted: RecordSearch;
  readonly factorSet: FactorSet;
  /** True to report the changes without applying them. */
  readonly dryRun: boolean;
}

/** A record that gets a different factor. */
export interface RecalculatedRecord {
  /** The record before the change. */
  readonly record: RecordRow;
  readonly amount: AmountChange;
  readonly formerFactor: FactorRow;
  readonly factor: FactorRow;
}

/** Result of a recalculation. After a dry run, the changes that it would apply. */
export interface Recalculation {
  readonly dryRun: boolean;
  /** Number of matching records. */
  readonly recordCount: number;
  /** Number of records whose factor is already in the set. */
  readonly unchangedCount: number;
  /** Numbers of records that cannot be recalculated, by reason. */
  readonly obstacles: readonly ObstacleCount[];
  /** Changed records, latest day first. */
  readonly changed: readonly RecalculatedRecord[];
  /** Total of the changed records. */
  readonly total: AmountChange;
  readonly byScope: readonly { readonly scope: EmissionScope; readonly amount: AmountChange }[];
}

/**
 * Recalculates the matching records that have exactly one factor in a set, all or none. Each of them gets the set's
 * factor for the same activity as its current one, and its activity then refers to the new factor by id. Recalculating
 * with the previous set restores the previous amounts. Throws VALIDATION_FAILED for an unknown set, and for more than
 * 500 records calculated with a factor. Throws CONFLICT if one of the records changes in the meantime or is locked.
 */
export async function recalculateRecords(
  caller: ActorContext,
  tenant: TenantReader,
  { wanted, factorSet, dryRun }: RecalculationRequest,
): Promise<Recalculation> {
  const [set, origins] = await Promise.all([
    requireFactorSet(tenant, factorSet),
    countOrigins(tenant, wanted),
  ]);
  if (origins.byFactor > MAX_RECORDS) {
    const fault = `must match at most ${MAX_RECORDS} records calculated with a factor (got ${origins.byFactor})`;
    throw new InvalidInput("record", "filter", fault);
  }
  const matches = matchFactors(await listCalculatedByFactor(tenant, wanted), set);
  const { changes, calculations } = await calculateChanges(tenant, matches, factorSet);
  if (!dryRun) await writeAll(caller, changes, calculations);
  return {
    dryRun,
    recordCount: origins.byFactor + origins.byGas + origins.given,
    unchangedCount: matches.filter(({ isSame }) => isSame).length,
    obstacles: countObstacles(origins, matches),
    changed: changes,
    ...sumChanges(changes.map(({ record: { scope }, amount }) => ({ scope, ...amount }))),
  };
}

/** Calculates the records for which the set has exactly one factor, other than their current one. */
async function calculateChanges(tenant: TenantReader, matches: readonly Match[], { year }: FactorSet) {
  const changed = matches.flatMap(({ record, former, found: [factor, ...others], isSame }) => {
    if (isSame || !factor || others.length > 0) return [];
    const { selector: _, ...used } = JSON.parse(record.activity ?? "") as Activity;
    return [{ record, former, factor, activity: { ...used, factorId: factor.id } }];
  });
  const input = readInput();
  const sent = changed.map(({ record: { id, recordedOn }, activity }) => ({
    given: { activity },
    recordedOn,
    at: (part: string) => `records[${id}].${part}`,
  }));
  const calculated = await calculateRecords(tenant, sent, input);
  input.finish();
  const changes: RecalculatedRecord[] = [];
  const calculations: NewCalculation[] = [];
  changed.forEach(({ record, former, factor }, index) => {
    const parts = calculated[index];
    if (!parts) throw new Error(`the record ${record.id} was not calculated`);
    const reason = `recalculated with the factors of ${year} instead of ${former.sourceYear}`;
    const amount = { before: record.co2eTonnesExact, after: parts.co2eTonnes };
    changes.push({ record, amount, formerFactor: former, factor });
    calculations.push({ id: record.id, ...parts, calculation: { ...parts.calculation, reason } });
  });
  return { changes, calculations };
}

/** Writes new calculations. Throws CONFLICT if one of the records was changed or deleted in the meantime. */
async function writeAll(
  { resources, writer }: ActorContext,
  changes: readonly RecalculatedRecord[],
  calculations: readonly NewCalculation[],
): Promise<void> {
  const { organizationId } = writer;
  await write(resources.database, writer, async (sql) => {
    const ids = calculations.map(({ id }) => id);
    const versions = await lockRecordVersions(sql, organizationId, ids);
    const conflicts = changes.filter(({ record: { id, version } }) => versions.get(id) !== version);
    if (conflicts.length > 0) {
      const message = `${conflicts.length} of the records changed in the meantime. Nothing was recalculated. Try again.`;
      throw new ActionError("CONFLICT", "record", message, "version");
    }
    await writeCalculations(sql, organizationId, calculations);
  });
}
