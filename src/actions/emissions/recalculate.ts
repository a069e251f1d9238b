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
import { MOST_RECORDS } from "../../domain/emissions/record-rules.js";
import type { EmissionScope } from "../../domain/enums.js";
import type { Acting } from "../acting.js";
import { ActionError, InvalidInput, readInput } from "../action-error.js";
import type { Activity } from "../factors/activity.js";
import { calculateRecords } from "./calculated.js";
import {
  countObstacles,
  type Match,
  matchFactors,
  type ObstacleCount,
  requireFactorSet,
} from "./match-factors.js";

/** Which records are recalculated, and with which factors. */
export interface RecalculationRequest {
  readonly wanted: RecordSearch;
  readonly factorSet: FactorSet;
  /** True to report what would change, and change nothing. */
  readonly dryRun: boolean;
}

/** A record with another factor. */
export interface RecalculatedRecord {
  /** As it was. */
  readonly record: RecordRow;
  readonly amount: AmountChange;
  readonly formerFactor: FactorRow;
  readonly factor: FactorRow;
}

/** The changes of a recalculation; of a dry run, those that it would make. */
export interface Recalculation {
  readonly dryRun: boolean;
  /** Records that match. */
  readonly recordCount: number;
  /** Those whose factor is of the set already. */
  readonly unchangedCount: number;
  /** How many of them cannot be recalculated, by the reason. */
  readonly obstacles: readonly ObstacleCount[];
  /** Those that change, latest day first. */
  readonly changed: readonly RecalculatedRecord[];
  /** Of those that change. */
  readonly total: AmountChange;
  readonly byScope: readonly { readonly scope: EmissionScope; readonly amount: AmountChange }[];
}

/**
 * Recalculates the records that match with the factors of a set, all or none: each with the factor that is for the same as
 * its present one. From then on its activity names that factor by its id. With the former set, it has its former amount
 * again. Throws VALIDATION_FAILED for an unknown set, and for more than 500 records that were calculated by a factor; and
 * CONFLICT if somebody changes one of them meanwhile.
 */
export async function recalculateRecords(
  acting: Acting,
  tenant: TenantReader,
  { wanted, factorSet, dryRun }: RecalculationRequest,
): Promise<Recalculation> {
  const [set, origins] = await Promise.all([
    requireFactorSet(tenant, factorSet),
    countOrigins(tenant, wanted),
  ]);
  if (origins.byFactor > MOST_RECORDS) {
    const fault = `must match at most ${MOST_RECORDS} records that were calculated by a factor (got ${origins.byFactor})`;
    throw new InvalidInput("record", "filter", fault);
  }
  const matches = matchFactors(await listCalculatedByFactor(tenant, wanted), set);
  const { changes, calculations } = await calculateChanges(tenant, matches, factorSet);
  if (!dryRun) await writeAll(acting, changes, calculations);
  return {
    dryRun,
    recordCount: origins.byFactor + origins.byGas + origins.given,
    unchangedCount: matches.filter(({ isSame }) => isSame).length,
    obstacles: countObstacles(origins, matches),
    changed: changes,
    ...sumChanges(changes.map(({ record: { scope }, amount }) => ({ scope, ...amount }))),
  };
}

/** Calculates the records that have one other factor in the set. */
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
    const reason = `recalculated with the factors of ${year}, in the place of one of ${former.sourceYear}`;
    const amount = { before: record.co2eTonnesExact, after: parts.co2eTonnes };
    changes.push({ record, amount, formerFactor: former, factor });
    calculations.push({ id: record.id, ...parts, calculation: { ...parts.calculation, reason } });
  });
  return { changes, calculations };
}

/** Writes new calculations. Throws CONFLICT if one of the records was changed or deleted meanwhile. */
async function writeAll(
  { resources, writer }: Acting,
  changes: readonly RecalculatedRecord[],
  calculations: readonly NewCalculation[],
): Promise<void> {
  const { organizationId } = writer;
  await write(resources.database, writer, async (sql) => {
    const ids = calculations.map(({ id }) => id);
    const versions = await lockRecordVersions(sql, organizationId, ids);
    const overtaken = changes.filter(({ record: { id, version } }) => versions.get(id) !== version);
    if (overtaken.length > 0) {
      const message = `Somebody changed ${overtaken.length} of the records meanwhile. Nothing was recalculated; send it again.`;
      throw new ActionError("CONFLICT", "record", message, "version");
    }
    await writeCalculations(sql, organizationId, calculations);
  });
}
