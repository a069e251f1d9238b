import type { AuditAction } from "../../domain/audit-actions.js";
import type { Database, SqlSession } from "./types.js";

/** A command, as the trails name it. */
export type CommandName =
  | `keys ${"create" | "revoke" | "rotate" | "update"}`
  | `organizations ${"create" | "rename" | "delete"}`
  | "import"
  | "import undo"
  | "load"
  | "serve"
  | "verify";

/** A person's request. Both ids are UUIDs. */
export interface PersonRequest {
  readonly userId: string;
  readonly requestId: string;
}

/** Who writes, as the trails name them. */
export type Writer = CommandName | PersonRequest;

/** `gateway.command` is for the trail of key events, the others for the audit trail. They end with the transaction. */
const SETTINGS = `SELECT set_config('gateway.command', $1, true), set_config('gateway.actor', $2, true),
  set_config('gateway.request_id', $3, true), set_config('gateway.action', $4, true)`;

/**
 * THE door through which data is written: runs `work` in one transaction, committed when it resolves and rolled back when
 * it throws. The trails attribute what happens in it to `writer`. `action` names updates of its noun more closely than
 * their columns do, such as a rotation.
 */
export function write<T>(
  database: Database,
  writer: Writer,
  work: (sql: SqlSession) => Promise<T>,
  action?: AuditAction,
): Promise<T> {
  const [command, actor, requestId] =
    typeof writer === "string"
      ? [writer, `command ${writer}`, ""]
      : ["", `user ${writer.userId}`, writer.requestId];
  return database.transaction(async (sql) => {
    await sql.query(SETTINGS, [command, actor, requestId, action ?? ""]);
    return work(sql);
  });
}
