import { findOwnHead } from "../../../data/audit/entries.js";
import type { Snapshot } from "../../../data/database/types.js";
import { streamRecords } from "../../../data/emissions/export-rows.js";
import type { RecordSearch } from "../../../data/emissions/records.js";
import { findFacilitiesByCode } from "../../../data/facilities/facilities.js";
import type { OrganizationRow } from "../../../data/organizations/organizations.js";
import { findLatestPlace } from "../../../data/sync/changes.js";
import { writeChangeCursor } from "../../../data/sync/cursor.js";
import { readInTransaction, type TenantReader } from "../../../data/tenant/reader.js";
import type { ExportColumns, ExportFilter, ExportRows } from "../../../domain/emissions/export-columns.js";
import { EARLIEST_DAY, LATEST_DAY } from "../../../domain/window.js";
import { AppError } from "../../../errors.js";

/** Records of a snapshot that match a filter. */
export interface OpenRecords {
  /** Number of the last audit trail entry in the snapshot; 0 without entries. */
  readonly seq: number;
  /** Cursor for record changes after the snapshot. */
  readonly cursor: string;
  stream(columns: ExportColumns): AsyncGenerator<ExportRows>;
}

/**
 * Finds the records of a filter. Throws BAD_REQUEST for an unknown facility, and for a range that ends before it
 * starts.
 */
export async function openRecords(
  snapshot: Snapshot,
  { id }: Pick<OrganizationRow, "id">,
  filter: ExportFilter,
): Promise<OpenRecords> {
  const tenant = readInTransaction(snapshot, id);
  const { from, to, search = null, facilities, ...lists } = filter;
  if (from !== undefined && to !== undefined && from > to) {
    throw new AppError("BAD_REQUEST", `to: expected ${from} or a later day, got ${to}`);
  }
  const range = from || to ? { from: from ?? EARLIEST_DAY, to: to ?? LATEST_DAY } : null;
  const facilityIds = facilities && (await requireFacilities(tenant, facilities));
  const wanted: RecordSearch = { range, search, filter: { ...lists, facilityIds } };
  const head = await findOwnHead(tenant);
  return {
    seq: head?.seq ?? 0,
    cursor: writeChangeCursor(id, "emission-records", (await findLatestPlace(tenant)).next),
    stream: (columns) => streamRecords(snapshot, id, wanted, columns),
  };
}

async function requireFacilities(tenant: TenantReader, codes: readonly string[]): Promise<string[]> {
  const found = await findFacilitiesByCode(tenant, codes);
  const unknown = codes.find((code) => found.every((facility) => facility.code !== code));
  if (unknown === undefined) return found.map(({ id }) => id);
  const got = JSON.stringify(unknown.slice(0, 60));
  throw new AppError("BAD_REQUEST", `facility: expected the code of a facility, got ${got}`);
}
