import { useCallback, useMemo, useState } from "preact/hooks";
import type { ConsoleRecordsQueryVariables } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { RangeForm, useRange } from "../../parts/charts/range.js";
import { useDialog } from "../../parts/forms/use-dialog.js";
import { Paging } from "../../parts/paging.js";
import { Shown } from "../../parts/states.js";
import { RecordDetails } from "./details.js";
import { RecordFilters } from "./filters.js";
import { ImportFile } from "./imports/import-file.js";
import { useDroppedFile } from "./imports/use-dropped-file.js";
import { READ_RECORDS } from "./read-records.js";
import { type RecordAction, RecordTable } from "./record-table.js";
import { type AddedRecord, AddRecord } from "./writing/add-record.js";
import { DeleteRecord } from "./writing/delete-record.js";
import { EditRecord } from "./writing/edit-record.js";

type Open = { readonly what: "add" } | { readonly what: "import"; readonly file: File | null } | RecordAction;

/** The emission records of a range, with filters and page in the address, and the ways to add and change them. */
export function AllRecords() {
  const range = useRange();
  const { query } = useAddress();
  const mayWrite = useScope("write:emissions");
  const [added, setAdded] = useState<AddedRecord | null>(null);
  const { scope, facility, category, after = null } = query;
  const variables = useMemo(() => {
    const filter = {
      ...(scope && { scopes: [scope] }),
      ...(facility && { facilityCodes: [facility] }),
      ...(category && { categories: [category] }),
    };
    return { range, filter, after } as ConsoleRecordsQueryVariables;
  }, [range, scope, facility, category, after]);
  const answer = useQuery(READ_RECORDS, variables);
  const { open, setOpen, close } = useDialog<Open>(answer.reload);
  const importFile = useCallback((file: File | null) => begin({ what: "import", file }), []);
  useDroppedFile(mayWrite && (open === null || open.what === "import"), importFile);
  const { emissions, listed } = answer.data ?? {};
  const begin = (action: Open) => {
    setAdded(null);
    setOpen(action);
  };
  return (
    <>
      {mayWrite && (
        <div class="row">
          <Added record={added} />
          <button type="button" class="secondary outline" onClick={() => importFile(null)}>
            Import a file
          </button>
          <button type="button" onClick={() => begin({ what: "add" })}>
            Add record
          </button>
        </div>
      )}
      <RangeForm shown={range ?? listed ?? null} />
      <RecordFilters
        facilities={emissions?.byFacility.flatMap(({ facility: found }) => found ?? []) ?? []}
        categories={emissions?.byCategory.flatMap(({ category: found }) => found ?? []) ?? []}
      />
      <Shown answer={answer} as="table">
        {(data) =>
          data.listed && (
            <>
              <RecordTable emissions={data.listed} mayWrite={mayWrite} onOpen={begin} />
              <Paging pageInfo={data.listed.records.pageInfo} />
            </>
          )
        }
      </Shown>
      {open?.what === "add" && <AddRecord onClose={close} onAdded={setAdded} />}
      {open?.what === "import" && <ImportFile file={open.file} onFile={importFile} onClose={close} />}
      {open?.what === "show" && <RecordDetails record={open.record} onClose={() => setOpen(null)} />}
      {open?.what === "edit" && <EditRecord record={open.record} onClose={close} />}
      {open?.what === "delete" && <DeleteRecord record={open.record} onClose={close} />}
    </>
  );
}

/** Says what was added: its day may be outside of the range that is listed. */
const Added = ({ record }: { record: AddedRecord | null }) => (
  <p role="status">
    {record &&
      `${record.isNew ? "Added" : "It was there already"}: ${record.co2eTonnesExact} tCO₂e on ${record.recordedOn}.`}
  </p>
);
