import { useMemo, useState } from "preact/hooks";
import type { ConsoleRecordsQueryVariables } from "../../generated/console.js";
import { useQuery } from "../gateway/use-query.js";
import { useAddress } from "../parts/address.js";
import { nameOf } from "../parts/names.js";
import { Exact } from "../parts/numbers.js";
import { Paging } from "../parts/paging.js";
import { RangeForm, useRange } from "../parts/range.js";
import { Page } from "../parts/shell.js";
import { Empty, Shown } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { RecordDetails } from "./records/details.js";
import { RecordFilters } from "./records/filters.js";
import { type EmissionRecord, type Emissions, READ_RECORDS } from "./records/read-records.js";

/** The emission records of a range, with filters and page in the address. */
export function Records() {
  const range = useRange();
  const { query, change } = useAddress();
  const [opened, setOpened] = useState<EmissionRecord | null>(null);
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
  const emissions = answer.data?.emissions;
  return (
    <Page title="Records">
      <RangeForm shown={range ?? emissions ?? null} />
      <RecordFilters
        facilities={emissions?.byFacility.flatMap(({ facility: found }) => found ?? []) ?? []}
        categories={emissions?.byCategory.flatMap(({ category: found }) => found ?? []) ?? []}
      />
      <Shown answer={answer} as="table">
        {(data) =>
          data.emissions && (
            <>
              <RecordTable emissions={data.emissions} onOpen={setOpened} />
              <Paging
                pageInfo={data.emissions.records.pageInfo}
                isLater={after !== null}
                onFirst={() => change({ after: "" })}
                onNext={(cursor) => change({ after: cursor })}
              />
            </>
          )
        }
      </Shown>
      {opened && <RecordDetails record={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}

interface RecordTableProps {
  readonly emissions: Emissions;
  readonly onOpen: (record: EmissionRecord) => void;
}

function RecordTable({ emissions: { from, to, records }, onOpen }: RecordTableProps) {
  if (records.nodes.length === 0) {
    return (
      <Empty>
        No records from {from} to {to} match. Choose other days or fewer filters, or import records:{" "}
        <code>gateway import --help</code>
      </Empty>
    );
  }
  return (
    <>
      <p class="quiet">
        <Exact value={records.totalCount} /> records from {from} to {to}
      </p>
      <Table
        caption="Records"
        rows={records.nodes}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Day",
            cell: (record) => (
              <button type="button" class="link" onClick={() => onOpen(record)}>
                {record.recordedOn}
              </button>
            ),
          },
          { title: "tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Exact value={co2eTonnes} /> },
          { title: "Scope", cell: ({ scope }) => nameOf(scope) },
          { title: "Facility", wraps: true, cell: ({ facility }) => facility?.name ?? "–" },
          { title: "Category", cell: ({ category }) => (category === null ? "–" : nameOf(category)) },
          { title: "Reference", wraps: true, cell: ({ reference }) => reference ?? "–" },
        ]}
      />
    </>
  );
}
