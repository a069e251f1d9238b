import { TABLES, WRITER_RIGHTS } from "../../../generated/tables.js";

/** The role as which people's requests write. */
export const WRITING_ROLE = "gateway_writer";

/** Tables with an organization's id but without a policy. */
const UNPOLICED: readonly string[] = [TABLES.Delivery];

/** The tables whose policies must keep the writing role to the rows of one organization: those that it may add such rows to. */
export const POLICED_TABLES: readonly string[] = [
  TABLES.Organization,
  TABLES.NotificationPreferences,
  ...WRITER_RIGHTS.flatMap((right) => /^INSERT \(organization_id\) ON (\w+)$/.exec(right)?.[1] ?? []).filter(
    (table) => !UNPOLICED.includes(table),
  ),
];
