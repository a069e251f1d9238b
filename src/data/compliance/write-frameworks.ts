import type { Framework, FrameworkStatus } from "../../domain/enums.js";
import { Prisma } from "../../generated/prisma/client.js";
import type { SqlSession } from "../database/types.js";
import { FRAMEWORK_COLUMNS, type FrameworkRow } from "./compliance.js";

/** An organization's status in a framework. */
export interface FrameworkChange {
  readonly organizationId: string;
  readonly framework: Framework;
  readonly status: FrameworkStatus;
  readonly note: string | null;
}

/** Locks an organization's status in a framework until the transaction ends, and returns it; null if it has none. */
export async function lockFramework(
  sql: SqlSession,
  { organizationId, framework }: Pick<FrameworkChange, "organizationId" | "framework">,
): Promise<FrameworkRow | null> {
  const [found] = await sql.query<FrameworkRow>(
    `SELECT ${FRAMEWORK_COLUMNS.sql} FROM compliance_statuses AS s WHERE organization_id = $1::uuid AND framework = $2::framework FOR NO KEY UPDATE`,
    [organizationId, framework],
  );
  return found ?? null;
}

/** Sets an organization's status in a framework. Registers the organization for it if necessary. */
export async function setFramework(
  sql: SqlSession,
  { organizationId, framework, status, note }: FrameworkChange,
  now: Date,
): Promise<FrameworkRow> {
  const { text, values } = Prisma.sql`
    INSERT INTO compliance_statuses AS s (organization_id, framework, status, last_updated, note)
    VALUES (${organizationId}::uuid, ${framework}::framework, ${status}::framework_status, ${now.toISOString()}::timestamptz, ${note})
    ON CONFLICT (organization_id, framework)
      DO UPDATE SET status = EXCLUDED.status, last_updated = EXCLUDED.last_updated, note = EXCLUDED.note
    RETURNING ${FRAMEWORK_COLUMNS}`;
  const [set] = await sql.query<FrameworkRow>(text, values);
  if (!set) throw new Error("the database returned no row");
  return set;
}
