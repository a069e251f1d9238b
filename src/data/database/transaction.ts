import pg from "pg";
import type { AuditAction } from "../../domain/audit-actions.js";
import type { Scope } from "../../domain/scopes.js";
import { AppError, type ErrorCode } from "../../errors.js";
import { WRITING_ROLE } from "./schema/grants.js";
import type { Database, SqlSession, TransactionOptions } from "./types.js";

/** Name of a command in the trails. */
export type CommandName =
  | `keys ${"create" | "revoke" | "rotate" | "update"}`
  | `organizations ${"create" | "rename" | "plan" | "delete"}`
  | `users ${"change-email" | "confirm-email" | "create" | "disable" | "enable" | "reset-factors" | "reset-link" | "sign-in-link"}`
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

/** The idempotency key of a request, which the first transaction that it commits claims. */
export interface Claim {
  /** Identifies the key and its caller. */
  readonly id: string;
  /** Inserts the claim. Throws IDEMPOTENCY_IN_PROGRESS if another request has claimed the key. */
  readonly insert: (sql: SqlSession) => Promise<void>;
  /** Sets its time to now, at the end of a transaction that may have taken long. */
  readonly renew: (sql: SqlSession) => Promise<void>;
  /** True once a transaction has committed the claim. Later transactions of the request are covered by it. */
  isCommitted: boolean;
}

/** A user or a service account, as the trails name them. */
export interface Actor {
  readonly type: "user" | "service_account";
  readonly id: string;
}

/** The request of a user or a service account. All ids are UUIDs. */
export interface ActorRequest {
  /** Null for a visitor, who is signing in or registering and is not known yet. */
  readonly actor: Actor | null;
  /** The organization whose rows may be written; null for none. */
  readonly organizationId: string | null;
  readonly requestId: string;
  /** Restarts the time limit of the request, which reads its answer after the write. */
  readonly renewTime?: () => void;
  /** Time at which the actor's rights were read, by `performance.now()`. */
  readonly admittedAt?: number;
  /**
   * Reads the actor's session or token and role again. Throws if the session or the token has ended, or if the actor
   * lacks the scope; without a scope, if it lacks any scope that it had.
   */
  readonly requireRights?: (sql: SqlSession, scope: Scope | undefined) => Promise<void>;
  /** Present if the request has an idempotency key. */
  readonly claim?: Claim;
}

const NOBODY: ActorRequest = { actor: null, organizationId: null, requestId: "" };

/** Options of `write`. */
export interface WriteOptions extends TransactionOptions {
  /** Scope that the actor needs, for a transaction that may take long. */
  readonly scope?: Scope | undefined;
  /** True if it needs no place, as one short statement that follows a transaction with a place. */
  readonly isFollowUp?: boolean;
}

/** The writer, as the trails name it. */
export type Writer = CommandName | ActorRequest;

/**
 * Returns the statement that sets the writer. `gateway.command` is for the trail of key events, `gateway.organization`
 * for the policies of the writing role, the others for the audit trail. All of them end with the transaction, including
 * the role. The trail of keys names an actor as the audit trail does. Commands keep the role that they connected as.
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

/** SQLSTATEs of the database's own rules. The caller may read their messages. */
const REFUSALS: ReadonlyMap<unknown, { readonly code: ErrorCode; readonly path: string }> = new Map([
  // A write to a record or facility of a locked period, or a lock that overlaps another one.
  ["CGW01", { code: "CONFLICT", path: "period" }],
  // A verifier who is or was a member of the organization.
  ["CGW02", { code: "VALIDATION_FAILED", path: "verifier" }],
]);

/** SQLSTATEs of a lock that was not free in time, and of transactions that waited for each other. */
const NOT_IN_TURN: ReadonlySet<unknown> = new Set(["55P03", "40P01"]);

/**
 * Converts database errors that the caller may read: those of its own rules, and those about rows that others change.
 */
function asRefusal(error: unknown): unknown {
  const { code: state, message, column } = error as { code?: unknown; message: string; column?: string };
  const refusal = REFUSALS.get(state);
  if (refusal) {
    const details = [{ path: column ?? refusal.path, message }];
    return new AppError(refusal.code, message, { details, cause: error });
  }
  if (!NOT_IN_TURN.has(state)) return error;
  const busy = "Another change of the same data is in progress. Nothing was changed. Try again in 1 second.";
  return new AppError("CONFLICT", busy, { headers: { "Retry-After": "1" }, cause: error });
}

/** Time limits of a user's write, in milliseconds. Commands have none. */
interface WriteLimits {
  /** For a place among the transactions that write. */
  readonly waitMs: number;
  /** For each lock that another transaction holds. */
  readonly lockMs: number;
  /** For the whole transaction. */
  readonly totalMs: number;
}

const SHORT: WriteLimits = { waitMs: 2_500, lockMs: 2_000, totalMs: 10_000 };
const LONG: WriteLimits = { waitMs: 60_000, lockMs: 30_000, totalMs: 15 * 60_000 };

/** A write that commits later than this after its user was admitted checks the user's rights again. */
const RIGHTS_MS = 1_000;

/** Calls `run` once its writer has a place among the writing transactions. */
function withPlace<T>(
  { writePlaces }: Database,
  writer: Writer,
  limits: WriteLimits,
  run: () => Promise<T>,
): Promise<T> {
  if (typeof writer === "string")
    return writePlaces.platform({ ownerId: writer, msLeft: Number.POSITIVE_INFINITY }, run);
  const queued = { ownerId: writer.organizationId ?? writer.actor?.id ?? "visitors", msLeft: limits.waitMs };
  if (writer.organizationId === null) return writePlaces.platform(queued, run);
  const write = () => writePlaces.organizations(queued, run);
  return limits === LONG ? writePlaces.long(queued, write) : write();
}

/** Returns a session whose statements, and the `finish` before its COMMIT, throw after the transaction's time is up. */
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

/** Names the next updates of a transaction in the trails, instead of the transaction's own action. */
export async function setAuditAction(sql: SqlSession, action: AuditAction): Promise<void> {
  await sql.execute("SELECT set_config('gateway.action', $1, true)", [action]);
}

/**
 * THE door through which data is written. Runs `work` in one transaction, which commits when it resolves and rolls back
 * when it throws. The trails attribute its changes to `writer`. `action` names updates of its noun more closely than
 * their columns do, such as a rotation. A user's request writes as the role `gateway_writer`: it can write the columns
 * that the migrations grant it, in rows of its own organization. UPDATE and DELETE do not find other rows of tables
 * that have organizations, and INSERT throws. Throws CONFLICT for a record or facility of a locked period, and for rows
 * that others lock for too long; VALIDATION_FAILED for a verifier who is or was a member. Each organization has a few
 * places for its transactions; throws RATE_LIMIT_EXCEEDED if none becomes free in time. A transaction that may take
 * long, or whose user was admitted more than a second ago, checks the user's rights when it begins and again before its
 * COMMIT: a user who was removed in the meantime changes nothing. The first transaction of a request with an
 * idempotency key also claims the key, before `work`.
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
      // A script goes to the server together with the BEGIN.
      await sql.script(settingsOf(writer, action, limits));
      if (typeof writer === "string") return work(sql);
      const { session, finish } = limitSession(sql, limits.totalMs);
      const { admittedAt = started } = writer;
      const requireRights = async () => {
        if (limits === LONG || performance.now() - admittedAt > RIGHTS_MS)
          await writer.requireRights?.(session, options?.scope);
      };
      // The write may have waited for its place, or for a body or file.
      await requireRights();
      await claim?.insert(session);
      const result = await work(session);
      await requireRights();
      if (limits === LONG) await claim?.renew(session);
      finish();
      return result;
    }, options);
  try {
    const result = await (options?.isFollowUp ? run() : withPlace(database, writer, limits, run));
    if (claim) claim.isCommitted = true;
    return result;
  } catch (error) {
    throw asRefusal(error);
  } finally {
    if (typeof writer !== "string") writer.renewTime?.();
  }
}
