import { useEffect, useState } from "preact/hooks";
import type { ConsoleRecordsQuery } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { downloadCsv, writeCsv } from "../../parts/csv.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { showMessage } from "../../parts/messages.js";
import { shorten } from "../../parts/numbers.js";
import { type EmissionRecord, READ_RECORDS, type RecordsQuery, TEXTS } from "./read-records.js";

/** Maximum number of exported records. The browser keeps them all in memory. */
const MAX_EXPORTED = 10_000;
const PAGE_SIZE = 100;

/** The columns of the file. An import reads all but the calculated amounts, which it calculates again. */
const COLUMNS: Readonly<Record<string, (record: EmissionRecord) => string | null | undefined>> = {
  recorded_on: ({ recordedOn }) => recordedOn,
  facility: ({ facility }) => facility?.code,
  scope: ({ scope }) => scope.toLowerCase(),
  category: ({ category }) => category,
  amount: ({ activity }) => activity?.amountExact,
  unit: ({ activity }) => activity?.unit,
  factor_id: ({ calculation }) => calculation?.factor?.id,
  gas: ({ activity }) => activity?.gas,
  co2e_tonnes: ({ activity, co2eTonnesExact }) => (activity === null ? co2eTonnesExact : null),
  calculated_co2e_tonnes: ({ activity, co2eTonnesExact }) => (activity === null ? null : co2eTonnesExact),
  ...Object.fromEntries(
    TEXTS.flatMap(([name, { file }]) => (file ? [[file, (record: EmissionRecord) => record[name]]] : [])),
  ),
  reference: ({ reference }) => reference,
};

/** Exports up to `MAX_EXPORTED` of the listed records to a CSV file, in the order of the list. */
export function ExportRecords({ wanted }: { wanted: RecordsQuery }) {
  const [count, setCount] = useState(0);
  const [leaving] = useState(() => new AbortController());
  useEffect(() => () => leaving.abort(), [leaving]);
  const send = async () => {
    const records: EmissionRecord[] = [];
    let after: string | null = null;
    do {
      const page: Page | null = await readPage(wanted, after, leaving.signal);
      records.push(...(page?.nodes ?? []));
      setCount(records.length);
      after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null && records.length < MAX_EXPORTED);
    const rows = records.map((record) => Object.values(COLUMNS).map((read) => read(record) ?? null));
    downloadCsv("emission-records.csv", writeCsv([Object.keys(COLUMNS), ...rows]));
    const rest = after === null ? "" : " To export the rest, choose shorter date ranges.";
    showMessage({ text: `Exported ${records.length} records to emission-records.csv.${rest}` });
  };
  return (
    <Confirm title="Export records" action="Export" onConfirm={send}>
      <p>
        Downloads up to {shorten(MAX_EXPORTED)} of the listed records as a CSV file. You can edit it in a
        spreadsheet and import it again.
      </p>
      <p role="status">{count > 0 && `${shorten(count)} records…`}</p>
    </Confirm>
  );
}

type Page = NonNullable<ConsoleRecordsQuery["found"]>;

async function readPage(
  wanted: RecordsQuery,
  after: string | null,
  signal: AbortSignal,
): Promise<Page | null> {
  const { listed, found } = await run(READ_RECORDS, { ...wanted, first: PAGE_SIZE, after }, signal);
  return listed?.records ?? found ?? null;
}
