import type { AuditAction } from "../../domain/audit-actions.js";
import { nameAction } from "../database/transaction.js";
import type { SqlSession } from "../database/types.js";

/** An event of a sign-in, for the audit trail. */
export interface SsoEvent {
  readonly organizationId: string;
  readonly action: Extract<AuditAction, `sso.${string}` | "account.provisioned" | "break_glass.used">;
  /** The user, or the connection if nobody is known. */
  readonly targetId: string;
  readonly reason?: string;
}

/** Has the audit trail tell of an event, whose name counts for this entry alone. */
export async function recordEvent(
  sql: SqlSession,
  { organizationId, action, targetId, reason }: SsoEvent,
  now: Date,
): Promise<void> {
  const [present] = await sql.query<{ action: string | null }>(
    "SELECT current_setting('gateway.action', true) AS action",
    [],
  );
  await nameAction(sql, action);
  await sql.execute(
    "INSERT INTO sso_events (organization_id, target_id, reason, created_at) VALUES ($1::uuid, $2::uuid, $3, $4::timestamptz)",
    [organizationId, targetId, reason ?? null, now.toISOString()],
  );
  await nameAction(sql, (present?.action ?? "") as AuditAction);
}
