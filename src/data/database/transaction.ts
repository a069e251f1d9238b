import pg from "pg";
import type { AuditAction } from "../../domain/audit-actions.js";
import { AppError } from "../../errors.js";
import { WRITING_ROLE } from "./grants.js";
import type { Database, SqlSession, TransactionOptions } from "./types.js";

/** A command, as the trails name it. */
export type CommandName =
  | `keys ${"create" | "revoke" | "rotate" | "update"}`
  | `organizations ${"create" | "rename" | "plan" | "delete"}`
  | `users ${"create" | "disable" | "enable" | "sign-in-link"}`
  | "import"
  | "import undo"
  | "load"
  | "load-factors"
  | "serve"
  | "verify";

/** A person's request. All ids are UUIDs. */
export interface PersonRequest {
  /** Null for a visitor, who signs in or registers and is not known yet. */
  readonly userId: string | null;
  /** The organization whose rows may be written; null for none. */
  readonly organizationId: string | null;
  readonly requestId: string;
}

const NOBODY: PersonRequest = { userId: null, organizationId: null, requestId: "" };

/** Who writes, as the trails name them. */
export type Writer = CommandName | PersonRequest;

/**
 * The statement that sets who writes. `gateway.command` is for the trail of key events, `gateway.organization` for the
 * policies of the writing role, the others for the audit trail. All end with the transaction, the role too. The trail of
 * keys names a person as the audit trail does. Commands keep the role that they connected as.
 */
function settingsOf(writer: Writer, action: AuditAction | undefined): string {
  const isCommand = typeof writer === "string";
  const { userId, organizationId, requestId } = isCommand ? NOBODY : writer;
  const person = userId === null ? "visitor" : `user ${userId}`;
  const settings = {
    "gateway.command": isCommand ? writer : person,
    "gateway.actor": isCommand ? `command ${writer}` : person,
    "gateway.organization": organizationId ?? "",
    "gateway.request_id": requestId,
    "gateway.action": action ?? "",
    ...(!isCommand && { role: WRITING_ROLE }),
  };
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, true)`,
  );
  return `SELECT ${calls.join(", ")}`;
}

/** The SQLSTATE of a record that belongs to a locked period, and of a lock that overlaps another one. */
const LOCKED_PERIOD = "CGW01";

/** What the database refuses because a period is locked, as a refusal that the caller may read. */
function asRefusal(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string };
  if (code !== LOCKED_PERIOD) return error;
  return new AppError("CONFLICT", message, { details: [{ path: "period", message }], cause: error });
}

/**
 * THE door through which data is written: runs `work` in one transaction, committed when it resolves and rolled back when
 * it throws. The trails attribute what happens in it to `writer`. `action` names updates of its noun more closely than
 * their columns do, such as a rotation. A person's request writes as the role `gateway_writer`: it can write the columns of
 * WRITER_GRANTS, and rows of its own organization. Other rows of tables that have organizations are not found by UPDATE and
 * DELETE, and INSERT throws. Throws CONFLICT for a record of a period that is locked.
 */
export async function write<T>(
  database: Database,
  writer: Writer,
  work: (sql: SqlSession) => Promise<T>,
  action?: AuditAction,
  options?: TransactionOptions,
): Promise<T> {
  try {
    return await database.transaction(async (sql) => {
      // A script goes to the server together with the BEGIN.
      await sql.script(settingsOf(writer, action));
      return work(sql);
    }, options);
  } catch (error) {
    throw asRefusal(error);
  }
}
