import type { EmissionRecordFilter } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { RangeForm, useRange } from "../../parts/charts/range.js";
import { DialogButton, Dialogs, Said } from "../../parts/forms/dialogs.js";
import { later } from "../../parts/later.js";
import { Shown } from "../../parts/states.js";
import { RecordFilters } from "./filters.js";
import { ImportButton } from "./imports/import-button.js";
import { READ_RECORDS } from "./read-records.js";
import { RecordList } from "./record-list.js";

const AddRecord = later(async () => (await import("./writing/add-record.js")).AddRecord);

/** The emission records of a range, with buttons to add and change them. Filters and page are in the address. */
export function AllRecords() {
  const range = useRange();
  const { query } = useAddress();
  const mayWrite = useScope("write:emissions");
  const { scope, facility, category, after = null } = query;
  const filter = {
    ...(scope && { scopes: [scope] }),
    ...(facility && { facilityCodes: [facility] }),
    ...(category && { categories: [category] }),
  } as EmissionRecordFilter;
  const answer = useQuery(READ_RECORDS, { range, filter, after });
  const { emissions: all, listed } = answer.data ?? {};
  return (
    <Dialogs onClosed={answer.reload}>
      {mayWrite && (
        <div class="row">
          <Said />
          <ImportButton />
          <DialogButton label="Add record" look="primary" parameter="add" opens={<AddRecord />} />
        </div>
      )}
      <RangeForm shown={range ?? listed ?? null} />
      <RecordFilters
        facilities={all?.byFacility.flatMap(({ facility: found }) => found ?? []) ?? []}
        categories={all?.byCategory.flatMap(({ category: found }) => found ?? []) ?? []}
      />
      <Shown answer={answer} as="table" of="listed">
        {(emissions) => <RecordList emissions={emissions} />}
      </Shown>
    </Dialogs>
  );
}
