import type { SqlSession } from "../../data/database/types.js";
import { hasTooManyFacilities } from "../../data/facilities/write-facilities.js";
import { MAX_FACILITIES } from "../../domain/emissions/records.js";
import { InvalidInput } from "../action-error.js";

/** Throws VALIDATION_FAILED if an organization now has too many facilities. Call it last, because it locks the organization. */
export async function requireFewFacilities(sql: SqlSession, organizationId: string): Promise<void> {
  if (!(await hasTooManyFacilities(sql, organizationId))) return;
  const message = `An organization can have at most ${MAX_FACILITIES} facilities, including archived ones. Use an existing one, and distinguish its parts by the category of records.`;
  throw new InvalidInput("facility", null, message);
}
