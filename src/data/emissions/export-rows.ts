import {
  EXPORT_COLUMNS,
  type ExportColumnName,
  type ExportColumns,
  type ExportRows,
} from "../../domain/emissions/export-columns.js";
import { Prisma } from "../../generated/prisma/client.js";
import { timeSql } from "../database/time-sql.js";
import type { Snapshot } from "../database/types.js";
import { whereAll } from "../tenant/keyset.js";
import { streamAsTenant } from "../tenant/reader.js";
import { own } from "../tenant/sources.js";
import { type RecordSearch, searchConditions, searched } from "./records.js";

/** SQL that returns each column as text. */
const COLUMNS: Readonly<Record<ExportColumnName, string>> = {
  recorded_on: "r.recorded_on::text",
  scope: "r.scope::text",
  co2e_tonnes: "r.co2e_tonnes::text",
  facility: "f.code",
  category: "r.category",
  source: "r.source",
  reference: "r.reference",
  id: "r.id::text",
  version: "r.version::text",
  facility_name: "f.name",
  facility_country: "f.country::text",
  market_based_tonnes: "r.market_based_tonnes::text",
  note: "r.note",
  factor_id: "r.factor_id::text",
  import_id: "r.import_id::text",
  created_at: timeSql("r.created_at"),
  updated_at: timeSql("r.updated_at"),
  energy_kwh: "r.energy_kwh::text",
  biogenic_co2_tonnes: "r.biogenic_co2_tonnes::text",
};

/** Streams an organization's records that match a search, by day and id, in batches. */
export function streamRecords(
  snapshot: Snapshot,
  organizationId: string,
  search: RecordSearch,
  columns: ExportColumns,
): AsyncGenerator<ExportRows> {
  const select = EXPORT_COLUMNS[columns].map(({ name }) => COLUMNS[name]).join(", ");
  const source = search.search ? searched({ organizationId }, search) : own.emission_records;
  return streamAsTenant(
    snapshot,
    organizationId,
    Prisma.sql`
      SELECT ${Prisma.raw(select)} FROM (SELECT * FROM ${source} ${whereAll(searchConditions(search))}) AS r
      LEFT JOIN ${own.facilities} AS f ON f.id = r.facility_id
      ORDER BY r.recorded_on, r.id`,
  );
}
