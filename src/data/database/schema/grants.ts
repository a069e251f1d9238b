import { TABLES, WRITER_RIGHTS } from "../../../generated/tables.js";

/** Role that writes on behalf of requests. */
export const WRITING_ROLE = "gateway_writer";

/** Tables with an organization id but without a policy. */
const UNPOLICED: readonly string[] = [TABLES.Delivery];

/**
 * Tables whose policies must confine the writing role to one organization's rows: those to which it may add rows, and
 * the deliveries that it may send again.
 */
export const POLICED_TABLES: readonly string[] = [
  TABLES.Organization,
  TABLES.NotificationPreferences,
  TABLES.WebhookDelivery,
  ...WRITER_RIGHTS.flatMap((right) => /^INSERT \(organization_id\) ON (\w+)$/.exec(right)?.[1] ?? []).filter(
    (table) => !UNPOLICED.includes(table),
  ),
];
