import { type Context, requireAccess } from "../../../access/context.js";
import { createRowReader, type RowReader } from "../../../data/people/rows.js";

/** What reads rows of people for a request. */
export function readRows(context: Context): RowReader {
  const { resources, tenant } = requireAccess(context);
  return createRowReader(resources.database, tenant.organizationId, context.request);
}
