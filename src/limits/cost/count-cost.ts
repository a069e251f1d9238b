import { isCountedBySums } from "../../domain/emissions/record-counts.js";

/** Points of a `totalCount` that makes the database read every row of the list. */
const ROWS_COST = 100;
/** The same for emission records: an organization may have a million. */
const RECORDS_COST = 1_000;

/** Points of a connection's `totalCount`, by the connection's type and the fields its filters restrict. */
export function countCost(connection: string, restricted: readonly string[]): number {
  if (connection !== "EmissionRecordConnection") return ROWS_COST;
  return isCountedBySums(restricted) ? 1 : RECORDS_COST;
}
