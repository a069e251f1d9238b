import { findOwnHead } from "../../../data/audit/entries.js";
import type { Snapshot } from "../../../data/database/types.js";
import { streamRecords } from "../../../data/emissions/export-rows.js";
import type { RecordSearch } from "../../../data/emissions/records.js";
import { findFacilitiesByCode } from "../../../data/facilities/facilities.js";
import type { OrganizationRow } from "../../../data/organizations/organizations.js";
import { findLatestPlace } from "../../../data/sync/changes.js";
import { writeChangeCursor } from "../../../data/sync/cursor.js";
import { readInTransaction, type TenantReader } from "../../../data/tenant/reader.js";
import {
  EXPORT_COLUMNS,
  type ExportColumns,
  type ExportFile,
  type ExportFilter,
  type ExportRows,
} from "../../../domain/emissions/export-columns.js";
import { EARLIEST_DAY, LATEST_DAY } from "../../../domain/window.js";
import { AppError } from "../../../errors.js";
import { guard } from "../../../files/csv/guard.js";
import { RECORD_FILES } from "../../../files/records/formats.js";
import { createTally, type RecordsTally } from "./digest.js";

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

/** Yields the batches and adds them to a tally. */
async function* tallied(
  batches: AsyncIterable<ExportRows>,
  tally: ReturnType<typeof createTally>,
): AsyncGenerator<ExportRows> {
  for await (const rows of batches) {
    tally.add(rows);
    yield rows;
  }
}

/** A file of records, written while it is read. */
export interface WrittenRecords {
  readonly mediaType: string;
  readonly chunks: AsyncGenerator<Buffer>;
  /** Returns the totals of the records. Call it after `chunks` has ended. */
  readonly tally: () => RecordsTally;
}

/** Writes records as a file. A Parquet file always has a tally, for its footer. */
export function writeFile(
  { seq, cursor }: Pick<OpenRecords, "seq" | "cursor">,
  batches: AsyncIterable<ExportRows>,
  { format, columns, bom, ...file }: ExportFile,
  {
    organization,
    filter,
    isTallied,
  }: {
    readonly organization: Pick<OrganizationRow, "slug">;
    readonly filter: ExportFilter;
    readonly isTallied: boolean;
  },
): WrittenRecords {
  const tally = createTally();
  const counted = isTallied || format === "parquet" ? tallied(batches, tally) : batches;
  const { mediaType, write } = RECORD_FILES[format];
  const chunks = write(counted, EXPORT_COLUMNS[columns], {
    bom,
    guard: file.guard ? guard : (text) => text,
    metadata() {
      const { rows, co2eTonnes, digest } = tally.read();
      return {
        organization: organization.slug,
        filter: JSON.stringify(filter),
        seq: String(seq),
        cursor,
        rows: String(rows),
        co2e_tonnes: co2eTonnes,
        digest,
      };
    },
  });
  return { mediaType, chunks, tally: tally.read };
}
