import { useState } from "preact/hooks";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import type { Days } from "../../parts/days.js";
import { Day, writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Exact, Sum, Tonnes } from "../../parts/numbers.js";
import type { PagingProps } from "../../parts/paging.js";
import { type Column, List, type Order } from "../../parts/table.js";
import { RecordActions } from "./actions.js";
import { LockLink, type LockOf } from "./locks.js";
import {
  COUNT_FOUND,
  describeActivity,
  type EmissionRecord,
  nameOfRecord,
  type RecordsQuery,
} from "./read-records.js";
import { SelectionBar } from "./selection.js";

interface RecordListProps {
  readonly records: (PagingProps & { readonly nodes: readonly EmissionRecord[] }) | null | undefined;
  /** Count and total of the list; null for a search. */
  readonly sums: { readonly recordCount: number; readonly totalCo2eTonnes: number } | null;
  /** Dates that the list covers; null for all. */
  readonly range: Days | null;
  readonly wanted: RecordsQuery;
  readonly order: Order;
  readonly lockOf: LockOf;
}

/** A list of records with its count and total, and actions on one or several records. */
export function RecordList({ records, sums, range, wanted, order, lockOf }: RecordListProps) {
  const mayWrite = useScope("write:emissions");
  const { hrefOf } = useAddress();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  if (!records) return null;
  const { nodes } = records;
  const isSelected = ({ id }: EmissionRecord) => ids.has(id);
  const toggle = ({ id }: EmissionRecord) =>
    setIds(new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]));
  const days = range ? `from ${writeDay(range.from)} to ${writeDay(range.to)}` : "across all dates";
  const link: Column<EmissionRecord> = {
    title: "Date",
    sort: "day",
    cell: (record) => (
      <>
        {mayWrite && (
          <input
            type="checkbox"
            aria-label={`Select ${nameOfRecord(record)}`}
            checked={isSelected(record)}
            onChange={() => toggle(record)}
          />
        )}
        <a href={hrefOf({ record: record.id })}>
          <Day on={record.recordedOn} />
        </a>{" "}
        <LockLink lock={lockOf(record)} />
        <SecondLine text={record.reference} />
      </>
    ),
  };
  return (
    <>
      <p class="quiet">
        {nodes.length > 0 && sums && (
          <>
            <Exact value={sums.recordCount} /> {sums.recordCount === 1 ? "record" : "records"} {days}:{" "}
            <Sum value={sums.totalCo2eTonnes} unit="tCO₂e" />
          </>
        )}
        {nodes.length > 0 && !sums && <FoundCount wanted={wanted} days={days} />}
      </p>
      {mayWrite && nodes.length > 0 && (
        <SelectionBar
          records={nodes}
          selected={nodes.filter(isSelected)}
          onSelect={(chosen) => setIds(new Set(chosen.map(({ id }) => id)))}
          lockOf={lockOf}
        />
      )}
      <List<EmissionRecord>
        caption="Records"
        {...records}
        columns={[link, ...COLUMNS]}
        order={order}
        actions={mayWrite && ((record) => !lockOf(record) && <RecordActions record={record} />)}
      >
        No matching records {days}. Choose other dates or fewer filters
        {mayWrite ? ", or add a record." : "."}
      </List>
    </>
  );
}

/** Number of records that a search finds. */
function FoundCount({ wanted, days }: { wanted: RecordsQuery; days: string }) {
  const { range, filter, search } = wanted;
  const { data } = useQuery(COUNT_FOUND, { range, filter, search });
  const count = data?.emissionRecords?.totalCount;
  return (
    <>
      {count !== undefined && <Exact value={count} />} {count === 1 ? "record" : "records"} {days} with “
      <bdi>{search}</bdi>”
    </>
  );
}

/** Cell text, cut off after two lines, with an optional second text below. */
const Clamped = ({ text, more }: { text: string | null | undefined; more?: string | null | undefined }) => (
  <span>
    <bdi class="clamped" title={text ?? undefined}>
      {text ?? "–"}
    </bdi>
    <SecondLine text={more} />
  </span>
);

const SecondLine = ({ text }: { text: string | null | undefined }) =>
  text ? (
    <small class="quiet clamped" title={text}>
      {text}
    </small>
  ) : null;

const COLUMNS: readonly Column<EmissionRecord>[] = [
  { title: "Facility", wraps: true, cell: ({ facility }) => <Clamped text={facility?.name} /> },
  {
    title: "Scope",
    wraps: true,
    cell: ({ scope, category }) => <Clamped text={nameOf(scope)} more={category && nameOf(category)} />,
  },
  {
    title: "Activity",
    wraps: true,
    cell: (record) => {
      const { amount, of } = describeActivity(record) ?? {};
      return amount === undefined ? (
        <span class="quiet">Entered in tonnes</span>
      ) : (
        <Clamped text={amount} more={of} />
      );
    },
  },
  {
    title: "tCO₂e",
    isNumber: true,
    sort: "amount",
    cell: ({ co2eTonnes }) => <Tonnes value={co2eTonnes} />,
  },
  { title: "Source", wraps: true, cell: ({ source }) => <Clamped text={source} /> },
];
