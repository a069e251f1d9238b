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
