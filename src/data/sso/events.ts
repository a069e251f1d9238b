import type { AuditAction } from "../../domain/audit-actions.js";
import { setAuditAction } from "../database/transaction.js";
import type { SqlSession } from "../database/types.js";

/** A single sign-on event for the audit trail. */
export interface SsoEvent {
  readonly organizationId: string;
  readonly action: Extract<AuditAction, `sso.${string}` | "account.provisioned" | "break_glass.used">;
  /** Id of the user, or of the connection if the user is unknown. */
  readonly targetId: string;
  readonly reason?: string;
}

/** Records an event in the audit trail. Its action applies to this entry only, not to the rest of the transaction. */
export async function recordEvent(
  sql: SqlSession,
  { organizationId, action, targetId, reason }: SsoEvent,
  now: Date,
): Promise<void> {
  const [current] = await sql.query<{ action: string | null }>(
    "SELECT current_setting('gateway.action', true) AS action",
    [],
  );
  await setAuditAction(sql, action);
  await sql.execute(
    "INSERT INTO sso_events (organization_id, target_id, reason, created_at) VALUES ($1::uuid, $2::uuid, $3, $4::timestamptz)",
    [organizationId, targetId, reason ?? null, now.toISOString()],
  );
  await setAuditAction(sql, (current?.action ?? "") as AuditAction);
}
