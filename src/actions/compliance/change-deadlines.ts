import type { DeadlineRow } from "../../data/compliance/compliance.js";
import {
  completeDeadline as completeRow,
  findDeadlineByKey,
  insertDeadline,
  type LockedDeadline,
  lockDeadline,
  updateDeadline as updateRow,
} from "../../data/compliance/write-deadlines.js";
import { write } from "../../data/database/transaction.js";
import type { SqlSession } from "../../data/database/types.js";
import {
  type DeadlineStatus,
  dayOfMonth,
  hasStatus,
  nextDueDate,
  type Recurrence,
} from "../../domain/compliance/deadlines.js";
import type { Framework } from "../../domain/enums.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { type IsoDate, isoDate, isSupportedDate, SUPPORTED_DATE } from "../../domain/window.js";
import { ActionError, InvalidInput, requireFound, requireValid, requireVersion } from "../action-error.js";
import type { ActorContext } from "../actor-context.js";
import { assertIdempotent, changesNothing } from "../idempotency.js";
import { readLink, readNote, readOptional, readText } from "../read-text.js";

export interface DeadlineRequest {
  readonly framework: Framework;
  readonly title: string;
  readonly dueDate: IsoDate;
  readonly recurrence?: Recurrence | null | undefined;
  /** Responsible person or team. */
  readonly owner?: string | null | undefined;
  readonly source?: string | null | undefined;
  readonly sourceUrl?: string | null | undefined;
}

/** Result of adding a deadline. */
export interface AddedDeadline {
  readonly deadline: DeadlineRow;
  /** False if it already existed. */
  readonly isNew: boolean;
}

/** Changes to a deadline. An omitted value is unchanged; null for `recurrence` or `owner` removes it. */
export interface DeadlineChanges {
  readonly title?: string;
  readonly dueDate?: IsoDate;
  readonly status?: DeadlineStatus;
  readonly recurrence?: Recurrence | null;
  readonly owner?: string | null;
  /** Required with, and only allowed with, the status `completed`. */
  readonly completedOn?: IsoDate;
  readonly evidence?: string;
}

const readTitle = (title: string) => readText("deadline", "title", title, TEXT_LIMITS.title);
const readOwner = (owner: string | null | undefined) =>
  readOptional("deadline", "owner", owner, TEXT_LIMITS.name);
const readDueDate = (dueDate: IsoDate) => readDate("dueDate", dueDate);

/**
 * Adds a pending deadline, unless it exists. Throws VALIDATION_FAILED, and CONFLICT if a deadline with the same
 * framework, due date and title exists with different content.
 */
export async function createDeadline(
  { resources, writer }: ActorContext,
  { framework, recurrence = null, ...given }: DeadlineRequest,
): Promise<AddedDeadline> {
  const [title, dueDate, owner, source, sourceUrl] = requireValid(
    () => readTitle(given.title),
    () => readDueDate(given.dueDate),
    () => readOwner(given.owner),
    () => readOptional("deadline", "source", given.source, TEXT_LIMITS.source),
    () => (given.sourceUrl == null ? null : readLink("deadline", "sourceUrl", given.sourceUrl)),
  );
  const key = { framework, title, dueDate };
  const rest = { recurrence, source, sourceUrl, owner };
  return write(resources.database, writer, async (sql) => {
    const added = await insertDeadline(sql, writer.organizationId, { ...key, ...rest });
    if (added !== null) return { deadline: added, isNew: true };
    const deadline = await findDeadlineByKey(sql, writer.organizationId, key);
    if (deadline === null) throw new Error("the existing deadline disappeared");
    // A repeated request without an owner keeps one that was set in the meantime.
    const sent = { ...rest, owner: owner ?? deadline.owner };
    assertIdempotent("deadline", describeKey(key), partsOf(deadline), sent);
    return { deadline, isNew: false };
  });
}

const partsOf = ({ recurrence, source, sourceUrl, owner }: DeadlineRow) => ({
  recurrence,
  source,
  sourceUrl,
  owner,
});

const describeKey = ({ framework, title, dueDate }: Pick<DeadlineRow, "framework" | "title" | "dueDate">) =>
  `The deadline "${title}" of ${framework} on ${dueDate}`;

/**
 * Changes or completes a deadline. Throws VALIDATION_FAILED and NOT_FOUND. Throws CONFLICT if the version is not the
 * expected one, the deadline is completed, or another one has the same framework, due date and title.
 */
export async function changeDeadline(
  caller: ActorContext,
  id: string,
  { completedOn, evidence, ...changes }: DeadlineChanges,
  expectedVersion?: number | null,
): Promise<DeadlineRow> {
  if (changes.status === "completed") {
    const completion = readCompletion({ ...changes, completedOn, evidence });
    return completeDeadline(caller, id, completion, expectedVersion);
  }
  if (completedOn !== undefined || evidence !== undefined) {
    const field = completedOn === undefined ? "evidence" : "completedOn";
    throw new InvalidInput("deadline", field, 'is only allowed with the status "completed"');
  }
  if (Object.keys(changes).length === 0) {
    const message = "Nothing to change: give a new title, due date, status, recurrence or owner.";
    throw new InvalidInput("deadline", null, message);
  }
  const { title: newTitle, dueDate } = changes;
  const [title, owner] = requireValid(
    () => (newTitle === undefined ? undefined : readTitle(newTitle)),
    () => (changes.owner === undefined ? undefined : readOwner(changes.owner)),
    () => dueDate && readDueDate(dueDate),
  );
  return lockAndChange(caller, id, async (sql, existing, organizationId) => {
    if (changesNothing(existing, { ...changes, title, owner })) return existing;
    requireVersion("deadline", existing.version, expectedVersion);
    if (hasStatus(existing.status, "completed")) refuseCompleted(existing);
    const changed = {
      ...existing,
      ...changes,
      ...(title !== undefined && { title }),
      ...(owner !== undefined && { owner }),
    };
    const sameDay = changed.dueDate === existing.dueDate;
    const row = { ...changed, dayOfMonth: sameDay ? existing.dayOfMonth : null };
    const updated = await updateRow(sql, organizationId, row);
    if (updated !== null) return updated;
    throw new ActionError("CONFLICT", "deadline", `${describeKey(changed)} already exists.`, "title");
  });
}

/** Reads the completion of a deadline. Throws InvalidInput without a day, or if the request changes anything else. */
function readCompletion({ completedOn, evidence, title, dueDate, recurrence, owner }: Completing) {
  for (const [field, value] of Object.entries({ title, dueDate, recurrence, owner })) {
    if (value === undefined) continue;
    throw new InvalidInput("deadline", field, 'cannot be changed with the status "completed"');
  }
  if (completedOn !== undefined) return { completedOn, evidence: evidence ?? null };
  throw new InvalidInput("deadline", "completedOn", 'is required with the status "completed"');
}

type Completing = { readonly [Name in keyof DeadlineChanges]?: DeadlineChanges[Name] | undefined };

/**
 * Completes a deadline, and adds the next one if it recurs. A deadline already completed with the same values is
 * unchanged. Throws InvalidInput, NOT_FOUND, and CONFLICT if the version is not the expected one or the deadline was
 * completed with different values.
 */
export async function completeDeadline(
  caller: ActorContext,
  id: string,
  completion: { readonly completedOn: IsoDate; readonly evidence: string | null },
  expectedVersion?: number | null,
): Promise<DeadlineRow> {
  const [completedOn, evidence] = requireValid(
    () => readPastDay(completion.completedOn, isoDate(caller.now)),
    () => readNote("deadline", "evidence", completion.evidence),
  );
  return lockAndChange(caller, id, async (sql, existing, organizationId) => {
    if (hasStatus(existing.status, "completed")) {
      if (existing.completedOn === completedOn && existing.evidence === evidence) return existing;
      refuseCompleted(existing);
    }
    requireVersion("deadline", existing.version, expectedVersion);
    const completed = await completeRow(sql, organizationId, { id: existing.id, completedOn, evidence });
    await addNext(sql, organizationId, existing);
    return completed;
  });
}

/** Adds the next deadline of a recurring one, unless it already exists. */
async function addNext(sql: SqlSession, organizationId: string, previous: LockedDeadline): Promise<void> {
  const { dueDate, recurrence } = previous;
  if (recurrence === null) return;
  const day = previous.dayOfMonth ?? dayOfMonth(dueDate);
  const next = nextDueDate(dueDate, recurrence, day);
  if (next !== null)
    await insertDeadline(sql, organizationId, { ...previous, dueDate: next, dayOfMonth: day });
}

function readDate(field: string, date: IsoDate): IsoDate {
  if (isSupportedDate(date)) return date;
  throw new InvalidInput("deadline", field, `must be ${SUPPORTED_DATE} (got ${date})`);
}

function readPastDay(day: IsoDate, today: IsoDate): IsoDate {
  if (day <= today) return readDate("completedOn", day);
  throw new InvalidInput("deadline", "completedOn", `must be today (${today}) or earlier (got ${day})`);
}

function refuseCompleted({ completedOn }: DeadlineRow): never {
  const when = completedOn === null ? "" : ` on ${completedOn}`;
  const message = `The deadline was completed${when} and can no longer be changed.`;
  throw new ActionError("CONFLICT", "deadline", message, "status");
}

/** Locks a deadline and changes it. */
function lockAndChange(
  { resources, writer }: ActorContext,
  id: string,
  change: (sql: SqlSession, existing: LockedDeadline, organizationId: string) => Promise<DeadlineRow>,
): Promise<DeadlineRow> {
  const { organizationId } = writer;
  return write(resources.database, writer, async (sql) => {
    const existing = requireFound(await lockDeadline(sql, organizationId, id), "deadline", id);
    return change(sql, existing, organizationId);
  });
}
