import { isCountedBySums } from "../../domain/record-counts.js";

/** Points of a `totalCount` for which the database reads every row of the list. */
const ROWS_COST = 100;
/** The same of emission records, of which an organization may have a million. */
const RECORDS_COST = 1_000;

/** Points of the `totalCount` of a connection, by the connection's type and what its filters restrict. */
export function countCost(connection: string, restricted: readonly string[]): number {
  if (connection !== "EmissionRecordConnection") return ROWS_COST;
  return isCountedBySums(restricted) ? 1 : RECORDS_COST;
}
