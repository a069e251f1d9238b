import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import { amountsOf, type RecordRow, type RecordValues } from "../../data/emissions/record-rows.js";
import { findRecord } from "../../data/emissions/records.js";
import { lockRecord, updateRecord } from "../../data/emissions/write-records.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import type { ImportQuestion } from "../../domain/emissions/questions.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { InvalidInput, readInput, requireFound, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import type { Activity } from "../factors/activity.js";
import type { Calculation } from "../factors/calculate.js";
import { changesNothing } from "../idempotency.js";
import { readLines } from "../read-text.js";
import { requireAcceptedRecords } from "./accepted-records.js";
import { calculateRecords, NOT_CALCULATED } from "./calculated.js";
import { readFacilities, requireOpen } from "./facility-of-record.js";
import { describeActivity } from "./idempotent-records.js";
import {
  energyOf,
  type PathTo,
  type RecordInput,
  readParts,
  requireOneAmount,
  requireScope2,
} from "./record-parts.js";

type Version = number | null | undefined;

/** The version that the caller expects, and the questions that the caller accepts. */
interface Conditions {
  readonly expectedVersion?: Version;
  readonly accept?: readonly ImportQuestion[] | null | undefined;
}

/** Parts that are compared with other records to find unusual ones. */
const COMPARED = ["recordedOn", "co2eTonnes", "facilityId", "category"] as const;

/**
 * Changes the given parts of a record. Only a new activity or amount affects the calculation: an activity is calculated
 * again, and an amount replaces the calculation and its energy. A change without effect creates no version. Throws the
 * faults as `createRecords` does, NOT_FOUND, CONFLICT if the version is not the expected one or the period is locked,
 * and CONFIRMATION_REQUIRED if the changed record is unusual and the caller has not accepted that.
 */
export async function changeRecord(
  caller: ActorContext,
  tenant: TenantReader,
  id: string,
  given: RecordInput,
  { expectedVersion, accept }: Conditions,
): Promise<RecordRow> {
  const current = requireRecord(await findRecord(tenant, id), id);
  const input = readInput();
  const at = (part: string) => part;
  const sent = { given, at, recordedOn: given.recordedOn ?? current.recordedOn };
  const parts = readParts(given, at, caller.now, input);
  input.read(() => requireOneAmount(given, at));
  const [[calculated], [facility]] = await Promise.all([
    calculateRecords(tenant, [sent], input),
    readFacilities(tenant, [sent], input),
  ]);
  input.finish();
  const sentValues = {
    ...parts,
    ...(parts.co2eTonnes !== undefined && NOT_CALCULATED),
    ...calculated,
    ...(given.facility !== undefined && { facilityId: facility?.id ?? null }),
  };
  if (Object.keys(sentValues).length === 0) {
    throw new InvalidInput("record", null, "Nothing to change: give at least one value of the record.");
  }
  return lockAndChange(caller, id, async (sql, record) => {
    const values = { ...sentValues, ...changedEnergy(record, sentValues, at) };
    if (isSame(record, values)) return record;
    requireVersion("record", record.version, expectedVersion);
    const { scope = record.scope, marketBasedTonnes = record.marketBasedTonnesExact } = values;
    requireScope2({ scope, marketBasedTonnes }, at);
    if (facility && facility.id !== record.facilityId) requireOpen(facility, sent);
    if (COMPARED.some((part) => part in values)) {
      const changed = { ...record, ...amountsOf(record), ...values };
      await requireAcceptedRecords(sql, tenant.organizationId, [changed], accept, true);
    }
    return updateRecord(sql, tenant.organizationId, id, values);
  });
}

/**
 * Deletes a record, so that totals and lists no longer include it. The reason replaces its note. Throws InvalidInput
 * and NOT_FOUND, and CONFLICT if the version is not the expected one or the period is locked.
 */
export async function deleteRecord(
  caller: ActorContext,
  id: string,
  reason: string,
  expectedVersion: Version,
): Promise<RecordRow> {
  const note = readLines("record", "reason", reason, TEXT_LIMITS.note);
  return lockAndChange(caller, id, (sql, record) => {
    requireVersion("record", record.version, expectedVersion);
    return updateRecord(sql, caller.writer.organizationId, id, { note, deletedAt: caller.now });
  });
}

/** Returns true if the values leave a record unchanged. Compares calculations by activity and factor. */
function isSame(record: RecordRow, { activity, calculation, factorId, ...parts }: Partial<RecordValues>) {
  if (!changesNothing({ ...record, ...amountsOf(record) }, parts)) return false;
  if (activity === undefined) return true;
  if (!isSameActivity(record, activity)) return false;
  const { factor } = JSON.parse(record.calculation ?? "{}") as Partial<Calculation>;
  return activity === null || (factor?.id ?? null) === factorId;
}

function isSameActivity({ activity: stored }: RecordRow, activity: object | null): boolean {
  if (activity === null || stored === null) return activity === stored;
  return describeActivity(activity as Activity) === describeActivity(JSON.parse(stored));
}

/** Returns the new energy of a record, if it changes: that of the activity, or else the given one. */
function changedEnergy(record: RecordRow, { activity, energyKwh }: Partial<RecordValues>, at: PathTo) {
  if (activity === undefined && energyKwh === undefined) return {};
  const stored = record.activity === null ? null : JSON.parse(record.activity);
  const energy = energyOf(activity === undefined ? stored : (activity as Activity | null), energyKwh, at);
  if (energy !== undefined) return { energyKwh: energy };
  // The energy of the former activity does not apply to the new one.
  const isReplaced = stored !== null && activity !== undefined && !isSameActivity(record, activity);
  return isReplaced ? { energyKwh: null } : {};
}

/** Locks a record of the user's organization and changes it. */
function lockAndChange(
  { resources, writer }: ActorContext,
  id: string,
  change: (sql: SqlSession, record: RecordRow) => Promise<RecordRow>,
): Promise<RecordRow> {
  return write(resources.database, writer, async (sql) => {
    const record = requireRecord(await lockRecord(sql, writer.organizationId, id), id);
    return change(sql, record);
  });
}

const requireRecord = (found: RecordRow | null, id: string): RecordRow =>
  requireFound(found, "record", id, "emission record");
