import { escapeLiteral } from "pg";
import { TABLES, WRITER_RIGHTS } from "../../../generated/tables.js";

/** Role that writes on behalf of requests. */
export const WRITING_ROLE = "gateway_writer";

/** Tables without a policy to which the writing role may add rows with an organization id. */
const UNPOLICED: readonly string[] = [TABLES.Delivery];

/**
 * Tables whose policies must confine the writing role to the rows of one organization, or of one user: those to which
 * it may add such rows, and the webhook deliveries that it may send again.
 */
export const POLICED_TABLES: readonly string[] = [
  TABLES.Organization,
  TABLES.NotificationPreferences,
  TABLES.WebhookDelivery,
  ...WRITER_RIGHTS.flatMap((right) => /^INSERT \(organization_id\) ON (\w+)$/.exec(right)?.[1] ?? []).filter(
    (table) => !UNPOLICED.includes(table),
  ),
];

const BY_ACTOR = "'user ' || user_id = current_setting('gateway.actor', true)";

/** Arguments of `policy_attach` for tables whose rows also belong to a user, or are not in `organization_id`. */
const POLICIES: Readonly<Record<string, readonly [owner: string, further?: string]>> = {
  [TABLES.Organization]: ["id"],
  [TABLES.Session]: ["organization_id", `organization_id IS NULL OR ${BY_ACTOR}`],
  [TABLES.Notification]: ["organization_id", `organization_id IS NULL OR ${BY_ACTOR}`],
  [TABLES.NotificationPreferences]: ["user_id", BY_ACTOR],
  [TABLES.MailJob]: ["organization_id", "organization_id IS NULL"],
  [TABLES.IdempotencyKey]: [
    "organization_id",
    "caller = replace(current_setting('gateway.actor', true), 'user ', 'user:')",
  ],
  [TABLES.SsoEvent]: ["organization_id", "'user ' || target_id = current_setting('gateway.actor', true)"],
};

/** An organization may also end the sessions of an account that its directory has disabled. */
const SESSION_UPDATE = `ALTER POLICY own_update ON ${TABLES.Session} USING (
  organization_id = nullif(current_setting('gateway.organization', true), '')::uuid OR organization_id IS NULL OR ${BY_ACTOR}
  OR EXISTS (SELECT FROM ${TABLES.User} AS u WHERE u.id = user_id
    AND u.disabled_by = nullif(current_setting('gateway.organization', true), '')::uuid))`;

/** Returns statements that replace the policies of a table with those that the migrations give it. */
export function policiesOf(table: string): readonly string[] {
  const [owner, further = null] = POLICIES[table] ?? ["organization_id"];
  const names = ["everybody", "own_insert", "own_update", "own_delete"];
  return [
    ...names.map((name) => `DROP POLICY IF EXISTS ${name} ON ${table}`),
    `SELECT policy_attach('${table}', '${owner}', ${further === null ? "NULL" : escapeLiteral(further)})`,
    ...(table === TABLES.Session ? [SESSION_UPDATE] : []),
  ];
}
