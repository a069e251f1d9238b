import type { Database } from "../database/types.js";
import { IS_SUBSCRIBER } from "./is-subscriber.js";

/** A reminder of a deadline that is due. */
export interface DueDeadline {
  readonly organizationId: string;
  readonly id: string;
  readonly framework: string;
  readonly title: string;
  readonly dueDate: string;
  readonly source: string | null;
  readonly sourceUrl: string | null;
  /** Days before the deadline, as set by the users. */
  readonly step: number;
  readonly daysLeft: number;
  readonly userIds: readonly string[];
}

/** Days for which a missed reminder is still sent, if the gateway was not running. */
const MAX_DAYS_LATE = 7;

/** Returns the key of a reminder. Keep it in sync with the statement below. */
export const reminderKey = ({ id, dueDate, step }: Pick<DueDeadline, "id" | "dueDate" | "step">): string =>
  `deadline ${id} ${dueDate} ${step}`;

/**
 * Lists up to `max` organizations with ids after `after` that have an open deadline in the year from `today`, by id.
 * Returns none on a subscriber.
 */
export async function listOrganizationsWithDeadlines(
  database: Database,
  { after, max, today }: { readonly after: string; readonly max: number; readonly today: string },
): Promise<string[]> {
  const rows = await database.select<{ id: string }>(
    `SELECT DISTINCT organization_id AS id FROM compliance_deadlines
     WHERE completed_on IS NULL AND due_date BETWEEN $3::date AND $3::date + 365 AND NOT ${IS_SUBSCRIBER}
       AND organization_id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
     ORDER BY 1 LIMIT $2`,
    [after, max, today],
  );
  return rows.map(({ id }) => id);
}

/** Lists up to `max` unsent reminders of an organization that are due on `today` (UTC). */
export function listDueDeadlines(
  database: Database,
  {
    organizationId,
    today,
    initialSteps,
    max,
  }: { organizationId: string; today: string; initialSteps: readonly number[]; max: number },
): Promise<DueDeadline[]> {
  return database.select<DueDeadline>(
    `SELECT d.organization_id AS "organizationId", d.id, d.framework::text AS framework, d.title, d.due_date::text AS "dueDate",
       d.source, d.source_url AS "sourceUrl", s.step, d.due_date - $1::date AS "daysLeft", json_agg(m.user_id) AS "userIds"
     FROM compliance_deadlines AS d
     JOIN memberships AS m ON m.organization_id = d.organization_id JOIN users AS u ON u.id = m.user_id AND u.disabled_at IS NULL
     LEFT JOIN notification_preferences AS p ON p.user_id = m.user_id
     CROSS JOIN LATERAL (
       SELECT min(step::integer) AS step
       FROM jsonb_array_elements_text(coalesce(p.settings #> '{categories,deadline,days_before}', $2::jsonb)) AS step
       WHERE step::integer BETWEEN d.due_date - $1::date AND d.due_date - $1::date + ${MAX_DAYS_LATE}
     ) AS s
     WHERE d.organization_id = $4::uuid AND d.completed_on IS NULL AND lower(d.status) NOT IN ('completed', 'waived') AND d.due_date BETWEEN $1::date AND $1::date + 365 AND s.step IS NOT NULL
       AND NOT EXISTS (SELECT FROM notifications AS n WHERE n.user_id = m.user_id
         AND n.key = 'deadline ' || d.id || ' ' || d.due_date || ' ' || s.step)
     GROUP BY d.organization_id, d.id, s.step ORDER BY d.due_date, d.id, s.step LIMIT $3`,
    [today, JSON.stringify(initialSteps), max, organizationId],
  );
}
