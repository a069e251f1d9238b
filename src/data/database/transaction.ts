import pg from "pg";
import type { AuditAction } from "../../domain/audit-actions.js";
import type { Scope } from "../../domain/scopes.js";
import { AppError, type ErrorCode } from "../../errors.js";
import { WRITING_ROLE } from "./schema/grants.js";
import type { Database, SqlSession, TransactionOptions } from "./types.js";
import { databaseUnavailable, isDatabaseUnavailable } from "./unavailable.js";

/** Name of a command in the audit trails. */
export type CommandName =
  | `keys ${"create" | "revoke" | "rotate" | "update"}`
  | `organizations ${"create" | "rename" | "plan" | "delete" | "import"}`
  | `users ${"change-email" | "confirm-email" | "create" | "disable" | "enable" | "erase" | "reset-factors" | "reset-link" | "sign-in-link"}`
  | "domains check"
  | "import"
  | "import undo"
  | "load"
  | `mappings ${"set" | "delete"}`
  | "load-factors"
  | "serve"
  | "sso disable"
  | `service-accounts ${"create" | "revoke" | "rotate" | "update"}`
  | "verify";

/** The idempotency key of a request. The first transaction that the request commits claims it. */
export interface Claim {
  /** Identifies the key and its caller. */
  readonly id: string;
  /** Inserts the claim. Throws IDEMPOTENCY_IN_PROGRESS if another request has claimed the key. */
  readonly insert: (sql: SqlSession) => Promise<void>;
  /** Sets the claim's time to now, at the end of a long transaction. */
  readonly renew: (sql: SqlSession) => Promise<void>;
  /** True once a transaction has committed the claim. It covers later transactions of the request. */
  isCommitted: boolean;
}

/** A user or a service account in the audit trails. */
export interface Actor {
  readonly type: "user" | "service_account";
  readonly id: string;
}

/** The request of a user or a service account. All ids are UUIDs. */
export interface ActorRequest {
  /** Null for a visitor who is signing in or registering. */
  readonly actor: Actor | null;
  /** Organization whose rows the request may write; null for none. */
  readonly organizationId: string | null;
  readonly requestId: string;
  /** Restarts the request's time limit after a write, before it reads the response. */
  readonly renewTime?: () => void;
  /** Time of reading the actor's rights, by `performance.now()`. */
  readonly admittedAt?: number;
  /**
   * Reads the actor's session or token and role again. Throws if the session or token has ended, or if the actor has
   * lost the scope (undefined: any of its scopes).
   */
  readonly requireRights?: (sql: SqlSession, scope: Scope | undefined) => Promise<void>;
  readonly claim?: Claim;
}

const NOBODY: ActorRequest = { actor: null, organizationId: null, requestId: "" };

export interface WriteOptions extends TransactionOptions {
  /** Scope that the actor needs if the rights are checked again. */
  readonly scope?: Scope | undefined;
  /** True to skip the queue, for one short statement that follows a queued transaction. */
  readonly isFollowUp?: boolean;
}

/** The writer to name in the audit trails. */
export type Writer = CommandName | ActorRequest;

/**
 * Returns the statement that sets the writer until the end of the transaction. `gateway.command` is for the trail of
 * key events, `gateway.organization` for the policies of the writing role, the others for the audit trail. Commands
 * keep the role that they connected as.
 */
function settingsOf(writer: Writer, action: AuditAction | undefined, limits: WriteLimits): string {
  const isCommand = typeof writer === "string";
  const { actor, organizationId, requestId } = isCommand ? NOBODY : writer;
  const name = actor === null ? "visitor" : `${actor.type} ${actor.id}`;
  const settings = {
    "gateway.command": isCommand ? writer : name,
    "gateway.actor": isCommand ? `command ${writer}` : name,
    "gateway.organization": organizationId ?? "",
    "gateway.request_id": requestId,
    "gateway.action": action ?? "",
    ...(!isCommand && { role: WRITING_ROLE, lock_timeout: `${limits.lockMs}ms` }),
    ...(!isCommand && limits === LONG && { statement_timeout: `${limits.totalMs}ms` }),
  };
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, true)`,
  );
  return `SELECT ${calls.join(", ")}`;
}

/** SQLSTATEs of the database's own rules. Clients may read their messages. */
const REFUSALS: ReadonlyMap<unknown, { readonly code: ErrorCode; readonly path: string }> = new Map([
  // A write to a record or facility of a locked period, or a lock that overlaps another one.
  ["CGW01", { code: "CONFLICT", path: "period" }],
  // A verifier who is or was a member of the organization.
  ["CGW02", { code: "VALIDATION_FAILED", path: "verifier" }],
]);

const DISK_FULL = "53100";

/** SQLSTATEs of a database that answers reads only. */
const STORAGE_FAULTS: ReadonlyMap<unknown, string> = new Map([
  ["25006", "it is read-only"],
  [DISK_FULL, "its disk is full"],
]);

/** SQLSTATEs of a lock timeout and of a deadlock. */
const LOCK_FAILURES: ReadonlySet<unknown> = new Set(["55P03", "40P01"]);

/** Converts violations of the database's own rules, and failures that pass, to errors that clients may read. */
function asClientError(error: unknown, writer: Writer): unknown {
  const { code: state, message, column } = error as { code?: unknown; message: string; column?: string };
  const fault = STORAGE_FAULTS.get(state);
  if (fault !== undefined)
    return new AppError(
      "INTERNAL_ERROR",
      `The database cannot store changes, because ${fault}. Nothing was changed. Reads still work.`,
      { status: 503, headers: { "Retry-After": "30" }, cause: error },
    );
  const refusal = REFUSALS.get(state);
  if (refusal) {
    const details = [{ path: column ?? refusal.path, message }];
    return new AppError(refusal.code, message, { details, cause: error });
  }
  if (!LOCK_FAILURES.has(state)) {
    const isDescribed = typeof writer === "string" || error instanceof AppError;
    return !isDescribed && isDatabaseUnavailable(error) ? databaseUnavailable(error) : error;
  }
  const busy = "Another change of the same data is in progress. Nothing was changed. Try again in 1 second.";
  return new AppError("CONFLICT", busy, { headers: { "Retry-After": "1" }, cause: error });
}

/** Time limits of a request's write, in milliseconds. Commands have none. */
interface WriteLimits {
  /** For waiting in the queue. */
  readonly waitMs: number;
  /** For waiting for each lock. */
  readonly lockMs: number;
  /** For the whole transaction. */
  readonly totalMs: number;
}

const SHORT: WriteLimits = { waitMs: 2_500, lockMs: 2_000, totalMs: 10_000 };
const LONG: WriteLimits = { waitMs: 60_000, lockMs: 30_000, totalMs: 15 * 60_000 };

/** A write that takes longer than this from admission checks the actor's rights again. */
const RIGHTS_MS = 1_000;

/** Runs a write once its queue lets it. */
function enqueue<T>(
  { writeQueues }: Database,
  writer: Writer,
  limits: WriteLimits,
  isCheck: boolean,
  run: () => Promise<T>,
): Promise<T> {
  if (typeof writer === "string")
    return writeQueues.platform({ ownerId: writer, msLeft: Number.POSITIVE_INFINITY }, run);
  const queued = { ownerId: writer.organizationId ?? writer.actor?.id ?? "visitors", msLeft: limits.waitMs };
  if (writer.organizationId === null) return writeQueues.platform(queued, run);
  if (isCheck) return writeQueues.checks(queued, run);
  const write = () => writeQueues.organizations(queued, run);
  return limits === LONG ? writeQueues.long(queued, write) : write();
}

/** Returns a session whose statements throw once the time is up, and `finish`, which does so before the COMMIT. */
function limitSession(sql: SqlSession, totalMs: number): { session: SqlSession; finish: () => void } {
  const end = performance.now() + totalMs;
  const finish = () => {
    if (performance.now() < end) return;
    const message = `The change took longer than ${totalMs / 1_000} seconds, so nothing was changed. Try again in a moment, or change less at once.`;
    throw new AppError("INTERNAL_ERROR", message, { headers: { "Retry-After": "2" } });
  };
  const limited =
    <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      finish();
      return run(...args);
    };
  const session = {
    script: limited(sql.script),
    query: limited(sql.query) as SqlSession["query"],
    execute: limited(sql.execute),
    copy: limited(sql.copy),
  };
  return { session, finish };
}

/** Sets the audit action of the transaction's further updates, instead of the transaction's own. */
export async function setAuditAction(sql: SqlSession, action: AuditAction): Promise<void> {
  await sql.execute("SELECT set_config('gateway.action', $1, true)", [action]);
}

/**
 * The ONLY way to write data. Runs `work` in one transaction, which commits if it resolves and rolls
 * back if it throws. The audit trails attribute the changes to `writer`. `action` names updates more precisely than
 * their columns do, such as a rotation.
 *
 * Requests write as the role `gateway_writer`: only columns that the migrations grant, and only rows of their own
 * organization. UPDATE and DELETE do not find other organizations' rows, and INSERT throws. A transaction that may take
 * long checks the actor's rights when it begins and before its COMMIT. Others do so at each of these times that is more
 * than a second after the actor's admission. An actor who was removed in the meantime thus changes nothing. The first
 * transaction of a request with an idempotency key also claims the key, before `work`.
 *
 * Throws CONFLICT for a record or facility of a locked period, for overlapping locks of periods, after a deadlock, and
 * for rows that others lock for too long; VALIDATION_FAILED for a verifier who is or was a member; RATE_LIMIT_EXCEEDED
 * if its queue is full, or if it waits there too long; and INTERNAL_ERROR if it exceeds its time limit.
 */
export async function write<T>(
  database: Database,
  writer: Writer,
  work: (sql: SqlSession) => Promise<T>,
  action?: AuditAction,
  options?: WriteOptions,
): Promise<T> {
  const limits = options?.mayTakeLong ? LONG : SHORT;
  const started = performance.now();
  const claim = typeof writer === "string" || writer.claim?.isCommitted ? undefined : writer.claim;
  const run = () =>
    database.transaction(async (sql) => {
      // A script, because that is sent to the server together with the BEGIN.
      await sql.script(settingsOf(writer, action, limits));
      if (typeof writer === "string") return work(sql);
      const { session, finish } = limitSession(sql, limits.totalMs);
      const { admittedAt = started } = writer;
      const requireRights = async () => {
        if (limits === LONG || performance.now() - admittedAt > RIGHTS_MS)
          await writer.requireRights?.(session, options?.scope);
      };
      // The write may have waited in the queue, or for a body or file.
      await requireRights();
      await claim?.insert(session);
      const result = await work(session);
      await requireRights();
      if (limits === LONG) await claim?.renew(session);
      finish();
      return result;
    }, options);
  try {
    const result = await (options?.isFollowUp
      ? run()
      : enqueue(database, writer, limits, options?.isCheck === true, run));
    if (claim) claim.isCommitted = true;
    database.writeQueues.setFull(false);
    return result;
  } catch (error) {
    if ((error as { code?: unknown }).code === DISK_FULL) database.writeQueues.setFull(true);
    throw asClientError(error, writer);
  } finally {
    if (typeof writer !== "string") writer.renewTime?.();
  }
}
