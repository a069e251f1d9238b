import { randomUUID } from "node:crypto";
import { write } from "../../data/database/transaction.js";
import { idOf } from "../../data/emissions/record-identity.js";
import type { RecordRow } from "../../data/emissions/record-rows.js";
import { findWrittenRecords, insertRecords, type NewRecord } from "../../data/emissions/write-records.js";
import type { TenantReader } from "../../data/tenant/reader.js";
import type { ImportQuestion } from "../../domain/emissions/questions.js";
import { MAX_RECORDS } from "../../domain/emissions/record-rules.js";
import type { EmissionScope } from "../../domain/enums.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import type { IsoDate } from "../../domain/window.js";
import { mapInTurns } from "../../turns.js";
import { type InputReader, InvalidInput, readInput, requireSize } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { readText } from "../read-text.js";
import { requireAcceptedRecords } from "./accepted-records.js";
import { calculateRecords } from "./calculated.js";
import { readFacilities, requireOpen } from "./facility-of-record.js";
import { assertIdempotentRecords } from "./idempotent-records.js";
import {
  energyOf,
  type RecordInput,
  readParts,
  requireOneAmount,
  requireScope2,
  type SentRecord,
} from "./record-parts.js";

/** A record to add, with either `co2eTonnes` or `activity`. */
export interface NewRecordInput extends RecordInput {
  readonly recordedOn: IsoDate;
  readonly scope: EmissionScope;
  readonly reference?: string | null | undefined;
}

export interface CreatedRecords {
  /** In the order of the input. */
  readonly records: readonly RecordRow[];
  /** Number of newly added records. */
  readonly createdCount: number;
}

/**
 * Adds 1 to 500 records, all or none. A record whose reference exists with the same content is not added again. Throws
 * VALIDATION_FAILED for all faults, with paths such as `input[3].co2eTonnes`; a single fault may be UNIT_MISMATCH,
 * AMBIGUOUS_UNIT, FACTOR_NOT_FOUND or AMBIGUOUS_FACTOR. Throws CONFLICT for references that exist with different
 * content and for a locked period, and CONFIRMATION_REQUIRED for unusual amounts that the caller has not accepted.
 */
export async function createRecords(
  { resources, writer, now }: ActorContext,
  tenant: TenantReader,
  given: readonly NewRecordInput[],
  accept?: readonly ImportQuestion[] | null,
): Promise<CreatedRecords> {
  const records = await readRecords(tenant, given, now);
  const { organizationId, actor } = writer;
  return write(resources.database, writer, async (sql) => {
    await requireAcceptedRecords(sql, organizationId, records, accept);
    const added = await insertRecords(sql, { organizationId, createdBy: actor.id }, records);
    const found = new Map(added.map((record) => [record.id, record]));
    const others = records.filter(({ id }) => !found.has(id)).map(({ id }) => id);
    if (others.length > 0) {
      const existing = await findWrittenRecords(sql, organizationId, others);
      for (const record of existing) found.set(record.id, record);
      await assertIdempotentRecords(sql, organizationId, records, existing);
    }
    return { records: records.map(({ id }) => found.get(id) as RecordRow), createdCount: added.length };
  });
}

/** Reads and checks records. Throws all of their faults together. */
async function readRecords(
  tenant: TenantReader,
  given: readonly NewRecordInput[],
  now: Date,
): Promise<NewRecord[]> {
  requireSize("record", "input", given.length, MAX_RECORDS, "records");
  const input = readInput();
  const sent = given.map((record, index) => ({
    given: record,
    recordedOn: record.recordedOn,
    at: (part: string) => `input[${index}].${part}`,
  }));
  const parts = await mapInTurns(sent, tenant, ({ given: record, at }) => {
    input.read(() => requireOneAmount(record, at));
    input.read(() => requireAmount(record, at));
    input.read(() => requireScope2(record, at));
    const own = readParts(record, at, now, input);
    return { ...own, energyKwh: input.read(() => energyOf(record.activity, own.energyKwh, at)) ?? null };
  });
  const references = readReferences(sent, input);
  const [calculated, facilities] = await Promise.all([
    calculateRecords(tenant, sent, input),
    readFacilities(tenant, sent, input),
  ]);
  sent.forEach((record, index) => {
    const facility = facilities[index];
    if (facility) input.read(() => requireOpen(facility, record));
  });
  input.finish();
  return given.map(({ recordedOn, scope }, index) => {
    const reference = references[index] ?? null;
    return {
      recordedOn,
      scope,
      reference,
      ...parts[index],
      ...calculated[index],
      // Importing this reference from a file gives its record the same id.
      id: reference === null ? randomUUID() : idOf(tenant.organizationId, reference),
      facilityId: facilities[index]?.id ?? null,
    };
  });
}

/** Throws InvalidInput if a record has neither an amount nor an activity. */
function requireAmount({ co2eTonnes, activity }: RecordInput, at: SentRecord["at"]): void {
  if (co2eTonnes != null || activity != null) return;
  throw new InvalidInput("record", at("co2eTonnes"), "is required without an activity");
}

/** Reads the references of records. A repeated one is a fault. */
function readReferences(
  sent: readonly (SentRecord & { readonly given: NewRecordInput })[],
  input: InputReader,
): (string | undefined)[] {
  const places = new Map<string, string>();
  return sent.map(({ given: { reference }, at }) => {
    if (reference == null) return undefined;
    return input.read(() => {
      const path = at("reference");
      const text = readText("record", path, reference, TEXT_LIMITS.reference);
      const first = places.get(text);
      if (first) throw new InvalidInput("record", path, `must differ from ${first} (got ${text})`);
      places.set(text, path);
      return text;
    });
  });
}
