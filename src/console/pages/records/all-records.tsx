import "./records.css";
import type { EmissionRecordFilter } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { RangeForm, useRange } from "../../parts/charts/range.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { lazy } from "../../parts/lazy.js";
import { Loaded } from "../../parts/states.js";
import { useOrder } from "../../parts/table.js";
import { ORDERS, RecordFilters, RecordSearch } from "./filters.js";
import { ImportButton } from "./imports/import-button.js";
import { useLocks } from "./locks.js";
import { READ_RECORDS, type RecordsQuery } from "./read-records.js";
import { RecordList } from "./record-list.js";
import { RecordPanel } from "./record-panel.js";

const AddRecord = lazy(async () => (await import("./writing/add-record.js")).AddRecord);
const ExportRecords = lazy<{ wanted: RecordsQuery }>(
  async () => (await import("./export-records.js")).ExportRecords,
);

const PAGE_SIZE = 25;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The emission records of a range, or of all dates for a search without one. The address keeps the range, search,
 * filters, order, page and opened record.
 */
export function AllRecords() {
  const range = useRange();
  const { query } = useAddress();
  const mayWrite = useScope("write:emissions");
  const { scope, facility, category, search = "", after = null, record = "" } = query;
  const filter = {
    ...(scope && { scopes: [scope] }),
    ...(facility && { facilityCodes: [facility] }),
    ...(category && { categories: [category] }),
  } as EmissionRecordFilter;
  const order = useOrder("-day");
  const wanted: RecordsQuery = {
    range,
    filter,
    search,
    isSearch: search !== "",
    orderBy: ORDERS[order.by] ?? "RECORDED_ON",
    order: order.isDescending ? "DESC" : "ASC",
  };
  const answer = useQuery(READ_RECORDS, { ...wanted, first: PAGE_SIZE, after });
  const lockOf = useLocks();
  const { emissions: all } = answer.data ?? {};
  const isOfAllDays = wanted.isSearch && range === null;
  return (
    <Dialogs onClosed={answer.reload}>
      <div class="row">
        <RecordSearch />
        {mayWrite && <ImportButton />}
        <DialogButton label="Export" look="secondary outline" opens={<ExportRecords wanted={wanted} />} />
        {mayWrite && <DialogButton label="Add record" look="primary" parameter="add" opens={<AddRecord />} />}
      </div>
      <RangeForm shown={range ?? (isOfAllDays ? null : (all ?? null))} />
      <RecordFilters
        facilities={all?.byFacility.flatMap(({ facility: found }) => found ?? []) ?? []}
        categories={all?.byCategory.flatMap(({ category: found }) => found ?? []) ?? []}
      />
      {/* Waits for the locks: rows shown without them would change later. */}
      <Loaded answer={{ ...answer, data: lockOf && answer.data }} skeleton="table">
        {({ emissions, listed, found }) =>
          lockOf && (
            <RecordList
              records={listed?.records ?? found}
              sums={listed ?? null}
              range={isOfAllDays ? null : (emissions ?? null)}
              wanted={wanted}
              order={order}
              lockOf={lockOf}
            />
          )
        }
      </Loaded>
      {UUID.test(record) && <RecordPanel key={record} id={record} lockOf={lockOf} />}
    </Dialogs>
  );
}
